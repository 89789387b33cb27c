"""Rules of games: their facts, their contract, and their faults, reported with the moves that lead there."""
