"""What the launcher changes of classes that are not of Keras, for the whole process, and why it is done there.

The classes of Keras itself are the launcher's matter: a program of tf.keras has no others. What can be done in the code
of the program is done there: see `program_code`.
"""

from typing import Dict

from .tensors import OPERATORS

_ARRAYS = (
    'of an array and a tensor: Python asks the tensor, and NumPy would drop the gradient without a word; '
    'between tensors it is the method of PyTorch'
)
_SHAPE = 'a shape has as_list in the code of a program, also of one that was compiled before the launcher was imported'
_VALUE = 'tensors of tf.keras have it'
_TRACED = 'the sentence about a value that is not there names the line of the program; nothing else differs'

# The backend -> attribute of a class -> reason.
CHANGED: Dict[str, Dict[str, str]] = {
    'tensorflow': {},
    'torch': {
        **{f'Tensor.__{name}__': _ARRAYS for name in OPERATORS},
        'Tensor.shape': _SHAPE,
        'Tensor.get_shape': _VALUE,
        'Tensor.numpy': 'the value of a tensor that has a gradient, which PyTorch refuses',
        'Tensor.__array__': _TRACED,
    },
    'jax': {
        'ArrayImpl.shape': _SHAPE,
        'ArrayImpl.get_shape': _VALUE,
        'ArrayImpl.numpy': _VALUE,
        'Tracer.shape': _SHAPE,
        'Tracer.get_shape': _VALUE,
        'Tracer.__getattr__': _TRACED,
        'Tracer.__bool__': _TRACED,
    },
}
