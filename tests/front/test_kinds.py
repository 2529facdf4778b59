"""The kinds of arguments: what passes them, what they say, and when they are asked."""

from typing import List, Optional

import numpy as np
import pytest

import keras_backend as K
from keras_backend.contract import CONTRACT, kinds
from keras_backend.contract.kinds import Kind, kind_of, shown
from keras_backend.errors import ArgumentTypeError, ArgumentValueError, ShapeError

X = np.arange(6.0).reshape(2, 3)


class Dimension:
    """A size as an object, as in a shape of TensorFlow 1."""

    def __init__(self, value):
        self.value = value

    def __int__(self):
        return self.value

    __index__ = __int__

    def __eq__(self, other):
        return self.value == other

    __hash__ = None


class TensorShape:
    """A shape as an object: no tuple, but something to iterate over."""

    def __init__(self, *sizes):
        self.sizes = sizes

    def __iter__(self):
        return iter([Dimension(size) for size in self.sizes])

    def __len__(self):
        return len(self.sizes)


class Column:
    """Numbers in clothes of their own, as a column of pandas or a data set of h5py."""

    def __array__(self, *args, **kwargs):
        return X


class Doubling:
    """An object that can be called, as a layer."""

    def __call__(self, x):
        return x * 2.0


def size_two():
    return K.shape(K.constant(X))[0]


@pytest.mark.parametrize(
    ('call', 'wanted'),
    [
        (lambda: K.sum(X, axis=np.int64(1)), X.sum(1)),
        (lambda: K.sum(X, axis=range(2)), X.sum()),
        (lambda: K.sum(X, axis=(axis for axis in [0, 1])), X.sum()),
        (lambda: K.max(X, axis=(axis for axis in [0, 1])), X.max()),
        (lambda: K.sum(X, axis={0: 1}.values()), X.sum(1)),
        (lambda: K.sum(X, axis=np.array([0, 1])), X.sum()),
        (lambda: K.sum(X, axis={1}, keepdims=np.bool_(True)), X.sum(1, keepdims=True)),
        (lambda: K.sum(X, 0, 1), X.sum(0, keepdims=True)),
        (lambda: K.sum(X, 0, None), X.sum(0)),
        (lambda: K.exp(Column()), np.exp(X)),
        (lambda: K.exp(range(3)), np.exp(np.arange(3))),
        (lambda: K.clip(X, np.array(1.0), np.float32(2.0)), X.clip(1, 2)),
        (lambda: K.relu(X, max_value=np.array(2.0)), X.clip(0, 2)),
        (lambda: K.resize_images(X.reshape(1, 2, 3, 1), np.array(1.0), 1.0, 'channels_last'), X.reshape(1, 2, 3, 1)),
        (lambda: K.reshape(X, TensorShape(3, 2)), X.reshape(3, 2)),
        (lambda: K.reshape(X, (3, size_two())), X.reshape(3, 2)),
        (lambda: K.reshape(X, (np.int32(3), np.array(2), None)[:2]), X.reshape(3, 2)),
        (lambda: K.zeros(Dimension(2)), np.zeros(2)),
        (lambda: K.zeros(TensorShape(2, 3)), np.zeros((2, 3))),
        (lambda: K.zeros((size_two(), 3)), np.zeros((2, 3))),
        (lambda: K.ones(np.array([2, 3])), np.ones((2, 3))),
        (lambda: K.concatenate(part for part in [X, X]), np.concatenate([X, X], -1)),
        (lambda: K.stack({'a': X, 'b': X}.values()), np.stack([X, X])),
        (lambda: K.map_fn(Doubling(), X), X * 2),
        (lambda: K.switch(K.constant(1), Doubling().__call__ if 0 else lambda: K.constant(X), X), X),
        (lambda: K.cast(X, np.float64), X),
        (lambda: K.cast(X, np.dtype('float64')), X),
        (lambda: K.conv1d(X.reshape(1, 2, 3), np.ones((1, 3, 1)), [np.int64(1)], padding='causal'), None),
    ],
)
def test_what_passes(call, wanted):
    """What NumPy, Keras and programs pass for integers, shapes, numbers, lists and functions goes through."""
    value = K.eval(call())
    if wanted is not None:
        np.testing.assert_allclose(value, wanted, rtol=1e-6)


