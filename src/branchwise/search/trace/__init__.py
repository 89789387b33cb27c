"""Running simulations one at a time with a report of each phase: the stepper and the walk-through."""
