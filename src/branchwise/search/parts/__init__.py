"""The parts of a composition: for each concern its kernels, numbers and memory, one a file."""
