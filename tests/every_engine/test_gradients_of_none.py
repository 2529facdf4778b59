"""K.gradients gives None where there is no gradient. Where it is passed on, the error says whose it was, and why."""

import pytest

import keras_backend as K

# What a program does with the gradient of a variable, and the beginning of the message.
PASSED_ON = {
    'outputs': (lambda x, v, g: K.function([x], [g]), 'K.function: outputs has to hold K tensors, got None.'),
    'second output': (lambda x, v, g: K.function([x], [K.sum(x), g]), 'K.function: outputs has to hold K tensors'),
    'pair of updates': (lambda x, v, g: K.function([x], [x], updates=[(v, g)]), 'K.function: updates has to hold new'),
    'an update': (lambda x, v, g: K.function([x], [x], updates=[g]), 'K.function: updates has to hold pairs'),
    'update_sub': (lambda x, v, g: K.update_sub(v, g), 'K.update_sub: decrement has to be a tensor'),
    'argument': (lambda x, v, g: K.square(g), 'K.square: x has to be a tensor'),
}


@pytest.mark.parametrize('name', sorted(PASSED_ON))
def test_gradient_of_none_is_named(name):
    """The error says for which variable K.gradients gave None, by which loss, and why that may be."""
    x, v = K.placeholder((2,)), K.variable([1.0, 2.0], name='untouched')
    (gradient,) = K.gradients(K.sum(x * 2.0), [v])
    assert gradient is None
    call, beginning = PASSED_ON[name]
    with pytest.raises(TypeError) as caught:
        call(x, v, gradient)
    message = str(caught.value)
    assert message.startswith(beginning)
    assert 'K.gradients last gave None for ' in message
    assert 'untouched' in message
    assert 'does not depend on it, or only through what has no gradient, such as K.stop_gradient' in message


def test_gradient_by_an_integer():
    """An integer has no gradient, whatever the loss is."""
    x = K.placeholder((2,), dtype='int32')
    gradients = K.gradients(K.sum(K.cast(x, 'float32')), [x])
    assert gradients == [None]
    with pytest.raises(TypeError, match='only floats have gradients'):
        K.function([x], gradients)


def test_none_without_gradients():
    """A None that K.gradients has not given is not explained by it, nor one of before K.clear_session."""
    x, v = K.placeholder((2,)), K.variable([1.0, 2.0])
    K.gradients(K.sum(x), [v])
    K.clear_session()
    x = K.placeholder((2,))
    with pytest.raises(TypeError) as caught:
        K.function([x], [None])
    assert str(caught.value) == 'K.function: outputs has to hold K tensors, got None.'
