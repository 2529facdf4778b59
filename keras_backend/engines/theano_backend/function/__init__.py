"""`K.function`: how graphs are rewritten, compiled and called."""

from importlib import import_module

from ..library import NAME

_modes = import_module('.modes' if NAME == 'Theano' else '.pytensor_modes', __name__)
default_mode, mode_to_run_once = _modes.default_mode, _modes.mode_to_run_once
