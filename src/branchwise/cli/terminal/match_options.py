"""Options of the commands that play games between bots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from branchwise.cli.terminal.declare_options import option
from branchwise.cli.terminal.options import whole_number_in

if TYPE_CHECKING:
    from branchwise.arena.statistics.sprt import Sprt

MoveSecondsOption = Annotated[float | None, option("--seconds S", "Seconds for each move, above 0.")]
ClockOption = Annotated[
    str | None,
    option("--clock S[+S]", "Seconds for a whole game, and seconds added per move."),
]
MoveSimulationsOption = Annotated[
    int | None,
    option("--simulations N", "Simulations for each move, from 1.", parser=whole_number_in),
]
AllowanceOption = Annotated[
    float | None,
    option("--allowance S", "Seconds of tolerated excess; default 0.1."),
]
PatienceOption = Annotated[
    float | None,
    option("--patience S", "Seconds after which a bot without a limit counts as hung; default 60."),
]
OpeningsOption = Annotated[
    str | None,
    option("--openings FILE", "File of openings, one per line: moves, # comments."),
]
OpeningsDepthOption = Annotated[
    int | None,
    option(
        "--openings-depth N",
        "Random moves at the start of each game; default 4, or fewer if they would decide it.",
    ),
]
ProofsOption = Annotated[
    bool,
    option("--proofs/--no-proofs", "End games whose outcome is proven.", shown=False),
]
ConcurrencyOption = Annotated[
    int | None,
    option("--concurrency -j N", "Games at once; default: the number of cores."),
]

ExecutorOption = Annotated[
    str | None,
    option("--executor NAME[=ADDRESS]", "Play on ray or dask, here or at an address: dask=tcp://host:8786."),
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
