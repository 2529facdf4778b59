"""`K.function`: how graphs are rewritten, compiled and called."""

from ..library import NAME

if NAME == 'Theano':
    from .modes import default_mode, mode_to_run_once
else:
    from .pytensor_modes import default_mode, mode_to_run_once

__all__ = ['default_mode', 'mode_to_run_once']
