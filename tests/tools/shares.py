"""Parameters of which `python -m pytest` takes a share. `-m ""` takes all of them."""

import pytest


def one_in(step, values, first=0):
    """`values`, of which one in `step` is quick, from number `first` on. The others are marked as slow."""
    return [value if number % step == first else _slow(value) for number, value in enumerate(values)]


def _slow(value):
    """A parameter, or those of a tuple, for `-m ""` alone."""
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
