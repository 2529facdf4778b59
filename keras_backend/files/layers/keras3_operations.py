"""Operations of Keras 3 in a model: tensors that were added, sliced or averaged outside of a layer.

Source: the documentation of keras.ops (https://keras.io/api/ops/).
"""

import operator
from typing import Any, Callable, Dict, List

from .use import Use

PREFIX = 'ops.'
Operation = Callable[[Use, List[Any], Dict[str, Any]], Any]


def _of_k(name: str, *wanted: str) -> Operation:
    """A function of K. wanted: the names in the configuration of its arguments behind the tensor."""
    return lambda use, given, config: getattr(use.K, name)(*given, *[config.get(key) for key in wanted])


def _python(function: Callable[..., Any]) -> Operation:
    return lambda use, given, config: function(*given)


def _reduced(name: str) -> Operation:
    def reduce(use: Use, given: List[Any], config: Dict[str, Any]) -> Any:
        return getattr(use.K, name)(given[0], axis=config.get('axis'), keepdims=bool(config.get('keepdims')))

    return reduce


def _joined(name: str) -> Operation:
    return lambda use, given, config: getattr(use.K, name)(given, axis=config.get('axis', -1))


def _two(name: str) -> Operation:
    """A function of two tensors, of which one may be a number."""

    def call(use: Use, given: List[Any], config: Dict[str, Any]) -> Any:
        K = use.K
        tensor = next(x for x in given if K.is_tensor(x))
        return getattr(K, name)(*[x if K.is_tensor(x) else K.constant(x, K.dtype(tensor)) for x in given])

    return call


def _counted(compare: Callable[[Any, Any], Any]) -> Operation:
    """A logical function: `compare(K, number)`, of how many of the arguments are true."""

    def call(use: Use, given: List[Any], config: Dict[str, Any]) -> Any:
        K = use.K
        count = sum([K.cast(K.not_equal(x, K.cast(0, K.dtype(x))), 'int32') for x in given])
        return compare(K, count)

    return call


def _alike(name: str) -> Operation:
    return lambda use, given, config: getattr(use.K, name)(given[0], dtype=config.get('dtype') or use.K.dtype(given[0]))


def _index(value: Any) -> Any:
    if isinstance(value, dict) and value.get('class_name') == '__slice__':
        return slice(*[value['config'].get(key) for key in ('start', 'stop', 'step')])
    if isinstance(value, dict) and value.get('class_name') == '__ellipsis__':
        return Ellipsis
    return tuple([_index(entry) for entry in value]) if isinstance(value, (list, tuple)) else value


def _transposed(use: Use, given: List[Any], config: Dict[str, Any]) -> Any:
    axes = config.get('axes')
    return use.K.transpose(given[0]) if axes is None else use.K.permute_dimensions(given[0], axes)


def _squeezed(use: Use, given: List[Any], config: Dict[str, Any]) -> Any:
    axes = config['axis'] if isinstance(config['axis'], (list, tuple)) else [config['axis']]
    x = given[0]
    for axis in sorted([axis % use.K.ndim(x) for axis in axes], reverse=True):
        x = use.K.squeeze(x, axis)
    return x


OPERATIONS: Dict[str, Operation] = {
    'Add': _python(operator.add), 'Subtract': _python(operator.sub), 'Multiply': _python(operator.mul),
    'TrueDivide': _python(operator.truediv), 'Divide': _python(operator.truediv), 'Negative': _python(operator.neg),
    **{kind: _of_k(name) for kind, name in (
        ('Absolute', 'abs'), ('Abs', 'abs'), ('Exp', 'exp'), ('Log', 'log'), ('Sqrt', 'sqrt'), ('Square', 'square'),
        ('Sign', 'sign'), ('Round', 'round'), ('Sin', 'sin'), ('Cos', 'cos'), ('Tanh', 'tanh'), ('Sigmoid', 'sigmoid'),
        ('Relu', 'relu'), ('Softplus', 'softplus'), ('Softsign', 'softsign'),
    )},
    **{kind: _two(name) for kind, name in (
        ('Maximum', 'maximum'), ('Minimum', 'minimum'), ('Equal', 'equal'), ('NotEqual', 'not_equal'),
        ('Greater', 'greater'), ('GreaterEqual', 'greater_equal'), ('Less', 'less'), ('LessEqual', 'less_equal'),
    )},
    **{kind: _reduced(kind.lower()) for kind in ('Mean', 'Sum', 'Max', 'Min', 'Prod', 'Std', 'Var', 'Any', 'All')},
    'LogicalOr': _counted(lambda K, true: K.greater(true, 0)), 'LogicalAnd': _counted(lambda K, true: K.equal(true, 2)),
    'LogicalNot': _counted(lambda K, true: K.equal(true, 0)), 'LogicalXor': _counted(lambda K, true: K.equal(true, 1)),
    'ZerosLike': _alike('zeros_like'), 'OnesLike': _alike('ones_like'),
    'ConvertToTensor': lambda use, given, config: use.K.cast(given[0], config.get('dtype') or use.K.dtype(given[0])),
    'Power': _of_k('pow'), 'Softmax': _of_k('softmax', 'axis'), 'ExpandDims': _of_k('expand_dims', 'axis'),
    'Clip': _of_k('clip', 'x_min', 'x_max'), 'Cast': _of_k('cast', 'dtype'), 'Concatenate': _joined('concatenate'),
    'Stack': _joined('stack'), 'Transpose': _transposed, 'Squeeze': _squeezed,
    'GetItem': lambda use, given, config: given[0][_index(config.get('1', config.get('key')))],
    'Reshape': lambda use, given, config: use.K.reshape(given[0], tuple(config['newshape'])),
}  # fmt: skip


def operation(use: Use) -> Any:
    """An operation of the table, of the tensors and numbers that it is called with."""
    return OPERATIONS[use.layer.kind[len(PREFIX) :]](use, list(use.inputs), {**use.config, **use.arguments})
