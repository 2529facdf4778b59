"""Functions whose arguments a text tells are called as functions that were written with them."""

import inspect
import re

import pytest

from keras_backend.basics.arguments import signature_of, taking

START = object()


@taking('inputs, keep_prob=0.5, seed=None, *more, **options')
def dropout(given):
    """Told."""
    return given.inputs, given.keep_prob, given.seed, given.more, given.options


def written(inputs, keep_prob=0.5, seed=None, *more, **options):
    """The same in Python."""
    return inputs, keep_prob, seed, more, options


class Layer:
    """A class whose method has its arguments from a text."""

    @taking('self, units, start=START, sizes=(1, -2)', START=START)
    def __init__(self, given):
        assert not hasattr(given, 'self')
        self.units, self.start, self.sizes = given.units, given.start, given.sizes


@pytest.mark.parametrize(
    ('args', 'kwargs'),
    [((1,), {}), ((1, 2), {'seed': 3}), ((), {'inputs': 1, 'name': 'a'}), ((1, 2, 3, 4, 5), {'scope': None})],
)
def test_calls_with_arguments_of_a_text(args, kwargs):
    """Positions, names, defaults, and what is left over."""
    assert written(*args, **kwargs) == dropout(*args, **kwargs)


def test_signature_of_a_text():
    """`inspect` sees the arguments, and the name and the text of the function."""
    assert (
        inspect.signature(written) == inspect.signature(dropout) == signature_of(str(inspect.signature(written))[1:-1])
    )
    assert ('dropout', 'Told.') == (dropout.__name__, dropout.__doc__)


def test_methods_with_arguments_of_a_text():
    """A default that no text can tell is an object that is named."""
    layer = Layer(3)
    assert (3, START, (1, -2)) == (layer.units, layer.start, layer.sizes)
    assert 7 == Layer(units=3, start=7).start


@pytest.mark.parametrize(
    ('call', 'words'),
    [
        (lambda: dropout(), "dropout(): missing a required argument: 'inputs'"),
        (lambda: dropout(1, inputs=2), "dropout(): multiple values for argument 'inputs'"),
        (lambda: Layer(), "__init__(): missing a required argument: 'units'"),
        (lambda: Layer(1, 2, 3, 4), '__init__(): too many positional arguments'),
        (lambda: Layer(1, unit=2), "__init__(): got an unexpected keyword argument 'unit'"),
    ],
)
def test_wrong_calls_with_arguments_of_a_text(call, words):
    """The error names the function and the argument."""
    with pytest.raises(TypeError, match='^' + re.escape(words)):
        call()
