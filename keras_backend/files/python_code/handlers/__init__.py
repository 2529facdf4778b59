"""What each operation does to the frame of a function.

What is allowed, and how much of it, is decided in `values`, `operators` and `limits`.
"""

from . import containers, functions, jumps, variables
from .table import HANDLERS

__all__ = ['HANDLERS', 'containers', 'functions', 'jumps', 'variables']
