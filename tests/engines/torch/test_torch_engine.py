"""What the PyTorch engine takes and gives: tensors and arrays, memory that nobody shares, threads, forks."""

import os
import warnings

import numpy as np
import pytest
import torch
from processes import run
from threads_and_forks import check_fork, check_threads

import keras_backend.engines.torch_backend as K
from keras_backend.basics.installed import requirement
from keras_backend.errors import FeedError
from keras_backend.graph.run import row_updates

DTYPES = 'bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64'.split()


@pytest.fixture(autouse=True)
def fresh():
    """Every test starts in a session of its own."""
    K.clear_session()


# -- values in and out -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('dtype', DTYPES)
def test_dtypes_go_in_and_out(dtype):
    """Variables, constants, what is fed and results have the dtype that K says, also where PyTorch has none."""
    array = np.array([[1, 0, 3], [5, 7, 250 % 128]]).astype(dtype)
    x, v, c = K.placeholder((None, 3), dtype=dtype), K.variable(array, dtype=dtype), K.constant(array, dtype=dtype)
    pieces = K.concatenate([x, v, K.reverse(c, 1), x[:, ::-1]], axis=0)
    outputs = [x, v, c, K.cast(pieces, 'float32'), K.sum(K.cast(x, 'int32')), K.equal(x, v), x[0, 0], pieces]
    found = K.function([x], outputs)([array])
    for value in found[:3]:
        np.testing.assert_array_equal(value, array)
        assert dtype == value.dtype.name
    np.testing.assert_array_equal(found[3], np.concatenate([array, array, array[:, ::-1], array[:, ::-1]]))
    assert found[4] == array.astype('int32').sum()
    assert found[5].all()
    assert dtype == found[6].dtype.name == found[7].dtype.name
    assert dtype == K.get_value(v).dtype.name


@pytest.mark.parametrize('dtype', ['uint16', 'uint32', 'uint64'])
def test_numbers_that_only_these_dtypes_hold(dtype):
    """Arithmetic, comparisons, loops, choices and updates with the largest numbers are NumPy's."""
    top = np.iinfo(dtype).max
    x, v = K.placeholder((None,), dtype=dtype), K.variable(np.array([top, 1], dtype), dtype=dtype)
    array = np.array([top, 2], dtype)
    last, over, _ = K.rnn(lambda e, s: (e + s[0], [e + s[0]]), K.reshape(x, (1, 2, 1)), [K.cast([[3]], dtype)])
    chosen = K.switch(K.greater(K.max(x), v[1]), lambda: x * v, lambda: x)
    step = K.function([x], [x + v, K.max(x), K.less(x, v), chosen, last, over], [(v, v - x)])
    found = step([array])
    wrapped = array + np.array([top, 1], dtype)
    np.testing.assert_array_equal(found[0], wrapped)
    assert top == found[1]
    assert [False, False] == found[2].tolist()
    np.testing.assert_array_equal(found[3], array * np.array([top, 1], dtype))
    np.testing.assert_array_equal(found[5][0, :, 0], np.cumsum(array, dtype=dtype) + np.array(3, dtype))
    np.testing.assert_array_equal(K.get_value(v), np.array([top, 1], dtype) - array)


def test_tensors_of_pytorch_are_fed_as_they_are():
    """No copy is made of one that fits, and one that asks for gradients is taken, too."""
    x = K.placeholder((None, 2))
    kernels = K._graph.kernels
    value = torch.ones(3, 2, requires_grad=True)
    seen = kernels.feed('float32')(value)
    assert seen.data_ptr() == value.data_ptr()
    assert not seen.requires_grad
    f = K.function([x], [x * 2, x])
    for fed in (value, value.double(), value.detach().to(torch.int8), [[1, 1]] * 3, value.detach().T.reshape(3, 2)):
        doubled, same = f([fed])
        np.testing.assert_array_equal(doubled, np.full((3, 2), 2.0))
        same[:] = 9
    assert 1.0 == value.max().item()


