"""Options of the commands that play games between bots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from branchwise.cli.terminal.options import whole_number_in

if TYPE_CHECKING:
    from branchwise.arena.statistics.sprt import Sprt

MoveSecondsOption = Annotated[
    float | None, typer.Option("--seconds", metavar="S", help="Seconds for each move, above 0.")
]
ClockOption = Annotated[
    str | None,
    typer.Option("--clock", metavar="S[+S]", help="Seconds for a whole game, and seconds added per move."),
]
MoveSimulationsOption = Annotated[
    int | None,
    typer.Option(
        "--simulations",
        parser=whole_number_in,
        metavar="N",
        help="Simulations for each move, from 1.",
    ),
]
AllowanceOption = Annotated[
    float | None,
    typer.Option(
        "--allowance", metavar="S", help="Seconds of tolerated excess; default 0.1.", show_default=False
    ),
]
PatienceOption = Annotated[
    float | None,
    typer.Option(
        "--patience",
        metavar="S",
        help="Seconds after which a bot without a limit counts as hung; default 60.",
        show_default=False,
    ),
]
OpeningsOption = Annotated[
    str | None,
    typer.Option("--openings", metavar="FILE", help="File of openings, one per line: moves, # comments."),
]
OpeningsDepthOption = Annotated[
    int | None,
    typer.Option(
        "--openings-depth",
        metavar="N",
        help="Random moves at the start of each game; default 4, or fewer if they would decide it.",
        show_default=False,
    ),
]
ProofsOption = Annotated[
    bool,
    typer.Option("--proofs/--no-proofs", help="End games whose outcome is proven.", show_default=False),
]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        "-j",
        metavar="N",
        help="Games at once; default: the number of cores.",
        show_default=False,
    ),
]


def sprt_from(text: str | None, alpha: float | None, beta: float | None) -> Sprt | None:
    """Return the test for `ELO0,ELO1` or `ELO0,ELO1,normalized`, or None for None.

    Raises `SettingsError` for a text that cannot be read, or for alpha or beta without a test.

    >>> print(sprt_from("0, 30", None, 0.1))
    H0: 0 Elo, H1: 30, alpha 0.05, beta 0.1
    """
    from branchwise.arena.statistics.sprt import Sprt
    from branchwise.common.errors import SettingsError

    errors = {name: value for name, value in (("alpha", alpha), ("beta", beta)) if value is not None}
    if text is None:
        if errors:
            raise SettingsError(f"--{next(iter(errors))} is given without a test", mend="add --sprt 0,30")
        return None
    elo0, _, rest = text.partition(",")
    elo1, _, model = rest.partition(",")
    try:
        bounds = float(elo0), float(elo1)
    except ValueError:
        raise SettingsError(
            f'cannot read the test "{text}"', mend="write two differences in Elo, such as 0,30"
        ) from None
    return Sprt(*bounds, **errors, model=model.strip() or "logistic")


def duration(seconds: float) -> str:
    """Return seconds as minutes and seconds, or hours, minutes and seconds.

    >>> duration(42.2), duration(3725)
    ('0:42', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
