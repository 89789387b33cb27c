"""Branchwise: Monte Carlo Tree Search. Rules in Python, search at C speed.

Names are loaded on first use, so importing the package costs nothing.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from branchwise.common.moved_modules import OldPaths

__version__ = "0.2.0"

if TYPE_CHECKING:
    from branchwise.arena.cluster.choice import on_executor as on_executor
    from branchwise.arena.match import Match as Match
    from branchwise.arena.match_result import MatchResult as MatchResult
    from branchwise.arena.statistics.sprt import Sprt as Sprt
    from branchwise.arena.store.store import Store as Store
    from branchwise.arena.tournament import Tournament as Tournament
    from branchwise.arena.tournament_result import TournamentResult as TournamentResult
    from branchwise.arena.tuning.calibrate import Calibration as Calibration
    from branchwise.arena.tuning.for_game import Tuning as Tuning
    from branchwise.arena.tuning.for_game import TuningResult as TuningResult
    from branchwise.arena.tuning.sweep import Sweep as Sweep
    from branchwise.arena.tuning.sweep import SweepResult as SweepResult
    from branchwise.arena.tuning.tune import Tuner as Tuner
    from branchwise.arena.tuning.tune import TuneResult as TuneResult
    from branchwise.bots import bot_names as bot_names
    from branchwise.bots import load_bot as load_bot
    from branchwise.bots import register_bot as register_bot
    from branchwise.bots.base.bot import Bot as Bot
    from branchwise.bots.strength.level import level_bot as level_bot
    from branchwise.bots.strength.levels_file import Ladder as Ladder
    from branchwise.bots.strength.levels_file import load_ladder as load_ladder
    from branchwise.common.errors import ActionError as ActionError
    from branchwise.common.errors import BranchwiseError as BranchwiseError
    from branchwise.common.errors import EngineError as EngineError
    from branchwise.common.errors import EvaluatorError as EvaluatorError
    from branchwise.common.errors import GameError as GameError
    from branchwise.common.errors import MatchError as MatchError
    from branchwise.common.errors import ResignedError as ResignedError
    from branchwise.common.errors import ResultsError as ResultsError
    from branchwise.common.errors import SettingsError as SettingsError
    from branchwise.common.errors import StoreError as StoreError
    from branchwise.common.errors import TreeFileError as TreeFileError
    from branchwise.common.errors import UnknownNameError as UnknownNameError
    from branchwise.common.errors import WorkerError as WorkerError
    from branchwise.common.players import CHANCE as CHANCE
    from branchwise.common.players import NO_ACTION as NO_ACTION
    from branchwise.common.players import SIMULTANEOUS as SIMULTANEOUS
    from branchwise.common.players import TERMINAL as TERMINAL
    from branchwise.equilibrium.exploitability import best_response as best_response
    from branchwise.equilibrium.exploitability import expected_returns as expected_returns
    from branchwise.equilibrium.exploitability import exploitability as exploitability
    from branchwise.equilibrium.exploitability import nash_conv as nash_conv
    from branchwise.equilibrium.matrix import MatrixSolution as MatrixSolution
    from branchwise.equilibrium.matrix import solve_matrix_game as solve_matrix_game
    from branchwise.equilibrium.policy import Policy as Policy
    from branchwise.game.kinds.fields import Array as Array
    from branchwise.game.kinds.fields import Private as Private
    from branchwise.game.kinds.fields import Secret as Secret
    from branchwise.game.kinds.random_numbers import Random as Random
    from branchwise.game.rules_class import Game as Game
    from branchwise.games import game_names as game_names
    from branchwise.games import load_game as load_game
    from branchwise.games import register_game as register_game
    from branchwise.information_sets.multi_observer import MOISMCTS as MOISMCTS
    from branchwise.information_sets.outcome_sampling import OOS as OOS
    from branchwise.information_sets.result import InformationSetResult as InformationSetResult
    from branchwise.interop.bridges import from_openspiel as from_openspiel
    from branchwise.interop.bridges import from_pettingzoo as from_pettingzoo
    from branchwise.interop.bridges import to_openspiel as to_openspiel
    from branchwise.interop.bridges import to_pettingzoo as to_pettingzoo
    from branchwise.learning.train import Training as Training
    from branchwise.learning.train import train as train
    from branchwise.optimise.best_lines import BestLine as BestLine
    from branchwise.optimise.best_lines import BestLines as BestLines
    from branchwise.optimise.late_acceptance import LateAcceptance as LateAcceptance
    from branchwise.optimise.nested import NestedSearch as NestedSearch
    from branchwise.optimise.nrpa import NRPA as NRPA
    from branchwise.optimise.portfolio import Portfolio as Portfolio
    from branchwise.optimise.result import OptimisationResult as OptimisationResult
    from branchwise.pictures.simulation_report import Simulation as Simulation
    from branchwise.problems.decision_process import from_matrices as from_matrices
    from branchwise.rules.facts.game_type import GameType as GameType
    from branchwise.rules.facts.game_type import game_type as game_type
    from branchwise.rules.knowledge.information import InformationState as InformationState
    from branchwise.rules.playthrough.playthrough import Playthrough as Playthrough
    from branchwise.search.determinized import PIMC as PIMC
    from branchwise.search.determinized import PIMCResult as PIMCResult
    from branchwise.search.planner import MCTS as MCTS
    from branchwise.search.results.joint_result import JointResult as JointResult
    from branchwise.search.results.result import Child as Child
    from branchwise.search.results.result import SearchResult as SearchResult
    from branchwise.search.run.background_search import RunningSearch as RunningSearch
    from branchwise.search.session.belief import Belief as Belief
    from branchwise.search.settings.clock import Clock as Clock
    from branchwise.search.settings.move_limit import Limit as Limit
    from branchwise.search.settings.selection import SelectionRule as SelectionRule
    from branchwise.search.settings.tuned import TunedSettings as TunedSettings
    from branchwise.search.settings.tuned import load_tuned as load_tuned
    from branchwise.search.trace.walkthrough import Walkthrough as Walkthrough
    from branchwise.search.tree.load_tree import load_tree as load_tree
    from branchwise.search.tree.view import Node as Node
    from branchwise.search.tree.view import SearchTree as SearchTree
    from branchwise.solving.solve import Solution as Solution
    from branchwise.solving.solve import solve as solve
    from branchwise.solving.state_policy import StatePolicy as StatePolicy

_HOMES = {
    "ActionError": "common.errors",
    "Array": "game.kinds.fields",
    "Belief": "search.session.belief",
    "BestLine": "optimise.best_lines",
    "BestLines": "optimise.best_lines",
    "Bot": "bots.base.bot",
    "BranchwiseError": "common.errors",
    "CHANCE": "common.players",
    "Calibration": "arena.tuning.calibrate",
    "Child": "search.results.result",
    "Clock": "search.settings.clock",
    "EngineError": "common.errors",
    "EvaluatorError": "common.errors",
    "Game": "game.rules_class",
    "GameError": "common.errors",
    "GameType": "rules.facts.game_type",
    "InformationSetResult": "information_sets.result",
    "InformationState": "rules.knowledge.information",
    "JointResult": "search.results.joint_result",
    "Ladder": "bots.strength.levels_file",
    "Limit": "search.settings.move_limit",
    "MCTS": "search.planner",
    "MOISMCTS": "information_sets.multi_observer",
    "Match": "arena.match",
    "MatchError": "common.errors",
    "MatchResult": "arena.match_result",
    "MatrixSolution": "equilibrium.matrix",
    "NO_ACTION": "common.players",
    "NRPA": "optimise.nrpa",
    "Portfolio": "optimise.portfolio",
    "LateAcceptance": "optimise.late_acceptance",
    "NestedSearch": "optimise.nested",
    "Node": "search.tree.view",
    "OOS": "information_sets.outcome_sampling",
    "OptimisationResult": "optimise.result",
    "PIMC": "search.determinized",
    "PIMCResult": "search.determinized",
    "SIMULTANEOUS": "common.players",
    "Playthrough": "rules.playthrough.playthrough",
    "Policy": "equilibrium.policy",
    "Private": "game.kinds.fields",
    "Random": "game.kinds.random_numbers",
    "ResignedError": "common.errors",
    "ResultsError": "common.errors",
    "RunningSearch": "search.run.background_search",
    "SearchResult": "search.results.result",
    "SearchTree": "search.tree.view",
    "Secret": "game.kinds.fields",
    "SelectionRule": "search.settings.selection",
    "SettingsError": "common.errors",
    "Simulation": "pictures.simulation_report",
    "Solution": "solving.solve",
    "Sprt": "arena.statistics.sprt",
    "StatePolicy": "solving.state_policy",
    "Store": "arena.store.store",
    "StoreError": "common.errors",
    "Sweep": "arena.tuning.sweep",
    "SweepResult": "arena.tuning.sweep",
    "TERMINAL": "common.players",
    "Tournament": "arena.tournament",
    "TournamentResult": "arena.tournament_result",
    "TreeFileError": "common.errors",
    "TuneResult": "arena.tuning.tune",
    "TunedSettings": "search.settings.tuned",
    "Training": "learning.train",
    "Tuner": "arena.tuning.tune",
    "Tuning": "arena.tuning.for_game",
    "TuningResult": "arena.tuning.for_game",
    "UnknownNameError": "common.errors",
    "Walkthrough": "search.trace.walkthrough",
    "WorkerError": "common.errors",
    "best_response": "equilibrium.exploitability",
    "bot_names": "bots",
    "expected_returns": "equilibrium.exploitability",
    "exploitability": "equilibrium.exploitability",
    "from_matrices": "problems.decision_process",
    "from_openspiel": "interop.bridges",
    "from_pettingzoo": "interop.bridges",
    "game_names": "games",
    "game_type": "rules.facts.game_type",
    "level_bot": "bots.strength.level",
    "load_bot": "bots",
    "load_game": "games",
    "load_ladder": "bots.strength.levels_file",
    "load_tree": "search.tree.load_tree",
    "load_tuned": "search.settings.tuned",
    "nash_conv": "equilibrium.exploitability",
    "on_executor": "arena.cluster.choice",
    "register_bot": "bots",
    "register_game": "games",
    "solve": "solving.solve",
    "solve_matrix_game": "equilibrium.matrix",
    "to_openspiel": "interop.bridges",
    "to_pettingzoo": "interop.bridges",
    "train": "learning.train",
}

__all__ = sorted(_HOMES)

sys.meta_path.append(OldPaths())


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'branchwise' has no attribute {name!r}")
    from importlib import import_module

    from branchwise.common.gc_pause import rare_collections

    with rare_collections():
        module = import_module(f"branchwise.{home}")
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
