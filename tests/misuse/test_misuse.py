"""K tensors used as arrays or as eager tensors: the error says what to write instead, on every engine."""

import sys
import warnings

import numpy as np
import pytest
from processes import ENGINE

import keras_backend as K


def assigned(x):
    """What a program of NumPy does with an array."""
    x[0] = 1.0


MISUSES = {
    'if': (bool, 'K.switch'),
    'iteration': (list, 'K.map_fn'),
    'float': (float, 'K.eval'),
    'int': (int, 'K.eval'),
    'assignment': (assigned, 'K.set_value'),
    'numpy': (lambda x: x.numpy(), 'K.eval'),
    'astype': (lambda x: x.astype('float64'), 'K.cast'),
    'assign': (lambda x: x.assign(1.0), 'K.set_value'),
    'numpy function': (lambda x: np.exp(x), 'K.exp'),
    'mean': (lambda x: x.mean(), 'K.mean'),
    'transpose': (lambda x: x.T, 'K.transpose'),
}
# Theano's own variables have these.
OF_THEANO = {'astype', 'numpy function', 'mean', 'transpose'}


@pytest.mark.parametrize('how', sorted(MISUSES))
def test_misuse_names_the_function_of_k(how):
    """Each error is a TypeError, an AttributeError or a NotImplementedError that names a function of K."""
    if ENGINE == 'theano' and how in OF_THEANO:
        pytest.skip('a variable of Theano has it')
    misuse, instead = MISUSES[how]
    x = K.placeholder((None, 2))
    y = K.dot(x, K.variable(np.ones((2, 3))))
    with pytest.raises((TypeError, AttributeError, NotImplementedError)) as caught:
        misuse(y)
    assert instead in str(caught.value)
    # Advice of TensorFlow for programs without K.
    assert 'tf.function' not in str(caught.value)


@pytest.mark.skipif(ENGINE == 'theano', reason='a variable of Theano has them')
@pytest.mark.parametrize('how', ['astype', 'mean', 'transpose'])
def test_misuse_of_a_variable(how):
    """A variable says the same as a tensor that is computed."""
    misuse, instead = MISUSES[how]
    with pytest.raises(AttributeError) as caught:
        misuse(K.variable(np.ones((2, 3))))
    assert instead in str(caught.value)


def test_graph_works_after_misuse():
    """No misuse leaves anything behind in the graph."""
    x = K.placeholder((None, 2))
    y = K.dot(x, K.variable(np.ones((2, 3))))
    for how, (misuse, _instead) in MISUSES.items():
        if ENGINE != 'theano' or how not in OF_THEANO:
            with pytest.raises((TypeError, AttributeError, NotImplementedError)):
                misuse(y)
    assert (np.full((1, 3), 2.0) == K.function([x], [y])([np.ones((1, 2))])[0]).all()


@pytest.mark.skipif(sys.version_info < (3, 7), reason='Python 3.6 does not ask a module for what it lacks')
@pytest.mark.parametrize(
    ('name', 'instead'),
    [
        ('matmul', 'K.dot(x, y)'),
        ('reduce_mean', 'K.mean'),
        ('relu6', 'max_value=6.'),
        ('sofmax', 'K.softmax'),
        ('softmax_cross_entropy', 'K.categorical_crossentropy'),
        ('where', 'K.switch'),
    ],
)
def test_names_of_other_apis(name, instead):
    """A name that K does not have leads to the one that it has; unlike names lead nowhere."""
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'") as caught:
        getattr(K, name)
    assert instead in str(caught.value)
    with pytest.raises(AttributeError) as caught:
        K.zzzzzz  # noqa: B018
    assert 'write' not in str(caught.value)


@pytest.mark.parametrize('dtype', ['float32', 'int32'])
def test_operators_between_arrays_and_tensors(dtype):
    """An array of NumPy on the left leaves the operator to the tensor, in place, too."""
    a = np.array([[3, 4], [5, 6]], dtype)
    b = np.array([[2, 2], [7, 1]], dtype)
    t = K.variable(b, dtype=dtype)
    for made, expected in [
        (a + t, a + b),
        (a - t, a - b),
        (a * t, a * b),
        (a > t, a > b),
        (a <= t, a <= b),
        (a[0, 0] * t, a[0, 0] * b),
        (a[0] - t, a[0] - b),
    ]:
        assert (expected == K.eval(made)).all()
    total = a.copy()
    total += t
    assert (a + b == K.eval(total)).all()


def costs_of_unlike_batches():
    """A label of one sample beside outputs of two."""
    lengths = K.placeholder((2, 1))
    return K.ctc_batch_cost(K.placeholder((1, 2)), K.placeholder((2, 4, 3)), lengths, lengths)


# Misuses, and what the user is to read of each.
MESSAGES = {
    'one number': (lambda: K.constant(300, dtype='uint8'), 'K.constant: uint8 holds numbers from 0 to 255, not 300.'),
    'a range': (lambda: K.constant([-7, 300], dtype='uint8'), 'from 0 to 255, not -7 to 300.'),
    'nan': (lambda: K.constant(float('nan'), dtype='uint8'), 'from 0 to 255, not nan.'),
    'random shape': (
        lambda: K.random_normal((None, 2)),
        'K.random_normal: shape=(None, 2) is not possible; use K.shape(x)[i] for a size known only in a run.',
    ),
    'negative shape': (lambda: K.random_uniform((-1, 2)), 'K.random_uniform: shape=(-1, 2) is not possible; use'),
    'placeholder': (lambda: K.placeholder(3), 'or None, such as (None, 3), got 3.'),
    'samples': (
        costs_of_unlike_batches,
        'K.ctc_batch_cost: all arguments have to have the same number of samples, but y_true has 1, y_pred has 2, '
        'input_length has 2, label_length has 2.',
    ),
}


@pytest.mark.parametrize('what', sorted(MESSAGES))
def test_messages_say_what_was_given(what):
    """The message has what the user wrote, not what became of it, and says what to write instead."""
    misuse, expected = MESSAGES[what]
    with pytest.raises((TypeError, ValueError)) as caught:
        misuse()
    assert expected in str(caught.value)


@pytest.mark.skipif(ENGINE == 'tensorflow', reason="the operators are TensorFlow's own")
def test_operator_of_a_negative_power():
    """`x ** -1` of integers is refused when it is written, as K.pow does."""
    with pytest.raises(ValueError, match='a=-1 is a negative power'):
        K.constant([1, 2], dtype='int32') ** -1
    assert ([1.0, 0.5] == K.eval(K.constant([1.0, 2.0]) ** -1)).all()


def test_division_of_integers_by_zero_is_silent():
    """Where the run has an answer, no warning comes with it."""
    if ENGINE in ('tensorflow', 'cntk'):
        pytest.skip('the run is an error, or the library answers')
    x = K.constant([7], dtype='int32')
    with warnings.catch_warnings():
        # Of numbers; Theano's libraries warn of what is deprecated.
        warnings.simplefilter('error', RuntimeWarning)
        K.eval(x // 0)
        if ENGINE != 'theano':  # Theano raises an error where the divisor is not constant, and has no integer for NaN
            fed = K.placeholder((1,), dtype='int32')
            K.function([fed], [fed // 0])([[7]])
            K.eval(K.cast(K.constant([np.nan]), 'int32'))
