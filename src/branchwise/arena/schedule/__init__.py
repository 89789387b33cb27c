"""Which games are to be played: openings, seats, pairings, brackets; settled before any is begun."""
