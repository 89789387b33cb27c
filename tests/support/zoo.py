"""PettingZoo's own tests; importing them imports one of its boards in a way that it warns of."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

__all__ = ["api_test", "parallel_api_test", "parallel_seed_test", "seed_test"]
