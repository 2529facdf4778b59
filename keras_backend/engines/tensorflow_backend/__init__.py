"""The TensorFlow engine: K on the graphs, tensors and variables of TensorFlow itself, so `tf.*` mixes with K freely.

TensorFlow is switched to graphs for the whole process when this is imported; inside of a function that `K.eager`
decorates it computes at once.
"""

from ... import binding
from ...contract import CONTRACT
from . import _loop, control, conv, ctc, elementwise, linalg, nn, random, reduction, shape, state, tensors, values

for _topic in (shape, linalg, reduction, elementwise, nn, conv, random, ctc, values, control, _loop, state, tensors):
    globals().update(
        {
            _name: _f
            for _name, _f in vars(_topic).items()
            if _name in CONTRACT and getattr(_f, '__module__', None) == _topic.__name__
        }
    )

binding.complete(globals(), title='TensorFlow', name='tensorflow')
