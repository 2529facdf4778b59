"""as_module under `torch.export`: sizes of batches stay free, gradients of K inside."""

import numpy as np
import pytest
import torch
from functions_to_export import BUILDERS, OPEN_LOOPS, assert_close, masked_loop, numbers, sizes

import keras_backend.engines.torch_backend as K
from keras_backend.engines.torch_backend import as_module
from keras_backend.errors import ExportError

if not hasattr(torch.export.Dim, 'DYNAMIC'):
    pytest.skip('needs the free sizes of PyTorch 2.6', allow_module_level=True)


@pytest.fixture(autouse=True)
def own_session():
    """Every test starts in a session of its own."""
    K.clear_session()
    K.set_floatx('float32')


def exported_module(module, sizes, values):
    """A program of PyTorch for all sizes, as a function of arrays that gives arrays."""
    free = tuple(
        {i: torch.export.Dim.DYNAMIC for i, size in enumerate(each.split(', ')) if size.isalpha()} for each in sizes
    )
    arguments = tuple(map(torch.from_numpy, values))
    made = torch.export.export(module, arguments, strict=False, dynamic_shapes=(free,)).module()
    return lambda values: [y.detach().numpy() for y in made(*map(torch.from_numpy, values))]


@pytest.mark.parametrize('build', [b for b in BUILDERS if b.__name__ not in OPEN_LOOPS])
def test_free_sizes_of_modules(build):
    """One export gives what K gives at several sizes."""
    example = build(K)
    function = K.function(example.inputs, example.outputs)
    run = exported_module(as_module(function), example.sizes, example.runs[0])
    for values in example.runs:
        for ours, theirs in zip(function(values), run(values)):
            assert_close(theirs, ours)


def test_loops_of_free_length_are_refused():
    """The error names the loop and says what to do."""
    example = masked_loop(K)
    module = as_module(K.function(example.inputs, example.outputs))
    with pytest.raises(ExportError, match=r'K\.rnn goes over a sequence of free length.*StableHLO'):
        exported_module(module, example.sizes, example.runs[0])


def test_export_with_what_k_has_and_numpy_would_compute():
    """Indices backwards, numbers beside arrays, divisions of integers, draws."""
    x, n = K.placeholder((None, 4)), K.placeholder((None,), dtype='int32')
    places = K.constant([1, 3], dtype='int32')
    outputs = [x[:, ::-1], x[:, 2:0:-1], x[:, -1:-4:-2], x[0, places], n // 2, n % 3, K.sum(n), K.cumsum(n)]
    outputs += [*K.gradients(K.sum(K.square(x[:, ::-1][:, places])), [x])]
    function = K.function([x, n], outputs)
    runs = [numbers(3, 4), np.array([5, -5, 7], 'int32')], [numbers(5, 4), np.arange(-2, 3, dtype='int32')]
    run = exported_module(as_module(function), ['b, 4', 'b'], runs[0])
    for values in runs:
        for ours, theirs in zip(function(values), run(values)):
            assert np.asarray(ours).dtype == theirs.dtype
            np.testing.assert_allclose(theirs, ours, rtol=1e-6)


def test_exported_draws():
    """Each call draws anew, from the distribution that K has."""
    x = K.placeholder((None, 1000))
    drawn = [K.random_uniform(K.shape(x)), K.random_normal(K.shape(x), 1.0, 2.0), K.truncated_normal(K.shape(x))]
    run = exported_module(as_module(K.function([x], drawn)), ['b, 1000'], [numbers(2, 1000)])
    (uniform, normal, cut), again = run([numbers(9, 1000)]), run([numbers(9, 1000)])
    assert not np.array_equal(uniform, again[0])
    assert uniform.shape == (9, 1000)
    np.testing.assert_allclose([uniform.mean(), uniform.std()], [0.5, 12**-0.5], atol=0.02)
    np.testing.assert_allclose([normal.mean(), normal.std()], [1, 2], atol=0.1)
    np.testing.assert_allclose([cut.std(), np.abs(cut).max()], [0.88, 2], atol=0.02)


def test_sizes_without_numbers_are_no_part_of_it():
    """A K.switch on a size takes the branch of each call."""
    example = sizes(K)
    run = exported_module(as_module(K.function(example.inputs, example.outputs)), ['b, t, 4'], example.runs[1])
    first, second = [run(values)[4] for values in example.runs]
    np.testing.assert_allclose(first, example.runs[0][0].sum(), rtol=1e-5)
    np.testing.assert_allclose(second, -example.runs[1][0].sum(), rtol=1e-5)


def test_compiled_modules_go_another_way():
    """`torch.compile` reads the byte code and runs what it cannot read, so sizes and conditions have values there."""
    x, w = K.placeholder((None, 3)), K.variable(numbers(3, 2))
    function = K.function([x], [K.switch(K.sum(x) > 0, lambda: K.dot(x, w), lambda: -K.dot(x, w))])
    compiled = torch.compile(as_module(function), backend='eager')
    for value in (np.ones((2, 3), 'float32'), -np.ones((4, 3), 'float32')):
        assert_close(compiled(torch.from_numpy(value))[0].detach().numpy(), function([value])[0])
