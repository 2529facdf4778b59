"""The dtype in which two tensors meet, where NumPy's table would leave the dtypes of K."""

import pytest

from keras_backend.basics.dtypes import promote


@pytest.mark.parametrize('signed', ['int8', 'int16', 'int32', 'int64'])
def test_unsigned_beside_signed(signed):
    """NumPy makes a float of the widest unsigned integers beside signed ones. Integers stay integers here."""
    assert 'int64' == promote('uint64', signed) == promote(signed, 'uint64')
    assert 'int16' == promote('uint8', 'int8')
