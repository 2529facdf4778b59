"""Replacements for functions and attributes that arrays, eager tensors and other APIs have, and K does not.

The sentences are the ends of error messages, the same on every engine.
"""

from typing import Any, Dict, Optional, Tuple

import numpy as np

# Names of Keras 3, TensorFlow and NumPy that people look for in K -> what K has.
_FUNCTIONS: Dict[str, str] = {
    'GradientTape': 'K.gradients(loss, variables)',
    'Session': 'K.get_session()',
    'absolute': 'K.abs(x)',
    'add': 'x + y',
    'amax': 'K.max(x, axis)',
    'amin': 'K.min(x, axis)',
    'array': 'K.constant(values), or K.variable(values)',
    'assign': 'K.update(variable, value) inside of K.function, or K.set_value(variable, array)',
    'average': 'K.mean(x, axis)',
    'avg_pool': "K.pool2d(x, pool_size, pool_mode='avg')",
    'broadcast_to': 'x + K.zeros(shape)',
    'concat': 'K.concatenate(tensors, axis)',
    'cond': 'K.switch(condition, then, otherwise)',
    'convert_to_numpy': 'K.get_value(variable), or K.eval(tensor)',
    'convert_to_tensor': 'K.constant(values)',
    'divide': 'x / y',
    'einsum': 'K.batch_dot(x, y, axes), or K.dot(x, y)',
    'logical_and': 'K.all(K.stack([x, y]), axis=0)',
    'logical_not': 'K.equal(x, False)',
    'logical_or': 'K.any(K.stack([x, y]), axis=0)',
    'map': 'K.map_fn(function, x)',
    'matmul': 'K.dot(x, y), or K.batch_dot(x, y) for a product in each sample of a batch',
    'max_pool': "K.pool2d(x, pool_size, pool_mode='max')",
    'multiply': 'x * y',
    'negative': '-x',
    'norm': 'K.sqrt(K.sum(K.square(x)))',
    'power': 'K.pow(x, a)',
    'reduce_max': 'K.max(x, axis)',
    'reduce_mean': 'K.mean(x, axis)',
    'reduce_min': 'K.min(x, axis)',
    'reduce_prod': 'K.prod(x, axis)',
    'reduce_sum': 'K.sum(x, axis)',
    'relu6': 'K.relu(x, max_value=6.)',
    'scan': 'K.rnn(step_function, inputs, initial_states), or K.foldl(function, x)',
    'sess': 'K.get_session()',
    'silu': 'x * K.sigmoid(x)',
    'softmax_cross_entropy': 'K.categorical_crossentropy(target, output, from_logits=True)',
    'split': 'slices, such as x[:, :n] and x[:, n:]',
    'subtract': 'x - y',
    'swish': 'x * K.sigmoid(x)',
    'take': 'K.gather(reference, indices)',
    'tensordot': 'K.dot(x, y)',
    'where': 'K.switch(condition, x, y)',
    'while_loop': 'K.rnn(step_function, inputs, initial_states)',
}

# Attributes of arrays and of eager tensors -> what K has.
_ATTRIBUTES: Dict[str, str] = {
    'T': 'K.transpose(x)',
    'assign': 'K.set_value(x, value), or K.update(x, value) inside of K.function',
    'assign_add': 'K.update_add(x, increment) inside of K.function',
    'assign_sub': 'K.update_sub(x, decrement) inside of K.function',
    'astype': 'K.cast(x, dtype)',
    'copy': 'K.identity(x)',
    'detach': 'K.stop_gradient(x)',
    'dimshuffle': 'K.permute_dimensions(x, pattern)',
    'item': 'K.get_value(x) of a variable, or K.eval(x)',
    'numpy': 'K.get_value(x) of a variable, K.eval(x) of a tensor that needs no input, or K.function',
    'read_value': 'K.identity(x)',
    'set_shape': 'K.reshape(x, shape)',
    'size': 'K.count_params(x) of a variable, or K.prod(K.shape(x))',
    'take': 'K.gather(x, indices)',
    'tolist': 'K.eval(x).tolist()',
    'value': 'K.get_value(x) of a variable, or K.identity(x) for a tensor',
}

