"""The command `python -m keras_backend.keras2 --check`."""

from typing import List

from ...launcher.check import command
from . import report
from .program import check

USAGE = 'usage: python -m keras_backend.keras2 --check [--json] PATH [PATH ...]'


def main(arguments: List[str]) -> int:
    """Check programs and print what was found. Returns the exit status, see `launcher.check.command`."""
    return command.main(arguments, USAGE, check, report.text, report.as_json)
