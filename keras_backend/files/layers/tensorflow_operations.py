"""Functions and operations of TensorFlow that tf.keras stores as layers, by functions of K of the same meaning.

Source: the documentation of TensorFlow 1.15 and 2.
"""

import ast
from typing import Any, Callable, Dict, List, Mapping, Optional

import numpy as np

from ...errors import UnknownLayerError
from ..names import tensorflow_names
from ..names.counted import counted
from ..names.tensorflow_more import MORE
from ..names.tensorflow_pictures import PICTURES
from ..python_code.limits import NotAllowed, Running
from ..python_code.values import Allowed, Namespace, Tensors
from .convolutional import resized
from .core import as_given
from .use import Use, tensor_list

# Functions of TensorFlow's operators.
_BINARY = {'add': '+', 'sub': '-', 'mul': '*', 'truediv': '/', 'floordiv': '//', 'mod': '%', 'pow': '**', 'matmul': '@'}
_COMPARED = {'eq': 'equal', 'ne': 'not_equal', 'lt': 'less', 'le': 'less_equal', 'gt': 'greater', 'ge': 'greater_equal'}
_WORDS = {'logical_and': 'logical_and', 'logical_or': 'logical_or', 'logical_not': 'logical_not', 'and': 'logical_and'}


# Arguments that tf.keras writes with the values that they have by themselves.
_DEFAULTS: Dict[str, Any] = {
    'conjugate': False, 'adjoint_a': False, 'adjoint_b': False, 'a_is_sparse': False, 'b_is_sparse': False,
    'output_type': None, 'batch_dims': 0, 'validate_indices': None,
}  # fmt: skip


def _unknown(use: Use, name: str) -> UnknownLayerError:
    return UnknownLayerError(
        f'The layer {use.layer.name} is the function {name[:60]} of TensorFlow, which has no meaning here; give '
        f'layers={{{use.layer.kind!r}: function}}, a function (K, layer, weights, inputs) -> tensor.',
        use.layer.name,
        use.layer.kind,
    )


def _slices(spec: Any) -> Any:
    """An index as a file has it: slices are dicts."""
    if isinstance(spec, (list, tuple)):
        return tuple([_slices(entry) for entry in spec])
    if isinstance(spec, dict):
        if set(spec) <= {'start', 'stop', 'step'}:
            return slice(*[spec.get(name) for name in ('start', 'stop', 'step')])
        return Ellipsis
    return Ellipsis if spec in ('...', 'Ellipsis') else spec


def _as_tensor(K: Any, value: Any) -> Any:
    """An input, of which an array of the file is a constant."""
    if not isinstance(value, np.ndarray):
        return value
    return K.constant(value, 'float32' if value.dtype.kind == 'f' else 'int32')


def function(use: Use) -> Any:
    """TFOpLambda and SlicingOpLambda: the call of a function by its name."""
    name = str(use.config['function'])
    arguments = {
        key: value
        for key, value in use.arguments.items()
        if key != 'name' and not (key in _DEFAULTS and value == _DEFAULTS[key])
    }
    inputs = [_as_tensor(use.K, value) for value in use.inputs]
    first = as_given(inputs)
    if name.endswith('__operators__.getitem'):
        return first[_slices(arguments.get('slice_spec', arguments.get('key')))]
    if name == 'einsum' and not arguments and isinstance(first, str):
        raise use.error('is tf.einsum, of which tf.keras writes the formula alone, and not its tensors')
    tf_function = _found(use, name)
    with Running(Tensors(use.K).shape) as (budget, _):
        budget.give([*inputs, *arguments.values()])
        try:
            return tf_function(first, **arguments)
        except NotAllowed as error:
            raise use.error(
                f'is the function {name[:60]} of TensorFlow, and it is not computed, because {error}'
            ) from None