BOOL = (
    'K.switch(condition, then, otherwise) chooses in the graph, and K.eval(x) gives the value where it needs no input'
)
NUMBER = 'K.eval(x) gives the value where it needs no input, K.function where it does'
ARRAY = (
    'NumPy cannot compute with it: use the function of K, such as K.exp(x); '
    'K.eval(x) or K.function give its value as an array'
)
ITERATION = 'K.map_fn(function, x) goes over the first axis, K.rnn over time, x[0] is one element'
LENGTH = 'K.shape(x)[0] is the length as a tensor'
ASSIGNMENT = (
    'K.set_value(x, array) sets all of a variable, K.update(x, value) does so in K.function, '
    'and K.switch(mask, new, x) changes some elements'
)
PICKLING = 'pickle the values, K.batch_get_value(variables), and build the tensors and functions again'


class OfThisProcess:
    """An object that belongs to the graph of this process: its copy is itself, and it cannot be pickled."""

    name: str

    def __copy__(self) -> 'OfThisProcess':
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f'{self.name} belongs to the graph of this process. To keep it, {PICKLING}.')


def function(name: str) -> Optional[str]:
    """The replacement for `K.name`, in words, or None."""
    from ..contract import CONTRACT  # takes milliseconds, and this is an error

    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    from ..config import nearest

    near = nearest(name, list(CONTRACT))
    return None if near is None else f'K.{near}'


def attribute(name: str) -> Optional[str]:
    """The replacement for `x.name` of a K tensor, in words, or None."""
    from ..contract import CONTRACT

    if name in _ATTRIBUTES:
        return _ATTRIBUTES[name]
    if name.startswith('_') or name not in CONTRACT:
        return None
    others = len(CONTRACT[name].parameters) > 1
    return f'K.{name}(x{", ..." if others else ""})'


def no_attribute(kind: str, name: str) -> str:
    """The message of the AttributeError for `x.name`, where `kind` names the class of x."""
    instead = attribute(name)
    return f'{kind!r} object has no attribute {name!r}' + (f'; write {instead}' if instead else '')


# -- ufuncs of NumPy ---------------------------------------------------------------------------------------------------
# Operators between an array of NumPy and a K tensor: NumPy calls its ufunc, which asks the tensor.
#
# `array * tensor` is `numpy.multiply(array, tensor)`, and becomes `tensor.__rmul__(array)`. All others are refused.


# ufunc -> the method of its left operand, and the method of its right one.
_METHODS: Dict[Any, Tuple[str, str]] = {
    np.add: ('__add__', '__radd__'),
    np.subtract: ('__sub__', '__rsub__'),
    np.multiply: ('__mul__', '__rmul__'),
    np.true_divide: ('__truediv__', '__rtruediv__'),
    np.floor_divide: ('__floordiv__', '__rfloordiv__'),
    np.remainder: ('__mod__', '__rmod__'),
    np.power: ('__pow__', '__rpow__'),
    np.matmul: ('__matmul__', '__rmatmul__'),
    np.less: ('__lt__', '__gt__'),
    np.less_equal: ('__le__', '__ge__'),
    np.greater: ('__gt__', '__lt__'),
    np.greater_equal: ('__ge__', '__le__'),
    np.equal: ('__eq__', '__eq__'),
    np.not_equal: ('__ne__', '__ne__'),
    np.bitwise_and: ('__and__', '__rand__'),
    np.bitwise_or: ('__or__', '__ror__'),
    np.bitwise_xor: ('__xor__', '__rxor__'),
}


def apply_ufunc(tensor: Any, ufunc: Any, method: str, inputs: Tuple[Any, ...], named: Dict[str, Any]) -> Any:
    """The result of the ufunc with `tensor` among its inputs; TypeError where K has no operator for it."""
    out = named.pop('out', None)  # of `array += tensor`, which gives a new tensor
    in_place = out is None or (len(out) == 1 and out[0] is inputs[0])
    if method == '__call__' and ufunc in _METHODS and len(inputs) == 2 and in_place and not named:
        of_left, of_right = _METHODS[ufunc]
        if inputs[0] is tensor:
            return getattr(tensor, of_left)(inputs[1])
        return getattr(tensor, of_right)(inputs[0])
    raise TypeError(f'numpy.{ufunc.__name__} cannot take {tensor!r}. {ARRAY}.')
