"""What kernels are made with: the compiler, decorators, atomic operations, requests to stop, status codes.

The lowest room of `core`; every kernel may import it.
"""