def _found(use: Use, name: str) -> Callable[..., Any]:
    K = counted(use.K, tensorflow_names.NAMES)
    space: Any = tensorflow_names.namespace(K, tensorflow_names.k_namespace(K))
    segments = name.replace('compat.v1.', '').split('.')
    if segments[0] == 'keras' and segments[1:2] == ['backend']:
        segments = ['keras', *segments[1:]]
    if segments[0] == '__operators__':
        word = segments[-1]
        if word in _BINARY:
            return lambda x, y: tensorflow_names.binary(_BINARY[word], x, y)
        segments = [_COMPARED.get(word) or _WORDS.get(word, word)]
    if segments == ['image', 'resize']:
        return lambda images, size, method='bilinear', **more: _resize(use, images, size, method, more)
    more = _more(segments)
    if more is not None:
        return lambda *args, **named: more(use.K, *args, **named)
    for segment in segments:
        if not isinstance(space, Namespace) or segment not in space.members:
            raise _unknown(use, name)
        space = space.members[segment]
    if not isinstance(space, Allowed):
        raise _unknown(use, name)
    return space.function


def _more(segments: List[str]) -> Optional[Callable[..., Any]]:
    """The function of a module and a name, where it is one of this file or of its tables."""
    *modules, name = segments
    if modules == ['image']:
        return PICTURES.get(name)
    return {**MORE, **_MORE}.get(name) if modules in ([], ['nn'], ['math'], ['linalg']) else None


def _resize(use: Use, images: Any, size: Any, method: str, more: Mapping[str, Any]) -> Any:
    """tf.image.resize of TensorFlow 2."""
    if any(more.values()):
        raise use.error(f'resizes images by {method!r} with options, which is not done here')
    return resized(use, images, (1, 2), [int(length) for length in size], str(method))


def _erf(K: Any, x: Any) -> Any:
    from .use import erf

    return erf(K, x)


def _gelu(K: Any, features: Any, approximate: bool = False) -> Any:
    from .use import TABLE

    return TABLE['gelu_approximate' if approximate else 'gelu'](K, features)


_MORE: Dict[str, Callable[..., Any]] = {
    'erf': _erf,
    'gelu': _gelu,
    'silu': lambda K, features, beta=1.0: features * K.sigmoid(beta * features),
    'swish': lambda K, features, beta=1.0: features * K.sigmoid(beta * features),
    'selu': lambda K, features: 1.0507009873554805 * K.elu(features, 1.6732632423543772),
    'strided_slice': lambda K, input_, begin, end, strides=None, **masks: _strided_slice(
        K, [input_, begin, end, [1] * len(begin) if strides is None else strides], masks
    ),
}


# -- operations of graphs ------------------------------------------------------------------------------------------
Operation = Callable[[Any, List[Any], Mapping[str, Any]], Any]


def _of_attribute(attribute: Any) -> Any:
    """The value of an attribute of a node: {'b': true}, {'i': '3'}, {'type': 'DT_FLOAT'} ..."""
    if not isinstance(attribute, dict):
        return attribute
    for key, value in attribute.items():
        if key == 'i':
            return int(value)
        if key == 'f':
            return float(value)
        if key == 'list':
            return [int(number) for number in value.get('i', [])]
        return value
    return None


def constant(value: Any) -> Any:
    """A constant of a node, which a file has as a number, a list, or the text of an array."""
    if isinstance(value, str):
        text = value.strip()
        return np.asarray(ast.literal_eval(_with_commas(text)))
    return np.asarray(value)


def _with_commas(text: str) -> str:
    """`[0 1]` of NumPy as `[0,1]`."""
    words = text.replace('[', ' [ ').replace(']', ' ] ').replace(',', ' ').split()
    joined = ''
    for word in words:
        joined += (',' if joined and joined[-1] not in '[' and word != ']' else '') + word
    return joined


def _reduced(name: str) -> Operation:
    def reduce(K: Any, inputs: List[Any], attributes: Mapping[str, Any]) -> Any:
        axes = np.asarray(inputs[1]).ravel().tolist()
        return getattr(K, name)(inputs[0], axis=axes, keepdims=bool(attributes.get('keep_dims', False)))

    return reduce


