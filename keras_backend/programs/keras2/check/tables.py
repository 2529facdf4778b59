"""The tables of the cures, which the check reads where they are."""

from importlib import import_module
from typing import Any, Dict


def table(module: str, name: str) -> Dict[str, Any]:
    """A table of `keras_backend.keras2`. The cures import nothing of the check, and the check no cure by its name."""
    try:
        entries: Dict[str, Any] = getattr(import_module('keras_backend.programs.keras2.' + module), name)
    except ImportError:
        return {}
    return entries
