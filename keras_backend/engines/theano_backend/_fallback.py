"""The composed forms of functions that this engine overrules in some cases only."""

import sys

from ...binding import composite


def composed(name):
    """The composite `name`, bound to this engine."""
    return composite(vars(sys.modules[__package__]), name)
