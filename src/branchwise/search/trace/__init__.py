"""Simulations one at a time, with what each phase did: the stepper and the walk-through."""
