"""Molecules built token by token, for the highest drug-likeness or penalised logP.

The tokens are those of SELFIES, and every string of them is a valid molecule: Krenn et al., "Self-referencing
embedded strings (SELFIES): a 100% robust molecular string representation", 2020. RDKit computes the scores,
so the rules stay in Python. Both packages come with `pip install "branchwise[molecules]"`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Self

from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import ActionError, GameError, SettingsError, nearest_name
from branchwise.game.kinds.random_numbers import Draws

_COUNTED = """
stop 39  [C] 406  [=C] 132  [#C] 3  [N] 32  [=N] 12  [#N] 2  [O] 55  [=O] 33  [S] 9  [=S] 2
[F] 3  [Cl] 8  [Br] 3
[Branch1] 72  [=Branch1] 59  [#Branch1] 9  [Branch2] 9  [=Branch2] 10  [#Branch2] 7
[Ring1] 66  [=Ring1] 1  [Ring2] 9
"""
_WORDS = _COUNTED.split()
FREQUENCIES = dict(zip(_WORDS[::2], map(int, _WORDS[1::2]), strict=True))
"""Frequency of each token, per thousand, in the 5,000 molecules of the NCI that come with RDKit."""
ALPHABET = tuple(FREQUENCIES)[1:]
"""Tokens; after those of branches and rings, the next tokens give the length."""
STOP = 0
"""The action that ends a molecule; action a adds token a - 1."""

ZINC = {
    "logp": (2.4570953396190123, 1.434324401111988),
    "access": (-3.0525811293166134, 0.8335207024513095),
    "ring": (-0.0485696876403053, 0.2860212110245455),
}
"""Mean and standard deviation of each term of the penalised logP over 250,000 molecules of ZINC."""
USUAL_RING = 6
_REMEMBERED = 100_000


def qed(molecule: Any) -> float:
    """Return the drug-likeness of an RDKit molecule, from 0 to 1.

    Bickerton et al., "Quantifying the chemical beauty of drugs", 2012.
    """
    from rdkit.Chem import QED

    return float(QED.qed(molecule))


def penalised_logp(molecule: Any, *, normalised: bool = True) -> float:
    """Return the penalised logP of an RDKit molecule, without bounds.

    logP, minus the synthetic accessibility, minus the number of atoms above six in the largest ring: Kusner,
    Paige, Hernández-Lobato, "Grammar variational autoencoder", 2017. The accessibility is that of Ertl,
    Schuffenhauer, "Estimation of synthetic accessibility score of drug-like molecules", 2009.
    normalised : whether each term is standardised by its mean and deviation over molecules of ZINC, as in
    most published figures. Rings are RDKit's smallest ones.
    """
    from rdkit.Chem import Crippen
    from rdkit.Contrib.SA_Score import sascorer

    largest = max(map(len, molecule.GetRingInfo().AtomRings()), default=0)
    terms = {
        "logp": Crippen.MolLogP(molecule),
        "access": -sascorer.calculateScore(molecule),
        "ring": -max(0, largest - USUAL_RING),
    }
    if normalised:
        terms = {name: (value - ZINC[name][0]) / ZINC[name][1] for name, value in terms.items()}
    return float(sum(terms.values()))


OBJECTIVES = {"qed": (qed, 0.0, 1.0), "penalised_logp": (penalised_logp, None, None)}
"""By name: the score, and its bounds."""


class Molecule:
    """A molecule under construction, as a state of one player that `MCTS`, `NRPA` and others search.

    objective : "qed", drug-likeness from 0 to 1, or "penalised_logp", normalised.
    tokens : maximum number of tokens, from 1 to 1,000.   alphabet : tokens of SELFIES, each once.

    Action 0 ends the molecule, and action a adds token a - 1 of the alphabet. The molecule also ends when it
    has `tokens` tokens, or when its last atom has no free bond. The last action pays the score. Every state
    is a valid molecule. Raises `SettingsError` for other settings, and without RDKit and SELFIES.

    Playouts draw tokens in proportion to their frequency.

    >>> import branchwise as bw
    >>> state = Molecule("qed", tokens=8)
    >>> for token in ("[C]", "[C]", "[O]", "stop"):
    ...     _ = state.play(token)
    >>> print(state)
    CCO
    >>> state.rewards()
    (0.40680796565539457,)
    >>> bw.NRPA(level=1, iterations=50, seed=1).search(Molecule("qed", tokens=8)).best_score > 0.4
    True
    """

    num_players = 1
    playout = "game"

    def __init__(
        self, objective: str = "qed", *, tokens: int = 40, alphabet: tuple[str, ...] = ALPHABET
    ) -> None:
        if objective not in OBJECTIVES:
            raise nearest_name("objective", objective, OBJECTIVES)
        whole_number("tokens", tokens, 1, 1000)
        check_alphabet(tuple(alphabet))
        self.objective = objective
        self.alphabet = tuple(alphabet)
        self.max_game_length = tokens + 1
        self.num_actions = len(self.alphabet) + 1
        self.min_return, self.max_return = OBJECTIVES[objective][1:]
        self._odds = tuple(float(FREQUENCIES.get(token, 1)) for token in ("stop", *self.alphabet))
        self._tokens: tuple[int, ...] = ()
        self._over = False

    # --- the rules ------------------------------------------------------------------------------------

    def current_player(self) -> int:
        """Return 0, the only player."""
        return 0

    def legal_actions(self) -> list[int]:
        """Return the legal actions: a molecule begins with an atom, and then may end."""
        return list(_starts(self.alphabet)) if not self._tokens else list(range(self.num_actions))

    def apply_action(self, action: int) -> None:
        """Add a token, or end the molecule. Raises `ActionError` for an action that is not legal."""
        if self._over or action not in (range(self.num_actions) if self._tokens else self.legal_actions()):
            raise ActionError(
                f"action {action} is not legal in {self!r}",
                mend="the molecule is complete" if self._over else f"legal are {self.legal_actions()}",
            )
        if action == STOP:
            self._over = True
            return
        self._tokens += (action,)
        self._over = len(self._tokens) == self.max_game_length - 1 or self._is_closed()

    def is_terminal(self) -> bool:
        """Whether the molecule is complete."""
        return self._over

    def rewards(self) -> tuple[float]:
        """Return the reward of the last action: the score of a complete molecule, else 0."""
        return (self.score(),) if self._over else (0.0,)

    def clone(self) -> Self:
        """Return a copy."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def prior(self, action: int) -> float:
        """Return the frequency of an action's token, or of the end; 1 for tokens that were not counted."""
        return self._odds[action]

    def playout_action(self, random: Draws) -> int:
        """Draw an action in proportion to `prior`."""
        legal = self.legal_actions()
        share = random.uniform() * sum([self._odds[action] for action in legal])
        for action in legal:
            share -= self._odds[action]
            if share < 0.0:
                return action
        return legal[-1]

    def action_code(self, action: int) -> int:
        """Return the key under which NRPA learns: the token, its place, and the token before."""
        before = self._tokens[-1] if self._tokens else 0
        return (len(self._tokens) * self.num_actions + before) * self.num_actions + action

    # --- the molecule ---------------------------------------------------------------------------------

    def selfies(self) -> str:
        """Return the molecule as SELFIES.

        >>> Molecule.from_smiles("c1ccccc1").selfies()
        '[C][=C][C][=C][C][=C][Ring1][=Branch1]'
        """
        return "".join(self.alphabet[token - 1] for token in self._tokens)

    def smiles(self) -> str:
        """Return the molecule as RDKit's canonical SMILES; '' at the start.

        >>> Molecule.from_smiles("C1=CC=CC=C1").smiles()
        'c1ccccc1'
        """
        from rdkit import Chem

        return str(Chem.MolToSmiles(self.molecule())) if self._tokens else ""

    def molecule(self) -> Any:
        """Return the molecule as RDKit's object; without atoms at the start."""
        from rdkit import Chem

        return _read(_decoded(self.selfies())) if self._tokens else Chem.Mol()

    def score(self) -> float:
        """Return the score of the molecule as it is now. Raises `GameError` at the start."""
        if not self._tokens:
            raise GameError("a molecule without atoms has no score")
        return _scored(self.objective, _decoded(self.selfies()))

    @classmethod
    def from_smiles(cls, smiles: str, objective: str = "qed", **settings: Any) -> Self:
        """Return the state with the SELFIES tokens of a molecule; settings : as for the class.

        Raises `ActionError` for text that is no molecule, or needs too many or unknown tokens.
        """
        state = cls(objective, **settings)
        selfies = _selfies()
        try:
            words = list(selfies.split_selfies(selfies.encoder(smiles)))
        except selfies.EncoderError as error:
            raise ActionError(f'"{smiles}" cannot be written as SELFIES: {error}') from error
        for word in words:
            state.play(word)
        return state

    def play(self, move: str | int) -> int:
        """Apply an action by its number, its token or "stop"; returns the number."""
        action = self.action_from_string(move) if isinstance(move, str) else move
        self.apply_action(action)
        return action

    def action_to_string(self, action: int) -> str:
        """Return the token that an action adds, or "stop"."""
        return "stop" if action == STOP else self.alphabet[action - 1]

    def action_from_string(self, text: str) -> int:
        """Return the legal action with the name `text`; raises `ActionError` for any other text."""
        named = {self.action_to_string(action): action for action in self.legal_actions()}
        if self._over or text.strip() not in named:
            raise ActionError(
                f'"{text}" cannot be added to {self!r}',
                mend="the molecule is complete" if self._over else f"legal are {' '.join(named)}",
            )
        return named[text.strip()]

    def to_svg(self, width: int = 320, height: int = 240) -> str:
        """Return RDKit's drawing of the molecule; width, height : in pixels."""
        from rdkit.Chem.Draw import rdMolDraw2D

        drawing = rdMolDraw2D.MolDraw2DSVG(width, height)
        drawing.drawOptions().clearBackground = False
        rdMolDraw2D.PrepareAndDrawMolecule(drawing, self.molecule())
        drawing.FinishDrawing()
        return str(drawing.GetDrawingText())

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __str__(self) -> str:
        return self.smiles() or "no atom yet"

    def __repr__(self) -> str:
        return f"<Molecule {self.selfies() or 'without atoms'}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Molecule) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self._tokens, self._over, self.objective, self.max_game_length, self.alphabet

    def _is_closed(self) -> bool:
        """Whether the last token is an atom after which no token can change the molecule.

        Wherever an atom can be added, a carbon can, so adding as many carbons as fit decides it.
        """
        *before, last = (self.alphabet[token - 1] for token in self._tokens)
        said = (_has_length(token) and int(token[-2]) >= n for n, token in enumerate(before[:-4:-1], 1))
        if last not in _closing(self.alphabet) or any(said):
            return False
        words = self.selfies()
        return _decoded(words + "[C]" * (self.max_game_length - 1 - len(self._tokens))) == _decoded(words)


def check_alphabet(alphabet: tuple[str, ...]) -> None:
    """Raise `SettingsError` for an invalid alphabet of SELFIES, or if packages are missing."""
    known = set(_selfies().get_semantic_robust_alphabet())
    for token in alphabet:
        if token not in known:
            raise nearest_name("token of SELFIES", token, known)
    if len(set(alphabet)) < len(alphabet) or not _starts(alphabet):
        raise SettingsError(
            "an alphabet of SELFIES has each token once, and an atom among them", mend="leave it out"
        )


def _selfies() -> Any:
    """Return the package SELFIES; raises `SettingsError` if it or RDKit is missing."""
    try:
        import rdkit.Chem  # noqa: F401
        import selfies
    except ImportError as error:
        raise SettingsError(
            f"molecules need RDKit and SELFIES, and {str(error.name).partition('.')[0]} is not installed",
            mend='pip install "branchwise[molecules]"',
        ) from error
    return selfies


def _decoded(words: str) -> str:
    return str(_selfies().decoder(words))


def _read(smiles: str) -> Any:
    from rdkit import Chem

    molecule = Chem.MolFromSmiles(smiles)
    if molecule is None:
        raise GameError(f"RDKit cannot read {smiles}, which SELFIES wrote")
    return molecule


@lru_cache(_REMEMBERED)
def _scored(objective: str, smiles: str) -> float:
    return OBJECTIVES[objective][0](_read(smiles))


def forget_scores() -> None:
    """Clear the cache of scores; a process keeps the last 100,000."""
    _scored.cache_clear()


@lru_cache
def _starts(alphabet: tuple[str, ...]) -> tuple[int, ...]:
    """Return the actions that add an atom."""
    return tuple(action for action, token in enumerate(alphabet, start=1) if not _has_length(token))


def _has_length(token: str) -> bool:
    """Whether a token is a branch or a ring; its number, 1 to 3, is the number of tokens for its length."""
    return "Branch" in token or "Ring" in token


@lru_cache
def _closing(alphabet: tuple[str, ...]) -> frozenset[str]:
    """Return the tokens of atoms whose own bond can use up all their bonds."""
    bonds = _selfies().get_semantic_constraints()
    orders = {"=": 2, "#": 3}
    closing = set[str]()
    for token in (alphabet[action - 1] for action in _starts(alphabet)):
        name = token.strip("[]").lstrip("=#")
        if bonds.get(name, bonds["?"]) <= orders.get(token[1], 1):
            closing.add(token)
    return frozenset(closing)