def _one(name: str) -> Operation:
    return lambda K, inputs, attributes: getattr(K, name)(inputs[0])


def _two(name: str) -> Operation:
    return lambda K, inputs, attributes: getattr(K, name)(inputs[0], inputs[1])


def _strided_slice(K: Any, inputs: List[Any], attributes: Mapping[str, Any]) -> Any:
    """x[begin:end:step, ...]; bits of the attributes say what else an entry is."""
    begin, end, step = [np.asarray(x).ravel().tolist() for x in inputs[1:4]]

    def bit(name: str, place: int) -> bool:
        return bool(int(attributes.get(name) or 0) >> place & 1)

    index: List[Any] = []
    for position in range(len(begin)):
        if bit('ellipsis_mask', position):
            index.append(Ellipsis)
        elif bit('new_axis_mask', position):
            index.append(None)
        elif bit('shrink_axis_mask', position):
            index.append(begin[position])
        else:
            first = None if bit('begin_mask', position) else begin[position]
            index.append(slice(first, None if bit('end_mask', position) else end[position], step[position]))
    return inputs[0][tuple(index)]


def _matmul(K: Any, inputs: List[Any], attributes: Mapping[str, Any]) -> Any:
    a, b = inputs
    for name in ('transpose_a', 'adj_x'):
        a = K.permute_dimensions(a, _last_two(K.ndim(a))) if attributes.get(name) else a
    for name in ('transpose_b', 'adj_y'):
        b = K.permute_dimensions(b, _last_two(K.ndim(b))) if attributes.get(name) else b
    return K.dot(a, b) if K.ndim(b) == 2 else K.batch_dot(a, b, [K.ndim(a) - 1, K.ndim(b) - 2])


def _last_two(rank: int) -> List[int]:
    return [*range(rank - 2), rank - 1, rank - 2]


def _numbers(value: Any) -> List[int]:
    numbers: List[int] = np.asarray(value).ravel().astype(int).tolist()
    return numbers


def _squeeze(K: Any, inputs: List[Any], attributes: Mapping[str, Any]) -> Any:
    x = inputs[0]
    axes = attributes.get('squeeze_dims') or [axis for axis, size in enumerate(K.int_shape(x)) if size == 1]
    for axis in sorted([axis % K.ndim(x) for axis in axes], reverse=True):
        x = K.squeeze(x, axis)
    return x


def _dtype(attributes: Mapping[str, Any], name: str) -> str:
    names = {'DT_FLOAT': 'float32', 'DT_DOUBLE': 'float64', 'DT_HALF': 'float16'}
    dtype = str(attributes.get(name))
    return names.get(dtype, dtype.replace('DT_', '').lower())


def _fill(K: Any, inputs: List[Any], attributes: Mapping[str, Any]) -> Any:
    sizes = inputs[0]
    return K.reshape(K.tile(K.reshape(K.constant(inputs[1]), (1,)), [K.prod(sizes)]), sizes)


