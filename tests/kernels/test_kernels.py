"""What holds for every NumPy kernel: dtypes, memory, layouts, sizes given either way, and the specialised functions."""

import numpy as np
import pytest
from kernel_examples import EXAMPLES, SPARSE, drawer

from keras_backend.kernels import IN_PLACE, PRIMITIVES, VIEWS, specialize
from keras_backend.kernels.random import Stream

every_primitive = pytest.mark.parametrize('name', sorted({e.name for e in EXAMPLES}))


@pytest.fixture(autouse=True)
def quiet():
    """What the runner of a function holds."""
    with np.errstate(all='ignore'):
        yield


def calls(name):
    """The examples of a primitive, with fresh arguments in each of their dtypes."""
    for example in EXAMPLES:
        if example.name == name:
            for dtype in example.dtypes:
                yield example, dtype, example.make(drawer(dtype)), attributes(example)


def attributes(example):
    """The attributes, with a stream that begins again."""
    return {k: Stream(3) if k == 'stream' else v for k, v in example.attrs.items()}


def run(example, arrays, attrs=None):
    """The results of the kernel, always as a tuple."""
    attrs = dict(attributes(example) if attrs is None else attrs)
    if example.name == 'getitem_grad':
        arrays = arrays[:1] + (attrs.pop('shape'),) + arrays[1:]
    if 'stream' in attrs:
        arrays = (attrs.pop('stream'), *arrays)
    made = PRIMITIVES[example.name](*arrays, **attrs)
    return made if isinstance(made, tuple) else (made,)


def special(example, arrays):
    """The function that `specialize` gives, or None."""
    ranks, dtypes = tuple([a.ndim for a in arrays]), tuple([str(a.dtype) for a in arrays])
    return specialize(example.name, ranks, attributes(example), dtypes)


def same(expected, made):
    """Two results are equal in shape and dtype, and in value up to the order of sums."""
    assert [(str(a.dtype), a.shape) for a in expected] == [(str(b.dtype), b.shape) for b in made]
    for a, b in zip(expected, made):
        if np.array_equal(a, b):
            continue
        tolerance = 8 * np.finfo(a.dtype).eps if a.dtype.kind == 'f' else 0
        # thousands of numbers that cancel are added up: what is lost is measured by them, not by their sum
        np.testing.assert_allclose(a.astype('float64'), b.astype('float64'), tolerance, 64 * tolerance)


def reordered(arrays):
    """The arrays in another order in memory."""
    return tuple([_strided(a) if isinstance(a, np.ndarray) and a.ndim else a for a in arrays])


def _strided(a):
    strided = np.zeros(a.shape[::-1][:-1] + (2 * a.shape[0],), a.dtype)[..., ::2].T
    strided[...] = a
    return strided


def test_every_primitive_has_an_example():
    """The tests of this file pass over no kernel."""
    assert set(PRIMITIVES) == {e.name for e in EXAMPLES} | SPARSE


@every_primitive
def test_dtype(name):
    """The result has the dtype of the inputs, or the one that the primitive is defined to give; of scalars too."""
    for example, dtype, arrays, _attrs in calls(name):
        wanted = example.result if isinstance(example.result, tuple) else (example.result,)
        assert [w or dtype for w in wanted] == [str(m.dtype) for m in run(example, arrays)], (example, dtype)


@every_primitive
def test_scalars(name):
    """NumPy scalars may come in place of 0-d arrays."""
    for example, _dtype, arrays, _attrs in calls(name):
        same(run(example, arrays), run(example, tuple([a if a.ndim else a[()] for a in arrays])))


def keeps_to_itself(example, arrays, function):
    """`function` leaves its inputs alone, and shares memory with them only if it is one of VIEWS."""
    before = [a.copy() for a in arrays]
    for a in arrays:
        if isinstance(a, np.ndarray):
            a.flags.writeable = False
    made = function(arrays)
    for a, b in zip(arrays, before):
        assert a.tobytes() == b.tobytes()
    if example.name not in VIEWS:
        assert not any(np.shares_memory(a, m) for a in arrays for m in made), example


@every_primitive
def test_memory(name):
    """No input is written to, and only results of VIEWS share memory with one."""
    for example, _dtype, arrays, _attrs in calls(name):
        keeps_to_itself(example, arrays, lambda arrays, example=example: run(example, arrays))


@pytest.mark.parametrize('name', sorted(VIEWS))
def test_views_share(name):
    """Each of VIEWS gives a view in some case: the others need no copies."""
    assert any(np.shares_memory(arrays[0], run(example, arrays)[0]) for example, _dtype, arrays, _attrs in calls(name))


@every_primitive
def test_layouts(name):
    """The order of the elements in memory makes no difference."""
    for example, _dtype, arrays, _attrs in calls(name):
        same(run(example, arrays), run(example, reordered(arrays)))


@pytest.mark.parametrize('name', sorted({e.name for e in EXAMPLES if e.sizes}))
def test_sizes_at_run_time(name):
    """A size may be a tuple of ints or an integer vector."""
    for example, _dtype, arrays, attrs in calls(name):
        expected = run(example, arrays)
        for size in example.sizes:
            attrs[size] = np.array(attrs[size], 'int32')
        if 'stream' in attrs:
            attrs['stream'] = Stream(3)
        same(expected, run(example, arrays, attrs))


@every_primitive
def test_specialized(name):
    """What `specialize` gives for known ranks, attributes and dtypes does the same, and as carefully."""
    for example, _dtype, arrays, _attrs in calls(name):
        function = special(example, arrays)
        if function is not None:
            expected = run(example, arrays)
            same(expected, (function(*arrays),))
            same(expected, (function(*reordered(arrays)),))
            same(expected, (function(*[a if a.ndim else a[()] for a in arrays]),))
            keeps_to_itself(example, arrays, lambda arrays, function=function: (function(*arrays),))


@pytest.mark.parametrize('name', sorted(IN_PLACE))
def test_results_take_the_place_of_an_argument(name):
    """With `out=`, an argument of the shape and dtype of the result, the result is the same, whichever it is."""
    tried = 0
    for example, _dtype, arrays, _attrs in calls(name):
        (expected,) = run(example, arrays)
        for i, array in enumerate(arrays):
            if not isinstance(array, np.ndarray) or not array.ndim:
                continue
            if (array.shape, array.dtype) != (expected.shape, expected.dtype):
                continue
            for function in (PRIMITIVES[name], special(example, arrays)):
                if function is None:
                    continue
                given = [np.array(a) if isinstance(a, np.ndarray) else a for a in arrays]
                attrs = attributes(example) if function is PRIMITIVES[name] else {}
                same((expected,), (function(*given, out=given[i], **attrs),))
                for j, (before, after) in enumerate(zip(arrays, given)):
                    if j != i:
                        np.testing.assert_array_equal(after, before, err_msg=str(example))
                tried += 1
    assert tried
