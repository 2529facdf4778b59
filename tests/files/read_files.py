"""Read the files whose paths are the arguments, in a process of its own, and print what came of each as JSON.

Of each file: its place, the error, and the most megabytes that the process has taken up to now beyond its start.
"""

import json
import resource
import sys

import h5py  # noqa: F401
import yaml  # noqa: F401

from keras_backend import files

MB = 2**20


def peak():
    """The most megabytes that this process has taken."""
    with open('/proc/self/status', encoding='utf-8') as status:
        return next(int(line.split()[1]) for line in status if line.startswith('VmHWM')) // 1024


def outcome(path):
    """What comes of reading a file and composing its model."""
    try:
        files.function(path)
    except MemoryError:
        return 'MemoryError'
    except Exception as error:  # any of them is an outcome
        return f'{type(error).__name__}: {error}'
    return 'read'


def main(paths):
    """Print a line for each file."""
    start = peak()
    # A file that gets through takes no more than this.
    resource.setrlimit(resource.RLIMIT_AS, (3000 * MB, 3000 * MB))
    for path in paths:
        print(json.dumps([path, outcome(path), peak() - start]), flush=True)


if __name__ == '__main__':
    main(sys.argv[1:])
