"""Operations of a function as an expression or as statements of Python, step by step.

`execution` makes expressions of each block of operations, `reduction` joins blocks to conditional expressions and
comprehensions, `structure` makes statements of those that are left, and `writing` gives their text.
"""

from . import values

__all__ = ['calls', 'values']
