"""as_function under `jax.export`: sizes of batches and lengths of sequences stay free."""

import jax
import numpy as np
import pytest
from functions_to_export import BUILDERS, assert_close, training
from jax import export

import keras_backend.engines.jax_backend as K
from keras_backend.errors import ShapeError


@pytest.fixture(autouse=True)
def new_session():
    """Every test starts in a session of its own."""
    K.clear_session()


def exported(function, sizes, inputs, least=()):
    """A function of JAX for all sizes, serialised and read back. The values of variables come first."""
    scope = export.SymbolicScope(list(least))
    specs = [jax.ShapeDtypeStruct(export.symbolic_shape(text, scope=scope), t.dtype) for text, t in zip(sizes, inputs)]
    variables = [jax.ShapeDtypeStruct(v.shape, v.dtype) for v in function.values()]
    made = export.export(jax.jit(function))(variables, specs)
    return export.deserialize(made.serialize()).call


@pytest.mark.parametrize('build', BUILDERS)
def test_free_sizes(build):
    """One export gives what K gives at several sizes."""
    example = build(K)
    function = K.function(example.inputs, example.outputs)
    pure = K.as_function(function)
    call = exported(pure, example.sizes, example.inputs, example.least)
    for values in example.runs:
        results, _variables = call(pure.values(), values)
        for ours, theirs in zip(function(values), results):
            assert_close(theirs, ours)


def test_exported_training_step():
    """The loss falls as with K, at a batch size that the export does not know."""
    inputs, loss, updates, batch = training(K)
    step = K.function(inputs, [loss], updates)
    pure = K.as_function(step)
    variables = pure.values()
    call = exported(pure, ['b, 4', 'b, 2'], inputs)
    losses = []
    for _ in range(10):
        (found,), variables = call(variables, batch)
        np.testing.assert_allclose(found, step(batch)[0], rtol=1e-5)
        losses.append(float(found))
    assert losses[-1] < 0.2 * losses[0]


def test_sizes_that_may_be_one():
    """A sum that depends on whether two sizes are the same is refused: its numbers would be wrong at some sizes."""
    x, y = K.placeholder((None, 3)), K.placeholder((None, 3))
    function = K.as_function(K.function([x, y], K.gradients(K.sum(K.sum(x * K.ones_like(x)) * y), [x])))
    assert exported(function, ['b, 3', 'c, 3'], [x, y]) is not None
    with pytest.raises((ShapeError, TypeError), match='b'):
        exported(K.as_function(K.function([x, y], K.gradients(K.sum(x * y), [x]))), ['b, 3', 'c, 3'], [x, y])
