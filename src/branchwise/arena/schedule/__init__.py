"""Which games are played: openings, seats, pairings and brackets, all decided before a game begins."""
