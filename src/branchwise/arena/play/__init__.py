"""Playing games in separate processes: the referee, clocks, and communication with the arena."""
