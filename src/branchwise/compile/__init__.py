"""From a rules class to machine code: the state's native type, and kernels kept on disk."""
