"""Rules of games: facts about them, the contract that they keep, and faults of theirs, told with moves."""
