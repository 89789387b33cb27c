"""Many matches for one question: sweeps, the tuner, and the measuring of levels."""
