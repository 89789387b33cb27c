"""Playing games, in processes of their own: the referee, clocks, and what ties a process to the arena."""
