"""Shapes and places that only the run knows: one class of error, which names the K function and the tensor."""

import numpy as np
import pytest
from processes import ENGINE

import keras_backend as K
from keras_backend import errors


def ones(*shape):
    return np.ones(shape, 'float32')


def left():
    return K.placeholder((None, None), name='left')


def right():
    return K.placeholder((None, None), name='right')


def places():
    return K.placeholder((None,), dtype='int32', name='places')


# What is built of the inputs, what is fed and does not fit, what fits, and the words that the error needs beside the
# names of the inputs.
CASES = {
    'dot': ([left, right], lambda x, y: K.dot(x, y), [ones(2, 3), ones(4, 2)], [ones(2, 3), ones(3, 2)], 'K.dot'),
    'dot in a sum': (
        [left, right],
        lambda x, y: K.sum(K.dot(x, y) * 2.0),
        [ones(2, 3), ones(4, 2)],
        [ones(2, 3), ones(3, 2)],
        'K.dot',
    ),
    'sum': ([left, right], lambda x, y: x + y, [ones(2, 3), ones(4, 3)], [ones(2, 3), ones(1, 3)], 'x + y'),
    'product in an exp': (
        [left, right],
        lambda x, y: K.exp(x * y),
        [ones(2, 3), ones(4, 3)],
        [ones(2, 3), ones(1, 3)],
        'x * y',
    ),
    'maximum': (
        [left, right],
        lambda x, y: K.maximum(x, y),
        [ones(2, 3), ones(2, 4)],
        [ones(2, 3), ones(2, 3)],
        'K.maximum',
    ),
    'equal': ([left, right], lambda x, y: K.equal(x, y), [ones(2, 3), ones(2, 4)], [ones(2, 3), ones(2, 3)], 'K.equal'),
    'concatenate': (
        [left, right],
        lambda x, y: K.concatenate([x, y], axis=1),
        [ones(2, 3), ones(4, 2)],
        [ones(2, 3), ones(2, 2)],
        'K.concatenate',
    ),
    'reshape': ([left], lambda x: K.reshape(x, (4, -1)), [ones(2, 3)], [ones(2, 4)], 'K.reshape'),
    'reshape by a size': ([left], lambda x: K.reshape(x, (K.shape(x)[0], 5)), [ones(2, 3)], [ones(2, 5)], 'K.reshape'),
    'squeeze': ([left], lambda x: K.squeeze(x, 1), [ones(2, 3)], [ones(2, 1)], 'K.squeeze'),
    'argmax of nothing': ([left], lambda x: K.argmax(x, axis=1), [ones(2, 0)], [ones(2, 3)], 'K.argmax'),
    'argmin of nothing': ([left], lambda x: K.argmin(x, axis=1), [ones(2, 0)], [ones(2, 3)], 'K.argmin'),
    'crossentropy': (
        [left, right],
        lambda x, y: K.categorical_crossentropy(x, y),
        [ones(2, 3), ones(2, 4)],
        [ones(2, 3), ones(2, 3)],
        'K.categorical_crossentropy',
    ),
    'gradient': (
        [left, right],
        lambda x, y: K.gradients(K.sum(K.square(x) * y), [x])[0],
        [ones(2, 3), ones(4, 3)],
        [ones(2, 3), ones(2, 3)],
        '',
    ),
    'step': (
        [left, right],
        lambda x, y: K.map_fn(lambda row: K.dot(K.expand_dims(row, 0), y), x),
        [ones(3, 3), ones(2, 2)],
        [ones(2, 3), ones(3, 2)],
        'K.map_fn' if ENGINE == 'theano' else 'K.dot',
    ),
    'index': ([left], lambda x: x[:, 2], [ones(2, 0)], [ones(2, 3)], 'x[...]'),
    'gather': ([left, places], lambda x, i: K.gather(x, i), [ones(2, 3), [5]], [ones(2, 3), [1]], 'K.gather'),
    'gather of a variable': ([places], lambda i: K.gather(K.variable(ones(3, 2)), i), [[0, 3]], [[0, 2]], 'K.gather'),
}
# CNTK runs a segment of the graph at once, and does not say which of its operations has failed.
WHOLE_SEGMENT = ['K.function: '] if ENGINE == 'cntk' else []
OF_PLACES = ['index', 'gather', 'gather of a variable']


