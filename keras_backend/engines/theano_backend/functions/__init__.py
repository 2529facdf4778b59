"""`K.function`: how graphs are rewritten, compiled and called."""

from importlib import import_module

from ..vendor import NAME

# Rewritings that make True of x <= x, x >= x and x == x, and False of x != x. Of NaN that is wrong.
NOT_OF_NAN = ('local_useless_elemwise_comparison', 'local_useless_elemwise')

_modes = import_module('.modes' if NAME == 'Theano' else '.pytensor_modes', __name__)
default_mode, mode_to_run_once = _modes.default_mode, _modes.mode_to_run_once
