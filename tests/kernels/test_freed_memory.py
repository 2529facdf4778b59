"""What the process keeps of freed memory, where the library of C is glibc."""

import pytest
from processes import run

from keras_backend.engines import process

PROGRAM = """
import keras_backend.engines.numpy_backend
import numpy as np
import resource

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    arrays = [np.ones(1 << 18) for _ in range(20)]
    del arrays
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults()
print(faults())
"""


def _faults(home, **variables):
    return int(run(PROGRAM, home=home, **variables))


@pytest.mark.skipif(
    not process.keep_freed_memory(), reason='it asks glibc, where no variable of the environment decides'
)
def test_freed_memory_is_used_again(home):
    """A second round of arrays lies where the first one lay: the system clears no page."""
    assert _faults(home) < 1000


@pytest.mark.slow
@pytest.mark.skipif(
    not process.keep_freed_memory(), reason='it asks glibc, where no variable of the environment decides'
)
def test_freed_memory_goes_back_where_the_user_says_so(home):
    """A user's variable decides."""
    assert _faults(home, MALLOC_TRIM_THRESHOLD_='100000') > 5000


@pytest.mark.parametrize('name', process.OF_THE_USER)
def test_a_variable_of_the_user_decides(monkeypatch, name):
    """With any of them nothing is asked of glibc."""
    monkeypatch.setenv(name, '1')
    assert not process.keep_freed_memory()