def built(what):
    """The inputs of a case, the function, what does not fit, what does, and the words."""
    inputs, build, wrong, fitting, words = CASES[what]
    made = [make() for make in inputs]
    return made, K.function(made, [build(*made)], name='the loss'), wrong, fitting, words


@pytest.mark.parametrize('what', sorted(CASES))
def test_shapes_of_the_run(what):
    """The error is a ShapeError with the K function and the tensors in it; the function goes on to work."""
    inputs, function, wrong, fitting, words = built(what)
    expected = function(fitting)[0]
    with pytest.raises(errors.ShapeError) as caught:
        function(wrong)
    message = str(caught.value)
    assert message.startswith((words, *WHOLE_SEGMENT))
    assert 'the loss' in message
    if what not in ('gradient', 'step') and not message.startswith(tuple(WHOLE_SEGMENT)):
        # TensorFlow reads an axis that may be empty by way of a choice.
        assert any([x.name.partition(':')[0] in message for x in inputs]) or 'Select' in message
    assert '\n' not in message
    assert caught.value.__cause__ is not None
    np.testing.assert_array_equal(function(fitting)[0], expected)


@pytest.mark.parametrize('what', OF_PLACES)
def test_places_of_the_run(what):
    """A place out of range is an IndexError, too."""
    _inputs, function, wrong, _fitting, _words = built(what)
    with pytest.raises(IndexError):
        function(wrong)


def test_updates_wait_for_what_fails():
    """A failed run changes no variable."""
    count, x = K.variable(0.0), left()
    function = K.function([x], [K.reshape(x, (4, -1))], updates=[(count, count + 1.0)])
    with pytest.raises(errors.ShapeError):
        function([ones(2, 3)])
    assert K.get_value(count) == 0.0
    function([ones(2, 4)])
    assert K.get_value(count) == 1.0


def test_eval_names_the_function():
    """K.eval of what cannot be computed says which K function it was."""
    variable = K.variable(ones(2, 3))
    x = K.gather(variable, K.argmax(K.constant([[0.0] * 7 + [1.0]]), axis=-1))
    with pytest.raises(errors.IndexOutOfRangeError, match=r'^K\.gather: '):
        K.eval(x)


def test_a_function_inside_of_a_loop_is_named():
    """A place that a step looks up."""
    table, rows = K.variable(ones(3, 2)), K.placeholder((None, 1), dtype='int32', name='rows')
    function = K.function([rows], [K.map_fn(lambda row: K.gather(table, row), rows, dtype='float32')])
    with pytest.raises(errors.IndexOutOfRangeError, match=r'^K\.(gather|map_fn): '):
        function([[[0], [7]]])
    assert function([[[0], [2]]])[0].shape == (2, 1, 2)


def test_errors_of_programs_stay():
    """What is no error of values comes out as it is."""
    x = left()
    with pytest.raises(errors.FeedError, match=r'^left'):
        K.function([x], [x * 2.0])([ones(2)])


def test_a_lookup_in_a_choice():
    """A place that one branch looks up."""
    table, i = K.variable(ones(3, 2)), places()
    chosen = K.placeholder((), dtype='bool')
    made = K.switch(chosen, lambda: K.gather(table, i), lambda: K.zeros((1, 2)))
    function = K.function([chosen, i], [made])
    with pytest.raises(errors.IndexOutOfRangeError, match=r'^K\.(gather|switch): '):
        function([True, [7]])
    assert (function([True, [2]])[0] == 1.0).all()


def test_a_call_that_was_refused_is_over():
    """What is made after it belongs to no K function."""
    x, y = left(), right()
    with pytest.raises(errors.ShapeError):
        K.dot(K.placeholder((2, 3)), K.placeholder((4, 2)))
    with pytest.raises(errors.ShapeError, match=r'^K\.function: ' if ENGINE == 'cntk' else r'^x \+ y: '):
        K.function([x, y], [x + y])([ones(2, 3), ones(2, 4)])
