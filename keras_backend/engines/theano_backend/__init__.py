"""The Theano engine: K on the variables of Theano itself, so that `theano.tensor` mixes with K freely."""

from ... import binding
from ...contract import CONTRACT
from . import _loop, control, conv, ctc, elementwise, linalg, nn, random, reduction, shape, state, tensors, values
from ._library import NAME, VERSION
from ._variables import building

for _topic in (shape, linalg, reduction, elementwise, nn, conv, random, ctc, values, control, _loop, state, tensors):
    globals().update(
        {
            _name: building(_f)
            for _name, _f in vars(_topic).items()
            if _name in CONTRACT and getattr(_f, '__module__', None) == _topic.__name__
        }
    )

binding.complete(globals(), title='Theano', name='theano', library=f'{NAME} {VERSION}')
