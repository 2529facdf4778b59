"""Every tensor argument of every K function, fed with bad values: each run ends in a result or an error of ours.

The number of axes and the dtype are those of a good value, so that only the run can see what is wrong: sizes that do
not fit, nothing at all, NaN, and numbers that are no place, label or length.
"""

import warnings

import argument_values as values
import numpy as np
import pytest

import keras_backend as K
from keras_backend.contract import CONTRACT
from keras_backend.errors import KerasBackendError

# They read or change what is outside of a graph, or give no tensor.
APART = frozenset(
    'clear_session control_dependencies count_params dtype eval get_value int_shape is_placeholder is_variable ndim '
    'is_keras_tensor is_sparse is_symbolic is_tensor get_variable_shape set_value print_tensor function gradients '
    'batch_get_value batch_set_value eager symbolic'.split()
)


def sizes_of(good):
    """The good value with another size along each axis, and with nothing along it."""
    for axis, size in enumerate(good.shape):
        yield f'axis {axis} shorter', np.take(good, range(size - 1), axis)
        yield f'axis {axis} longer', np.concatenate([good, np.take(good, [0], axis)], axis)
        yield f'axis {axis} empty', np.take(good, [], axis)
    if good.ndim > 1:
        yield 'all empty', np.zeros((0,) * good.ndim, good.dtype)
        yield 'transposed', good.T.copy()


def numbers_of(good):
    """The good value with numbers that are out of range."""
    if good.dtype == bool:
        return
    whole = good.dtype.kind in 'iu'
    most = np.iinfo(good.dtype) if whole else np.finfo(good.dtype)
    for number in (-1, 99, most.max, most.min, *(() if whole else (np.nan, np.inf, -np.inf, 1e-45))):
        changed = good.copy()
        changed.reshape(-1)[-1:] = number
        yield f'last {number}', changed
        yield f'all {number}', np.full_like(good, number)


def good_feed(name, argument):
    """A good value as an array, None where the argument takes no dense tensor of numbers."""
    value = values.good(name, argument)
    if not K.is_tensor(value) or K.is_placeholder(value) or K.is_variable(value):
        return None
    array = np.asarray(K.eval(value))
    return array if array.dtype.kind in 'iufb' else None


def tensors_in(made):
    """The tensors of what a K function returned."""
    if isinstance(made, (list, tuple)):
        return [x for part in made for x in tensors_in(part)]
    return [made] if K.is_tensor(made) else []


def outcomes(name, argument):
    """What came of each bad value: (its label, None or what is wrong)."""
    good = good_feed(name, argument)
    if good is None:
        return
    fed = K.placeholder((None,) * good.ndim, dtype=good.dtype.name, name='fed')
    arguments = values.good_call(name, argument)
    # a condition that needs no value
    arguments = {key: K.constant(1.0) if K.is_placeholder(value) else value for key, value in arguments.items()}
    arguments[argument] = fed
    try:
        outputs = tensors_in(getattr(K, name)(**arguments))
    except KerasBackendError:
        return  # it has to know the sizes
    if not outputs:
        return
    function = K.function([fed], outputs)
    function([good])
    for make in (sizes_of, numbers_of):
        for label, array in make(good):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter('ignore')
                    function([array])
            except KerasBackendError:
                yield label, None
            except Exception as error:  # what the test is about: errors of all other kinds
                yield label, f'{type(error).__name__}: {error}'
            else:
                yield label, None
    function([good])


@pytest.fixture(autouse=True)
def graph():
    K.clear_session()
    values.VARIABLES[:] = [K.variable(np.full((2, 3), 7.0))]
    yield
    K.clear_session()


@pytest.mark.parametrize('name', [name for name, entry in CONTRACT.items() if entry.parameters and name not in APART])
def test_bad_values_in_the_run(name):
    """No error of a library comes out of a run, and the engine computes as before."""
    wrong = []
    for argument in CONTRACT[name].parameters:
        wrong += [f'{argument}, {label}: {problem}' for label, problem in outcomes(name, argument) if problem]
    assert not wrong, '\n'.join(wrong)
    x = K.placeholder((None, 3))
    product = K.function([x], [K.dot(x, K.constant(np.eye(3)))])([np.full((2, 3), 2.0)])[0]
    np.testing.assert_array_equal(product, np.full((2, 3), 2.0))