def test_iterators_are_not_used_up():
    """A check looks at the class of an iterator; the function goes over it."""
    v, w = K.variable(1.0), K.variable(2.0)
    assert [1.0, 2.0] == K.batch_get_value(each for each in [v, w])
    K.batch_set_value(zip([v, w], [3.0, 4.0]))
    assert [3.0, 4.0] == K.batch_get_value([v, w])


@pytest.mark.parametrize(
    ('call', 'error', 'message'),
    [
        (lambda: K.softmax(X, axis=1.5), ArgumentTypeError, 'K.softmax: axis has to be an integer, got 1.5.'),
        (lambda: K.sum(X, axis='rows'), ArgumentTypeError, 'K.sum: axis has to be an integer or several integers, got'),
        (lambda: K.dot(X, None), ArgumentTypeError, 'K.dot: y has to be a tensor, an array or a number, got None.'),
        (lambda: K.map_fn(3, X), ArgumentTypeError, 'K.map_fn: fn has to be a function, got 3.'),
        (lambda: K.one_hot([1], -1), ArgumentValueError, 'K.one_hot: num_classes has to be an integer of at least 0'),
        (
            lambda: K.conv2d(X, X, padding='SAME'),
            ArgumentValueError,
            "padding has to be 'valid' or 'same', got 'SAME'.",
        ),
        (lambda: K.conv1d(X, X, padding=1), ArgumentTypeError, "padding has to be 'valid', 'same' or 'causal', got 1."),
        (lambda: K.conv2d(X, X, data_format='?'), ArgumentValueError, "'channels_last' or 'channels_first', got '?'."),
        (lambda: K.zeros((2, 1.5)), ArgumentTypeError, 'K.zeros: 1.5 is no integer; a shape consists of integers'),
        (lambda: K.dot(np.ones((2, 3)), X), ShapeError, 'Given: x=an array of shape (2, 3) and dtype float64, y=an'),
    ],
)
def test_messages(call, error, message):
    """A wrong class is a TypeError, a wrong value a ValueError; both say what is possible and what was given."""
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)
    assert isinstance(caught.value, TypeError) == (error is ArgumentTypeError)


def test_nothing_is_recorded():
    """A kind refuses a call before a node, a name or a uid is made."""
    names = [K.identity(X).name]
    for _ in range(3):
        with pytest.raises(ArgumentTypeError):
            K.softmax(X, axis='last')
        with pytest.raises(ArgumentTypeError):
            K.conv2d(X, None)
    names.append(K.identity(X).name)
    numbers = [int(name.rpartition('_')[2]) for name in names]
    assert numbers[0] + 1 == numbers[1]


def test_the_innermost_function_is_named():
    """An error in a step function names the K function that was called there."""
    with pytest.raises(ArgumentTypeError, match=r'^K\.softmax: axis'):
        K.map_fn(lambda x: K.softmax(x, axis='last'), X)


def test_kinds_in_annotations():
    """A kind is found as it is and within Optional, on every Python."""
    assert (kinds.Axis, False) == kind_of(kinds.Axis)
    assert (kinds.Axis, True) == kind_of(Optional[kinds.Axis])
    assert (None, False) == kind_of(int)
    assert (None, False) == kind_of(Optional[int])
    for entry in CONTRACT.values():
        assert all(isinstance(kind_of(entry.function.__annotations__[p])[0], Kind) for p in entry.parameters)
    assert not K.dot.__annotations__


def test_tensor_is_a_class():
    """K.Tensor is to annotate with, and to ask with isinstance; tensors are not made of it."""
    assert Optional[K.Tensor]
    assert List[K.Tensor]
    for tensor in (K.constant(1.0), K.variable(1.0), K.placeholder((2,)), K.exp(X)):
        assert isinstance(tensor, K.Tensor)
    for value in (X, 1.0, [1.0], None):
        assert not isinstance(value, K.Tensor)


def test_shown_is_short():
    """What a message shows of a value is a line of limited length."""
    for value in (
        X,
        np.ones((50, 50)),
        list(range(1000)),
        'x' * 1000,
        [np.ones((50, 50))] * 9,
        Column(),
        K.constant(X),
    ):
        assert len(shown(value)) <= 200
        assert value is not X or 'shape (2, 3)' in shown(value)


def test_shown_is_cut_at_200_letters():
    """Three dots tell that there is more."""

    class Numbers:
        shape, dtype = (), 'float32'

        def __init__(self, count):
            self.count = count

        def __repr__(self):
            return 'x' * self.count

    assert shown(Numbers(200)) == 'x' * 200
    assert shown(Numbers(201)) == 'x' * 197 + '...'
