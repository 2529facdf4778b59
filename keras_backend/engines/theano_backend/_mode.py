"""The mode that functions are compiled in."""

from ._library import NAME

if NAME == 'Theano':
    from ._modes import default_mode, mode_to_run_once
else:
    from ._descendant_modes import default_mode, mode_to_run_once

__all__ = ['default_mode', 'mode_to_run_once']