@pytest.mark.parametrize(
    ('value', 'words'),
    [
        (torch.ones(3, 3), 'an array of shape \\(3, 3\\)'),
        (np.ones((2, 3, 1)), 'an array of shape \\(2, 3, 1\\)'),
        ('text', 'str'),
        ([[1, 2], [3]], 'different lengths'),
        (None, 'NoneType'),
        (torch.ones(2, 2, dtype=torch.complex64), 'no numbers'),
        (torch.ones(2, 2, dtype=torch.complex64).conj(), 'no numbers'),
        (torch.ones(2, 2).to_sparse(), 'Sparse'),
    ],
)
def test_bad_values_are_refused(value, words):
    """With the placeholder, what it takes, and what was given."""
    x = K.placeholder((None, 2), name='features')
    with pytest.raises(FeedError, match=f'features.* of shape \\(None, 2\\).*{words}'):
        K.function([x], [x])([value])


def test_integers_that_do_not_fit_are_refused():
    """A tensor with a number that the placeholder's dtype does not hold."""
    x = K.placeholder((None,), dtype='int8')
    with pytest.raises(FeedError, match='holds numbers from -128 to 127'):
        K.function([x], [x])([torch.tensor([300])])


@pytest.mark.parametrize('array', [np.arange(6.0, dtype='float32')[::-1], np.broadcast_to(np.float32(1), (6,))])
def test_arrays_of_any_layout_are_fed(array):
    """Backwards, read-only, repeated: without a warning."""
    x = K.placeholder((6,))
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        np.testing.assert_array_equal(K.function([x], [x + 0.0])([array])[0], array)


# -- memory ------------------------------------------------------------------------------------------------------------


def views(x):
    """Results that PyTorch would let share memory with `x`."""
    return [
        x,
        K.reshape(x, (3, 2)),
        x[0],
        K.transpose(x),
        K.identity(x),
        K.expand_dims(x),
        x[:, ::2],
        K.stop_gradient(x),
    ]


@pytest.mark.parametrize('kind', ['fed', 'variable', 'constant', 'computed'])
def test_results_share_no_memory(kind):
    """Writing into results changes neither what was fed, nor variables, nor other results, nor the next run."""
    array = np.arange(6.0, dtype='float32').reshape(2, 3)
    p = K.placeholder((2, 3))
    v, c = K.variable(array), K.constant(array)
    f = K.function([p], views({'fed': p, 'variable': v, 'constant': c, 'computed': p + 0.0}[kind]))
    first = f([array])
    kept = [result.copy() for result in first]
    for result in first:
        assert result.flags.writeable
        result[...] = -1
    np.testing.assert_array_equal(array, np.arange(6.0).reshape(2, 3))
    for again, old in zip(f([array]), kept):
        np.testing.assert_array_equal(again, old)
    np.testing.assert_array_equal(K.get_value(v), array)
    K.get_value(v)[:] = 7
    np.testing.assert_array_equal(K.get_value(v), array)


def test_variables_share_no_memory():
    """Not with what they were made of, were set to, or were updated with; two never share."""
    array, value = np.ones(3, 'float32'), torch.ones(3)
    v, w, p = K.variable(array), K.variable(value), K.placeholder((3,))
    K.function([p], [], [(v, p), (w, v)])([value])
    K.function([], [], [(v, v * 2), (w, v)])([])
    value.fill_(5)
    array.fill(5)
    assert [2.0] * 3 == K.get_value(v).tolist()
    assert [1.0] * 3 == K.get_value(w).tolist()
    K.set_value(v, array)
    array.fill(6)
    assert [5.0] * 3 == K.get_value(v).tolist()


def test_variable_of_a_parameter_is_a_copy():
    """K.variable takes an nn.Parameter, and its value only."""
    parameter = torch.nn.Parameter(torch.ones(2))
    v = K.variable(parameter)
    with torch.no_grad():
        parameter += 1
    assert [1.0, 1.0] == K.get_value(v).tolist()
    assert 'float32' == K.dtype(v)


# -- updates of rows ---------------------------------------------------------------------------------------------------