OPERATIONS: Dict[str, Operation] = {
    **{op: _reduced(name) for op, name in dict(Mean='mean', Sum='sum', Max='max', Min='min', Prod='prod').items()},
    **{
        op: _one(name)
        for op, name in dict(
            Relu='relu', Elu='elu', Sigmoid='sigmoid', Tanh='tanh', Exp='exp', Log='log', Sqrt='sqrt', Square='square',
            Abs='abs', Softmax='softmax', Softplus='softplus', Softsign='softsign', Sign='sign', Sin='sin', Cos='cos',
            Round='round', OnesLike='ones_like', ZerosLike='zeros_like', StopGradient='stop_gradient',
            Identity='identity', Shape='shape',
        ).items()
    },
    **{
        op: _two(name)
        for op, name in dict(
            Maximum='maximum', Minimum='minimum', Pow='pow', Greater='greater', GreaterEqual='greater_equal',
            Less='less', LessEqual='less_equal', Equal='equal', NotEqual='not_equal',
        ).items()
    },
    **dict.fromkeys(['Add', 'AddV2', 'BiasAdd'], lambda K, inputs, attributes: inputs[0] + inputs[1]),
    **dict.fromkeys(['RealDiv', 'Div'], lambda K, inputs, attributes: inputs[0] / inputs[1]),
    **dict.fromkeys(['MatMul', 'BatchMatMul', 'BatchMatMulV2'], _matmul),
    'Sub': lambda K, inputs, attributes: inputs[0] - inputs[1],
    'Mul': lambda K, inputs, attributes: inputs[0] * inputs[1],
    'Neg': lambda K, inputs, attributes: -inputs[0],
    'SquaredDifference': lambda K, inputs, attributes: K.square(inputs[0] - inputs[1]),
    'Rsqrt': lambda K, inputs, attributes: 1.0 / K.sqrt(inputs[0]),
    'Reciprocal': lambda K, inputs, attributes: 1.0 / inputs[0],
    'Relu6': lambda K, inputs, attributes: K.relu(inputs[0], max_value=6.0),
    'LeakyRelu': lambda K, inputs, attributes: K.relu(inputs[0], alpha=float(attributes.get('alpha') or 0.2)),
    'AddN': lambda K, inputs, attributes: sum(inputs[1:], inputs[0]),
    'Cast': lambda K, inputs, attributes: K.cast(inputs[0], _dtype(attributes, 'DstT')),
    'ClipByValue': lambda K, inputs, attributes: K.minimum(K.maximum(inputs[0], inputs[1]), inputs[2]),
    'ConcatV2': lambda K, inputs, attributes: K.concatenate(inputs[:-1], axis=int(inputs[-1])),
    'Pack': lambda K, inputs, attributes: K.stack(inputs, axis=int(attributes.get('axis') or 0)),
    'ExpandDims': lambda K, inputs, attributes: K.expand_dims(inputs[0], int(inputs[1])),
    'Squeeze': _squeeze,
    'Reshape': lambda K, inputs, attributes: K.reshape(inputs[0], _sizes(K, inputs[1])),
    'Transpose': lambda K, inputs, attributes: K.permute_dimensions(inputs[0], _numbers(inputs[1])),
    'Tile': lambda K, inputs, attributes: K.tile(inputs[0], _numbers(inputs[1])),
    'ArgMax': lambda K, inputs, attributes: K.argmax(inputs[0], axis=int(inputs[1])),
    'StridedSlice': _strided_slice,
    'Fill': _fill,
}  # fmt: skip


def _sizes(K: Any, value: Any) -> Any:
    return value if K.is_tensor(value) else _numbers(value)


def operation(use: Use) -> Any:
    """TensorFlowOpLayer: an operation of a graph of TensorFlow, with constants in the places of some inputs."""
    node = use.config['node_def']
    if isinstance(node, str):
        import json

        node = json.loads(node)
    name = str(node.get('op'))
    if name not in OPERATIONS:
        raise _unknown(use, name)
    tensors = tensor_list(use.inputs)
    constants = {int(index): constant(value) for index, value in (use.config.get('constants') or {}).items()}
    left, inputs = list(tensors), []  # type: List[Any], List[Any]
    for index in range(len(tensors) + len(constants)):
        inputs.append(_float(constants[index]) if index in constants else left.pop(0))
    attributes = {key: _of_attribute(value) for key, value in (node.get('attr') or {}).items()}
    return OPERATIONS[name](use.K, inputs, attributes)


def _float(value: Any) -> Any:
    """A constant as K takes it: a number, or an array of the dtype that K computes with."""
    if value.ndim == 0:
        return value.item()
    return value.astype('float32') if value.dtype.kind == 'f' else value
