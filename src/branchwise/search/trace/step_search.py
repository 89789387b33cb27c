"""A search that runs one simulation at a time, on demand."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from branchwise.common.errors import SettingsError
from branchwise.core.machine.kernel_status import Status
from branchwise.pictures.simulation_report import Simulation
from branchwise.rules.checking.diagnosis import RULE_ERRORS, fault_error, raised_error
from branchwise.rules.facts.facts import check_searchable, copied
from branchwise.rules.facts.game_type import declared_sum, proofs_hold
from branchwise.search.composition.composition import Composition
from branchwise.search.run.run import NotConstantSumError
from branchwise.search.session.search_session import Session
from branchwise.search.settings.budget import MAX_SIMULATIONS, Budget
from branchwise.search.settings.settings import Settings, planned_facts
from branchwise.search.trace.stepper_choice import stepper_for
from branchwise.search.trace.stepping import Seen
from branchwise.search.tree.view import SearchTree


class StepSearch:
    """Runs simulations of one root one at a time, and reports each; see `MCTS.steps`.

    settings : of the planner. The rules run in plain Python. Raises what `MCTS.steps` raises for the settings
    and the state.

    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> steps = StepSearch(TicTacToe(), Settings(seed=1))
    >>> steps.step().number, steps.step().number, steps.tree.root.visits
    (1, 2, 2)
    """

    def __init__(self, state: Any, settings: Settings) -> None:
        if settings.threads > 1 or settings.halving or settings.rollout:
            what = "several threads" if settings.threads > 1 else "halving" if settings.halving else "rollout"
            raise SettingsError(f"with {what} simulations cannot be shown one by one", mend="leave it out")
        self._facts = planned_facts(state, settings)
        check_searchable(state, self._facts)
        self._state = copied(state)
        self.seed = secrets.randbits(53) if settings.seed is None else settings.seed
        self._settings = replace(settings, compiled=False)
        self._done = 0
        self._begin(proofs=settings.proofs and proofs_hold(state, self._facts))

    def step(self) -> Simulation | None:
        """Run one simulation and return its report; None if the root is solved.

        If the game does not declare its `utility` and returns turn out not to have a constant sum, the search
        begins again without proofs and repeats the simulations so far. Raises `GameError` for a fault of the
        rules.
        """
        while True:
            try:
                done = self._stepper.step()
            except NotConstantSumError:
                if declared_sum(self._state, self._facts) is not None:
                    path = self._stepper.path_to_fault()
                    raise fault_error(self._state, self._facts, Status.NOT_CONSTANT_SUM, path) from None
                self._facts = replace(self._facts, opposed=False)
                self._begin(proofs=False)
                self._stepper.run(self._done)
            except RULE_ERRORS as error:
                raise raised_error(self._state, self._facts, error) from error
            else:
                self._done += done is not None
                return done

    def seen(self, leaf: int) -> Seen:
        """Return the states of the last simulation; see `Stepper.seen`."""
        return self._stepper.seen(leaf)

    @property
    def composition(self) -> Composition:
        """The composition of the settings for this game."""
        return self._session.composition

    @property
    def tree(self) -> SearchTree:
        """The tree as it is now."""
        search = self._stepper.search
        return SearchTree(search.tree, self._state, self._facts, self.seed, self._done, search=search)

    def _begin(self, *, proofs: bool) -> None:
        budget = Budget(MAX_SIMULATIONS)
        self._session = Session(self._state, self._facts, self._settings, budget, self.seed, proofs=proofs)
        self._stepper = stepper_for(self._state, self._session.runner.searches[0])