def descent():
    """A table, and a step of gradient descent on rows of it."""
    table, indices = K.variable(np.ones((20000, 8))), K.placeholder((None,), dtype='int32')
    g = K.gradients(K.sum(K.gather(table, indices)), [table])[0]
    return table, K.function([indices], [], [(table, table - 0.5 * g)])


def test_only_rows_are_written():
    """The memory of the table stays, its rows change, and places that occur twice count twice."""
    table, step = descent()
    place = table.data.data_ptr()
    step([[3, 5, 3]])
    step([[5]])
    expected = np.ones((20000, 8), 'float32')
    expected[[3, 5]] = 0.0
    np.testing.assert_array_equal(K.get_value(table), expected)
    assert place == table.data.data_ptr()


@pytest.mark.parametrize(
    'holding',
    [lambda x: x, lambda x: x.view(-1), lambda x: x.numpy(), lambda x: torch.nn.Parameter(x), lambda x: x[5:]],
)
def test_rows_of_a_table_that_somebody_holds(holding):
    """The table is copied first: whoever holds it, or a view of it, keeps the values of that moment."""
    table, step = descent()
    held = holding(table.data)
    step([[6]])
    assert held.min() == 1.0
    assert 0.5 == K.get_value(table)[6, 0]
    assert 1.0 == K.get_value(table).max()


def test_without_a_count_tables_are_copied(monkeypatch):
    """Where Python or PyTorch do not count holders, nothing is written into."""
    monkeypatch.setattr(row_updates, '_count', None)
    table, step = descent()
    held = table.data
    step([[6]])
    assert held.min().item() == 1.0
    assert 0.5 == K.get_value(table)[6, 0]


# -- threads and processes ---------------------------------------------------------------------------------------------


def test_ten_threads_call_one_function():
    """Each gets its own results, and no update is lost; gradients stay as each thread has them."""
    modes = []
    check_threads(K, 10, lambda: modes.append(torch.is_grad_enabled()))
    assert [True] * 500 == modes


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='the platform has no fork')
@pytest.mark.filterwarnings('ignore:.*multi-threaded.*:DeprecationWarning')
def test_a_forked_child_goes_on():
    """A process forked after use, while another thread holds the lock, runs functions of its own."""
    check_fork(K)


FORKS = """
import os, signal
import numpy as np, torch
import keras_backend as K
torch.set_num_threads(2)
x, w = K.placeholder((None, 32, 32, 8)), K.variable(np.ones((3, 3, 8, 16)))
f, value = K.function([x], [K.conv2d(K.exp(K.tanh(x)), w)]), np.ones((4, 32, 32, 8))
before, threads = f([value])[0], torch.get_num_threads()
child = os.fork()
if not child:
    signal.alarm(60)
    os._exit(0 if np.allclose(f([value])[0], before) else 1)
print(threads, os.waitpid(child, 0)[1], torch.get_num_threads())
"""


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='the platform has no fork')
def test_a_forked_child_does_without_the_threads_that_are_gone(tmp_path):
    """It computes large values on one thread, where PyTorch would wait for others that its parent has."""
    said = run(FORKS, home=tmp_path, backend='torch', PYTHONWARNINGS='ignore')
    assert said.split() == ['2', '0', '2']


def test_an_error_leaves_gradients_as_they_were():
    """A function that fails in the middle gives PyTorch's mode back."""
    x, i = K.placeholder((None, 2)), K.placeholder((None,), dtype='int32')
    with pytest.raises(IndexError, match='Index 7 is out of range for an axis of size 2'):
        K.function([x, i], [K.gather(x, i)])([np.ones((2, 2)), [7]])
    assert torch.is_grad_enabled()


# -- import ------------------------------------------------------------------------------------------------------------


def test_without_pytorch(tmp_path):
    """The error says what to type."""
    code = (
        'import sys; sys.modules["torch"] = None\n'
        'try:\n    import keras_backend.engines.torch_backend\n'
        'except ImportError as error:\n    print(type(error).__name__, error)'
    )
    said = run(code, home=tmp_path, backend='numpy')
    assert said.strip() == (
        'EngineNotInstalled The torch engine needs PyTorch, which is not installed; '
        f'type: pip install "{requirement("torch")}"'
    )
