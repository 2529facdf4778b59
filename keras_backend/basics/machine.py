"""The machine that a process runs on."""

import os


def processors() -> int:
    """How many processors this process may use."""
    affinity = getattr(os, 'sched_getaffinity', None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
