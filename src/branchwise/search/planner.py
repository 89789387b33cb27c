"""The planner: its settings, its searches, and the tree that it keeps between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from branchwise.common.errors import SettingsError
from branchwise.common.one_search import OneSearch
from branchwise.pictures.simulation_report import Simulation
from branchwise.rules.facts.facts import check_searchable, copied
from branchwise.search.results.result import SearchResult
from branchwise.search.run.background_search import RunningSearch
from branchwise.search.run.belief_root import BeliefSearch
from branchwise.search.run.information_set import InformationSetSearch
from branchwise.search.run.observer_search import ObserverSearch
from branchwise.search.run.run import Conduct, Run
from branchwise.search.run.state_search import Progress, StateSearch, check_settings
from branchwise.search.session.search_session import Session
from branchwise.search.session.steering import Moves, Wishes
from branchwise.search.settings.budget import MAX_SIMULATIONS, Budget
from branchwise.search.settings.clock import Clock
from branchwise.search.settings.selection import SelectionRule
from branchwise.search.settings.settings import Settings, planned_facts

if TYPE_CHECKING:
    from pathlib import Path

    from branchwise.game.rules_class import Game
    from branchwise.networks.network import Network
    from branchwise.search.trace.stepping import Stepper
    from branchwise.search.trace.walkthrough import Walkthrough

_OBSERVERS: tuple[type[ObserverSearch], ...] = (InformationSetSearch, BeliefSearch)
"""Searches of what is given in place of a state."""


class MCTS(OneSearch):
    """Monte Carlo Tree Search.

    Selection:

    selection : None: "ucb1", or "puct" with a network. "ucb1" or "uct", "ucb1_tuned", "sp_mcts", "puct",
    "rave", "grave", "progressive_bias", "progressive_history", "thompson", one of these with options such as
    "rave(bias=0.02)", a `SelectionRule`, or a function of (child, parent, options) that returns a score.
    `core.simulation.selection_rules` has formulas and sources. c : weight of exploration, from 0, for returns
    scaled to [0, 1]; None: the selection rule's default, 0.7 for UCB1. Theory gives sqrt(2); smaller values
    usually play better. scale : the returns that selection scales to 0 and 1. "bounds": the game's min_return
    and max_return; "seen": the least and the greatest return that the player to move got in this search;
    "auto": "seen" if the bounds are more than 2 apart, else "bounds". repeat : most simulations in a row that
    follow one choice: a child chosen with n visits is followed min(n / 64, repeat) times before its parent's
    children are scored again, by threads that share a tree min(n / 16, 4 * repeat) times (see
    `core.simulation.repeat_choice`). 1: every simulation scores anew, as textbooks have it; that is slower.
    first_play : first-play urgency, in [0, 1]: the score assumed for an unvisited action, or, for a rule that
    scores such actions, their assumed value; "parent": they count as visited once with the mean of the
    visited actions, or, for such a rule, have that mean as value; None: every action is visited once before
    any is visited again, or "parent" for such a rule. widening, widening_power : only the first widening *
    visits ** widening_power actions of a node are considered: those with the highest priors if the game has
    `prior`, otherwise random ones; None: all. Coulom, "Computing Elo ratings of move patterns in the game of
    Go", 2007. With continuous actions this is the number of actions tried, and None means 1.0 (see
    `core.descents.continuous_actions`). refinement : share, 0 to 1, of new continuous actions that are drawn
    near the best so far. outcome_widening, outcome_widening_power : an action is followed into at most
    outcome_widening * visits ** outcome_widening_power of its outcomes, as they are drawn (see
    `core.descents.drawn_outcomes`); None: into all. Needs chance and a closed loop. max_depth : nodes this
    many moves below the root are not expanded; None: no such limit. With 1 this is flat Monte Carlo.

    Playouts:

    playout : how moves are chosen: "uniform", "mast", "nst", "last_good_reply", or "game" (the game's
    `playout_action`). The middle three take an option, as in "mast(epsilon=0.2)": the share of uniform
    moves. The prefix "decisive+" takes immediate wins; "anti_decisive+" also prevents the next player's;
    each can stand alone. None: the game's default, usually "uniform".
    cutoff : moves after which a playout ends in the game's `evaluate`, from 0; None: never, or the game's
    `playout_cutoff` if `playout` is not given either.
    playouts : playouts per leaf, from 1; a simulation returns their mean.

    evaluator : says what leaves are worth, in place of playouts: a function of a list of B states that are
    not over, each a copy of its own, which returns their values [B, players], or a tuple of values and prior
    weights of actions [B, num_actions], at least 0, for rules that read priors, such as "puct". Leaves are
    expanded when they are evaluated. Raises `EvaluatorError`. Silver et al., "Mastering chess and shogi by
    self-play with a general reinforcement learning algorithm", 2017.
    batch_size : leaves that the evaluator is given at once, 1 to 65,536. Simulations under way count as
    losses, so larger batches choose less well.
    network : the same as compiled code: a `Network`, or the path of a file that `branchwise train` wrote. It
    values each leaf and weighs its actions, once a simulation; see `core.networks.evaluate`. For games of two
    players in turns who see everything, without chance. Raises `SettingsError` for a network of another game.

    Backup:

    backup : a node's value: "mean", the mean of its simulations; "power", the power mean of its children with
    exponent `power`; "max", the value of its most visited child. With transpositions the last two soon find
    the shortest way in problems of one player without chance; they need a greater `c`, such as 1.4.
    implicit_minimax : share, 0 to 1, of the game's `evaluate`, passed up by minimax, in a node's value.
    proofs : whether results of finished games are passed up the tree as proven bounds (see
    `core.backup.prove`): solved actions are not searched again, and the search ends when its root is solved.
    Needs two players with returns of a constant sum, or one player; with more players, only a win in one move
    is proven. If the game does not declare its `utility`, the search tries proofs, and begins again without
    them when returns do not have a constant sum. paranoid : whether all other players are assumed to play
    against the player at the root instead of each for themselves (see `core.backup.paranoid`). Nothing is
    proven then. Values of the others are the negated values of the root player. perfect_information : whether
    a game with hidden information may be searched as if all players saw everything. Such a search cheats: its
    moves depend on what the player to move cannot see. Without it a state of such a game is refused; give
    what the player knows, an `InformationState`, in its place. open_loop : whether a node stands for the
    decisions that lead to it, whatever chance made of them (see `core.descents.open_loop`). None: only if
    chance can only be sampled. False: then, too, each state that an action led to has a node, identified by
    its content (see `core.descents.drawn_outcomes`). transpositions : whether equal states share one node
    (see `core.backup.transpositions`). Cannot be combined with `implicit_minimax`.

    Simultaneous moves:

    joint : how players choose where all move at once (see `core.descents.joint_moves`): "decoupled_uct",
    "exp3" or "regret_matching"; the last two take an option, as in "exp3(gamma=0.1)": the share of uniform
    play. Decoupled UCT uses the selection rule. Results are `JointResult`s. See docs/simultaneous-moves.md.

    Choice:

    choice : what makes an action the best: "visits", "value", or "secure", its lower confidence bound.
    spread : whether the result gives the distribution of each action's returns (`Child.spread`). In games of
    chance nothing is proven then, because proofs replace returns by means.
    risk : quantile, 0 to 1, of the returns by which actions at the root are compared: with 0.1 the best
    action is the one with the greatest return that nine of ten simulations reach. None: by `choice`.
    Simulations still follow means, except that `halving` uses the quantile, too. Nothing is proven.
    early_stop : end a search when no action can catch up with the most visited one.
    halving : divide the budget among the root's actions by sequential halving (see `search.run.halving`).
    rollout : whether the search is a rollout policy (see `search.run.rollouts`): each action is followed by
    playouts of the class's `playout_action`, all on common random numbers, and one is chosen in place of the
    rule's only if it is better beyond doubt. No tree grows. None: for a problem with chance of one player
    whose class has `playout_action`, if no setting but `seed`, `memory_mb` and `compiled` is given.

    Means:

    threads : 1 to 256; for rules in plain Python they are processes, which the first search starts and
    `close` ends.   parallel : "tree", one tree for all; "root", a tree for each, with statistics added up;
    "leaf", all play out the same leaf; None: "tree", or "root" for processes, which support nothing else.
    memory_mb : most memory for the tree, in units of 2**20 bytes; the search of a full tree continues
    without growing it.
    seed : any integer; the same seed and budget in simulations give the same tree, except when several
    threads share a tree. None: a new one for every search, reported in the result.
    compiled : True: refuse states whose rules cannot be compiled; False: never compile; None: compile the
    rules of every `Game`; "meanwhile": the same, but while code is being compiled search in plain Python,
    slowly, and continue with the same tree when it is ready; "loaded": use code that was compiled earlier,
    otherwise plain Python. The last two need one thread, no transpositions and no drawn outcomes in a closed
    loop: other searches compile first.

    Raises `SettingsError` for a value outside its range and for settings that contradict each other,
    `UnknownNameError` for an unknown rule. A copied or pickled planner keeps the settings but no tree;
    results and their trees are copied and pickled whole.

    >>> import branchwise as bw
    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> result = bw.MCTS(seed=7).search(TicTacToe.from_actions(["a1", "b2", "a2"]), simulations=5000)
    >>> result.action_text(result.best_action)
    'a3'
    """

    _of_searches = (*OneSearch._of_searches, "_states")

    def __init__(
        self,
        *,
        selection: str | SelectionRule | Callable[[Any, Any, Any], float] | None = None,
        c: float | None = None,
        repeat: int = 16,
        first_play: float | str | None = None,
        widening: float | None = None,
        widening_power: float = 0.5,
        refinement: float = 0.5,
        outcome_widening: float | None = None,
        outcome_widening_power: float = 0.5,
        max_depth: int | None = None,
        scale: str = "auto",
        playout: str | None = None,
        cutoff: int | None = None,
        playouts: int = 1,
        backup: str = "mean",
        power: float = 2.0,
        implicit_minimax: float = 0.0,
        proofs: bool = True,
        paranoid: bool = False,
        perfect_information: bool = False,
        transpositions: bool = False,
        open_loop: bool | None = None,
        joint: str = "decoupled_uct",
        choice: str = "visits",
        spread: bool = False,
        risk: float | None = None,
        early_stop: bool = False,
        halving: bool = False,
        rollout: bool | None = None,
        evaluator: Callable[[list[Any]], Any] | None = None,
        batch_size: int = 1,
        network: Network | str | Path | None = None,
        threads: int = 1,
        parallel: str | None = None,
        memory_mb: float = 1024,
        seed: int | None = None,
        compiled: bool | str | None = None,
    ) -> None:
        given = dict(locals())
        del given["self"]
        if selection is None:
            given["selection"] = "ucb1" if network is None else "puct"
        self.settings = Settings(**given)
        self._begin()

    @classmethod
    def for_game(
        cls, game: type[Game] | Game | str, *, file: str | Path | None = None, **overrides: Any
    ) -> Self:
        """Return a planner with the settings that suit `game`, as `branchwise tune` found them.

        game : a class, one of its states, or a text form.   file : of the settings; None: the game's own.
        overrides : settings of `MCTS` that take precedence. If `selection` is given, a weight `c` that was
        found for another rule is not used. If tuning found nothing that is better than the defaults, these
        are the settings.

        Raises `SettingsError` if the game has not been tuned, if its rules have changed since, and for a file
        that is damaged or has settings that this version does not know.

        >>> import branchwise as bw
        >>> planner = bw.MCTS.for_game("hex", seed=1)
        >>> planner.settings.selection, planner.settings.seed
        ('grave', 1)
        """
        from branchwise.search.settings.tuned import load_tuned

        return cls(**load_tuned(game, file).overridden(overrides, planner=True))

    def _begin(self) -> None:
        """Start with no search to continue."""
        super()._begin()
        self._states = StateSearch(self.settings.threads, self.settings.memory_mb)

    @property
    def seed(self) -> int | None:
        """The seed of every new search; None: a new one each time."""
        return self.settings.seed

    @seed.setter
    def seed(self, value: int | None) -> None:
        self.settings = replace(self.settings, seed=value)

    def __repr__(self) -> str:
        return f"branchwise.MCTS({', '.join(f'{k}={v!r}' for k, v in self.settings.changed.items())})"

    def check_game(self, game: type[Game]) -> None:
        """Raise what `search` raises for settings that no search of `game` can have.

        These are settings that need a rule which the game does not have, such as `cutoff` without `evaluate`,
        or that its searches do not support. Nothing is compiled.

        >>> import branchwise as bw
        >>> from branchwise.games.nim import Nim
        >>> bw.MCTS(cutoff=3).check_game(Nim)
        Traceback (most recent call last):
        branchwise.common.errors.GameError: cutoff needs a rule that nim does not have: evaluate...
        """
        shown = (kind for kind in _OBSERVERS if kind.is_shown(game) and not self.settings.perfect_information)
        check = next((kind.check for kind in shown), check_settings)
        check(game, self.settings)

    def search(
        self,
        state: Any,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        max_nodes: int | None = None,
        clock: Clock | None = None,
        progress: Progress | None = None,
        among: Iterable[int | str] | str | int | None = None,
        avoid: Mapping[tuple[int, int | str], int] | None = None,
        at_least: Mapping[Moves, int] | None = None,
    ) -> SearchResult:
        """Search from `state` until the first of the given limits is reached; `state` is not changed.

        In a game with hidden information, `state` is what the player to move knows, an `InformationState`:
        see `core.descents.one_observer`. Nothing is kept for the next search then.

        Limits are those of `Budget`; `clock` gives the seconds by `Clock.seconds`; time spent on compiling
        the rules and starting processes does not count. After `advance` to this state the search continues
        its tree, and limits are for what is added. `progress` is called about ten times a second with the
        result so far, less often if that would take more than 2 % of a CPU.
        Ctrl-C and `stop()` end the search early; it still returns its result.

        among : the only actions, or their texts, to consider at the root.   avoid : by player and action,
        within how many moves from the root it is not considered, such as {(0, "d1"): 1}.   at_least : by line
        of moves, such as "d1 e1" or ("d1", "e1"), the visits that it gets before the search goes on as usual;
        the best action is then the one with the highest lower bound. See docs/searching.md, Steering.

        Raises `SettingsError` for an invalid budget; `GameError` for a finished game, and for rules that
        break their contract or lack a method that the settings need. With processes also raises
        `SettingsError` for a state that cannot be sent to a process, and `WorkerError` if a process cannot be
        started or dies; an exception of the rules in a process is raised here, with the traceback there as
        its cause.
        """
        budget = _budget(simulations, seconds, max_nodes, clock)
        with self._searching():
            return self._search(state, Conduct(budget, self._stop, progress), Wishes(among, avoid, at_least))

    def start(
        self,
        state: Any,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        max_nodes: int | None = None,
        clock: Clock | None = None,
        progress: Progress | None = None,
        among: Iterable[int | str] | str | int | None = None,
        avoid: Mapping[tuple[int, int | str], int] | None = None,
        at_least: Mapping[Moves, int] | None = None,
    ) -> RunningSearch:
        """Start a search in the background and return it; limits are those of `search`, or none.

        >>> import branchwise as bw
        >>> from branchwise.games.connect_four import ConnectFour
        >>> thinking = bw.MCTS(seed=1).start(ConnectFour())
        >>> thinking.stop().ended_by
        'stopped'
        """
        if all(limit is None for limit in (simulations, seconds, max_nodes, clock)):
            budget = Budget(simulations=MAX_SIMULATIONS)
        else:
            budget = _budget(simulations, seconds, max_nodes, clock)
        kind = _observer_search(state)
        if kind is None:
            check_searchable(state, planned_facts(state, self.settings))
            state = copied(state)
        else:
            state = kind(state, self.settings).known
        wishes = Wishes(among, avoid, at_least)
        exclusive = self._searching()
        return RunningSearch(
            lambda between: self._search(state, Conduct(budget, self._stop, progress, between), wishes),
            self.stop,
            exclusive,
        )

    def steps(
        self,
        state: Any,
        *,
        simulations: int = 8,
        after: int = 0,
        among: Iterable[int | str] | str | int | None = None,
        avoid: Mapping[tuple[int, int | str], int] | None = None,
    ) -> Iterator[Simulation]:
        """Yield simulations one by one, each with a report of its phases; `state` is not changed.

        simulations : how many, from 1; fewer if the root is solved.   after : how many to run before the
        first one reported, from 0.   among, avoid : as in `search`. The tree is that of `search` with the
        same settings and seed, node for node; the rules run in plain Python.

        Before the first simulation, raises what `search` raises, and `SettingsError` for several threads or
        halving, which cannot be shown step by step, and for a search that ends before `after`.

        >>> import branchwise as bw
        >>> from branchwise.games.tic_tac_toe import TicTacToe
        >>> state = TicTacToe.from_actions(["b2", "a1", "c3", "a3"])
        >>> for done in bw.MCTS(seed=1).steps(state, simulations=2):
        ...     print(done.number, done.expansion.line, done.playout.returns)
        1 ('c2',) (-1.0, 1.0)
        2 ('b3',) (-1.0, 1.0)
        """
        _, stepper, count = self._stepping(state, simulations, after, Wishes(among, avoid))
        return (done for _ in range(count) if (done := stepper.step()) is not None)

    def walkthrough(
        self,
        state: Any,
        *,
        simulations: int = 8,
        after: int = 0,
        among: Iterable[int | str] | str | int | None = None,
        avoid: Mapping[tuple[int, int | str], int] | None = None,
    ) -> Walkthrough:
        """Return the simulations of `steps` as an explained walk-through: text, pictures, or a page.

        Raises what `steps` raises, and `SettingsError` for transpositions, whose graph cannot be drawn as a
        tree.
        """
        from branchwise.search.trace.walkthrough import Walkthrough

        if self.settings.transpositions:
            raise SettingsError(
                "with transpositions there is no tree to walk through", mend="leave transpositions out"
            )
        return Walkthrough.of(*self._stepping(state, simulations, after, Wishes(among, avoid)))

    def advance(self, action: Any, *, state: Any = None) -> bool:
        """Play `action`, of any player, at the root of the last search, and keep the subtree below it.

        The next search continues from there if it starts at the state reached; `carry_on` does the same
        without a move. The subtree moves to the front of the tree's memory; earlier results do not change,
        see `SearchResult.tree`. Returns whether anything was kept: nothing is before the first search, after
        an action that was never expanded, in games in which players move at once, after a vector that was
        never tried, after an outcome that was never drawn, after a search that left actions out, and in an
        open loop with random moves, whose nodes are means over what may happen. state : the state that the
        action led to; needed for a simulator, where the action does not determine it.

        >>> import branchwise as bw
        >>> from branchwise.games.connect_four import ConnectFour
        >>> planner, state = bw.MCTS(seed=1), ConnectFour()
        >>> action = planner.search(state, simulations=1000).best_action
        >>> planner.advance(action)
        True
        >>> state.apply_action(action)
        >>> planner.search(state, simulations=1000).tree.root.visits > 1000
        True
        """
        with self._searching():
            return self._states.advance(action, state)

    def carry_on(self, memory_mb: float | None = None) -> bool:
        """Let the next search, if it starts at the same state, continue the last one's tree.

        A search can thus be paused by `stop` and resumed; limits are for what is added. Returns whether there
        is a tree to continue. Earlier results do not change, and their trees can be read.
        memory_mb : most memory for the tree from now on; a tree that is already larger keeps its size.
        It grows in place up to the `memory_mb` that the planner was made with, and is copied beyond.

        >>> import branchwise as bw
        >>> from branchwise.games.connect_four import ConnectFour
        >>> planner = bw.MCTS(seed=1)
        >>> planner.carry_on(), planner.search(ConnectFour(), simulations=1000).tree.root.visits
        (False, 1000)
        >>> planner.carry_on(), planner.search(ConnectFour(), simulations=500).tree.root.visits
        (True, 1500)
        """
        with self._searching():
            if memory_mb is not None:
                self.settings = replace(self.settings, memory_mb=memory_mb)
            return self._states.carry_on()

    def forget(self) -> None:
        """Discard the tree of the last search; its result does not change."""
        with self._searching():
            self._states.forget()

    def close(self) -> None:
        """End the planner's processes, which it has for rules in Python and several threads, and forget the
        search.

        They also end with the planner or the program. Results do not change; another search starts new
        processes. A planner is a context manager: `with bw.MCTS(threads=4) as planner:` closes it.
        """
        with self._searching():
            self._states.close()

    def __enter__(self) -> MCTS:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _search(self, state: Any, conduct: Conduct, wishes: Wishes) -> SearchResult:
        kind = _observer_search(state)
        if kind is None:
            return self._states.search(state, self.settings, conduct, wishes)
        self._states.forget()
        return kind(state, self.settings, wishes).run(
            conduct.budget, lambda session, started: Run(session, conduct, started).to_end()
        )

    def _stepping(
        self, state: Any, simulations: int, after: int, wishes: Wishes
    ) -> tuple[Session, Stepper, int]:
        """Return a session, the stepper for its simulations from `after` on, and how many these are."""
        from branchwise.search.trace.search_ahead import rehearsed

        if _observer_search(state) not in (None, InformationSetSearch):
            raise SettingsError(
                f"a search of {state.name} from a belief cannot be shown one simulation at a time",
                mend="search it, and look at the result",
            )
        return rehearsed(state, self.settings, simulations, after, wishes)


def _budget(
    simulations: int | None, seconds: float | None, max_nodes: int | None, clock: Clock | None
) -> Budget:
    if clock is not None:
        seconds = clock.seconds if seconds is None else min(seconds, clock.seconds)
    return Budget(simulations, seconds, max_nodes)


def _observer_search(state: Any) -> type[ObserverSearch] | None:
    """Return the kind of search for what an observer knows; None if a state is given."""
    return next((kind for kind in _OBSERVERS if isinstance(state, kind.searches)), None)
