"""What results tell: scores, Elo, ratings, sequential tests, mean returns, each with how sure it is."""
