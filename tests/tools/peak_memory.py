"""The memory that a call takes."""

import tracemalloc


def peak_bytes(call):
    """The most bytes that Python and NumPy take at once in the second call of `call`."""
    call()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
