"""Style and output of figures: light and dark, as SVG and PNG, in colours suited to colour-blind readers.

Each figure is drawn twice, on a white and on a dark background, so that both can be read anywhere. Colours
for categories: [Okabe02]. matplotlib is imported only when a figure is drawn.

[Okabe02] Okabe, Ito, "Color universal design", 2002, https://jfly.uni-koeln.de/color.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchwise.common.errors import SettingsError
from branchwise.common.optional_libraries import need_library
from branchwise.figures.figure_table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMS = ("svg", "png")
DOTS_PER_INCH = 110
SIZE = (7.0, 4.2)
"""Inches, at 72 points each in SVG."""


@dataclass(frozen=True)
class Theme:
    """Colours for one background.   suffix : suffix of its files' names.   series : colours of lines."""

    suffix: str
    ground: str
    ink: str
    faint: str
    win: str
    draw: str
    loss: str
    series: tuple[str, ...]


LIGHT = Theme(
    suffix="",
    ground="#ffffff",
    ink="#1f2328",
    faint="#d0d7de",
    win="#56b4e9",
    draw="#b6bcc2",
    loss="#e69f00",
    series=("#0072b2", "#d55e00", "#008a65", "#aa4499", "#8a6d00", "#3a3a3a"),
)
DARK = Theme(
    suffix="-dark",
    ground="#0d1117",
    ink="#e6edf3",
    faint="#3d444d",
    win="#4da3dd",
    draw="#6e7681",
    loss="#e69f00",
    series=("#56b4e9", "#e8853d", "#2fbf94", "#e08ac8", "#e3cf57", "#c9d1d9"),
)
THEMES = (LIGHT, DARK)
MARKERS = ("o", "s", "^", "D", "v", "P")
"""Series differ in these too, not only in colour."""


@dataclass(frozen=True)
class Drawing:
    """A figure: its table and the function that draws it; `draw` uses only the table.

    size : in inches.
    """

    table: Table
    draw: Callable[[Figure, Table, Theme], None]
    size: tuple[float, float] = SIZE


def need_matplotlib() -> None:
    """Raise `SettingsError` if figures cannot be drawn here."""
    need_library("matplotlib", "figures are drawn", "figures")


def render(drawing: Drawing, theme: Theme, form: str) -> bytes:
    """Return a figure as a file's content; form : "svg" or "png". Equal tables give equal content."""
    need_matplotlib()
    import io

    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context(_settings(theme)):
        figure = Figure(figsize=drawing.size, layout="constrained")
        FigureCanvasAgg(figure)
        drawing.draw(figure, drawing.table, theme)
        out = io.BytesIO()
        nothing = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        figure.savefig(out, format=form, dpi=DOTS_PER_INCH, metadata=nothing)
    return out.getvalue()


def write(drawing: Drawing, output: str | Path) -> list[Path]:
    """Write a figure and its table; return the files.

    output : NAME gives NAME.svg and NAME.png for light backgrounds, NAME-dark.svg and NAME-dark.png for dark
    ones, and NAME.csv; a name with an ending gives only that format and the table. Raises `SettingsError` for
    any other ending, or if the files cannot be written.
    """
    stem, forms = stem_and_forms(output)
    contents = [
        (stem.with_name(f"{stem.name}{theme.suffix}.{form}"), render(drawing, theme, form))
        for form in forms
        for theme in THEMES
    ]
    contents.append((stem.with_name(f"{stem.name}.csv"), drawing.table.to_csv().encode()))
    try:
        stem.parent.mkdir(parents=True, exist_ok=True)
        for file, content in contents:
            file.write_bytes(content)
    except OSError as error:
        raise SettingsError(f"cannot write {error.filename}: {error.strerror}") from error
    return [file for file, _ in contents]


def stem_and_forms(output: str | Path) -> tuple[Path, Sequence[str]]:
    """Return the common stem of the files, and the requested formats."""
    path = Path(output).expanduser()
    ending = path.suffix[1:].lower()
    if not path.name or path.is_dir():
        raise SettingsError(f"{output} is not a file name", mend=f"{path / 'sweep'} or {path / 'sweep.svg'}")
    if ending in FORMS:
        return path.with_suffix(""), (ending,)
    if ending and ending.isalpha():
        raise SettingsError(
            f"figures are not written as .{ending}", mend="end the name in .svg, .png or nothing"
        )
    return path, FORMS


def value_axis(axes: Axes, label: str) -> None:
    """Make the y axis show points per game, in per cent."""
    axes.set_ylim(0, 100)
    axes.set_yticks(range(0, 101, 25), [f"{share} %" for share in range(0, 101, 25)])
    axes.set_ylabel(label)


def _settings(theme: Theme) -> Any:
    return {
        "axes.edgecolor": theme.ink,
        "axes.facecolor": theme.ground,
        "axes.grid": False,
        "axes.labelcolor": theme.ink,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlecolor": theme.ink,
        "axes.titlesize": 11.5,
        "axes.titlelocation": "left",
        "axes.titlepad": 10,
        "figure.constrained_layout.h_pad": 0.12,
        "figure.constrained_layout.w_pad": 0.12,
        "figure.facecolor": theme.ground,
        "font.family": "DejaVu Sans",
        "font.size": 10,
        "grid.color": theme.faint,
        "hatch.color": theme.ink,
        "legend.frameon": False,
        "legend.labelcolor": theme.ink,
        "savefig.facecolor": theme.ground,
        "svg.hashsalt": "branchwise",
        "text.color": theme.ink,
        "xtick.color": theme.ink,
        "xtick.labelcolor": theme.ink,
        "ytick.color": theme.ink,
        "ytick.labelcolor": theme.ink,
    }
