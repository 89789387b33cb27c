"""Statistics of results: scores, Elo, ratings, sequential tests and mean returns, with their uncertainty."""
