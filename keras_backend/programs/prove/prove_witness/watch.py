"""Calls an action after each import of the program that is complete, on Python 2 and 3."""

import sys
import threading

try:
    import builtins
except ImportError:  # Python 2
    import __builtin__ as builtins


def after_imports(action):
    """Call an action after each import statement that is not inside of another."""
    original = builtins.__import__
    inside = threading.local()

    def importing(*args, **kwargs):
        inside.depth = getattr(inside, 'depth', 0) + 1
        try:
            return original(*args, **kwargs)
        finally:
            inside.depth -= 1
            if not inside.depth and sys.exc_info()[0] is None:
                inside.depth += 1
                try:
                    action()
                finally:
                    inside.depth -= 1

    builtins.__import__ = importing


def complete(name):
    """The module of this name if its import has ended, else None."""
    module = sys.modules.get(name)
    spec = getattr(module, '__spec__', None)
    return None if module is None or getattr(spec, '_initializing', False) else module
