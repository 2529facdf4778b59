"""The names of TensorFlow that interpreted code may use: those whose meaning K has, with TensorFlow's arguments.

Source: the documentation of TensorFlow 1.15 and 2.
"""

from typing import Any, Callable, Dict, Mapping

from ..python_code import operators
from ..python_code.limits import running
from ..python_code.values import Allowed, Namespace
from .tensorflow_meanings import Meanings

DTYPES = 'float16 float32 float64 int8 int16 int32 int64 uint8 bool'.split()

# Functions that K has under the same name, by the number of their tensors.
REDUCTIONS = 'sum mean max min prod any all std logsumexp'.split()
OF_ONE = (
    'abs exp log sqrt square sin cos tanh sigmoid sign round shape size ones_like zeros_like identity stop_gradient'
).split()
OF_TWO = 'maximum minimum equal not_equal greater greater_equal less less_equal pow'.split()
OF_NN = 'relu elu softplus softsign sigmoid tanh'.split()
OPERATORS = {'add': '+', 'subtract': '-', 'multiply': '*', 'divide': '/', 'truediv': '/', 'realdiv': '/'}
MEANINGS = (
    'transpose concat stack unstack split expand_dims squeeze reshape tile cast clip_by_value matmul norm one_hot '
    'gather reverse slice pad where depth_to_space space_to_depth zeros ones constant add_n random_normal '
    'random_uniform'
).split()
MEANINGS_OF_NN = 'softmax l2_normalize leaky_relu relu6 depth_to_space space_to_depth'.split()


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: Any = None, **old: Any) -> Any:
        axis = old.pop('reduction_indices', axis)
        keepdims = old.pop('keep_dims', keepdims)
        _none_left(old)
        return function(input_tensor, axis, bool(keepdims))

    return reduce


def _none_left(arguments: Mapping[str, Any]) -> None:
    if arguments:
        raise TypeError(f'The argument {next(iter(arguments))} has no meaning here.')


def _one(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of one tensor, whatever the name of its argument is."""

    def of_one(*tensor: Any, name: Any = None, **named: Any) -> Any:
        (value,) = [*tensor, *named.values()]
        return function(value)

    return of_one


def _two(function: Callable[..., Any]) -> Callable[..., Any]:
    def of_two(x: Any, y: Any, name: Any = None) -> Any:
        return function(x, y)

    return of_two


def _operator(sign: str) -> Callable[[Any, Any], Any]:
    return lambda x, y: operators.binary(sign, x, y, running())


def namespace(K: Any, k: Namespace) -> Namespace:
    """`tf` as interpreted code sees it. K: the module, counted. k: `K` as it sees it, which is `tf.keras.backend`."""
    of = Meanings(K)
    reductions = {f'reduce_{name}': _reduction(getattr(K, name)) for name in REDUCTIONS}
    reductions['reduce_variance'] = _reduction(K.var)
    ones = {name: _one(getattr(K, name)) for name in OF_ONE}
    ones.update(
        rank=_one(K.ndim),
        negative=_one(lambda x: -x),
        rsqrt=_one(lambda x: 1.0 / K.sqrt(x)),
        logical_not=_one(lambda x: K.equal(K.cast(x, 'int32'), 0)),
        to_float=_one(lambda x: K.cast(x, 'float32')),
        to_int32=_one(lambda x: K.cast(x, 'int32')),
    )
    twos = {name: _two(getattr(K, name)) for name in OF_TWO}
    twos.update({name: _two(_operator(sign)) for name, sign in OPERATORS.items()})
    twos['squared_difference'] = _two(lambda x, y: K.square(_operator('-')(x, y)))
    arguments = {name: of.argument(getattr(K, name)) for name in ('argmax', 'argmin')}
    math: Dict[str, Any] = {**reductions, **ones, **twos, **arguments, 'l2_normalize': of.l2_normalize}
    functions = {**math, **{name: getattr(of, name) for name in MEANINGS}, 'convert_to_tensor': of.convert}
    nn = {name: _one(getattr(K, name)) for name in OF_NN}
    nn.update({name: getattr(of, name) for name in MEANINGS_OF_NN})
    nn['embedding_lookup'] = of.gather
    parts = {
        'nn': nn,
        'math': math,
        'image': {'resize_nearest_neighbor': of.resize('nearest'), 'resize_bilinear': of.resize('bilinear')},
        'linalg': {'matmul': of.matmul, 'norm': of.norm},
        'random': {'normal': of.random_normal, 'uniform': of.random_uniform},
    }
    return Namespace(
        'tf',
        {
            **{name: name for name in DTYPES},
            'newaxis': None,
            **_allowed('tf', functions),
            **{name: Namespace(f'tf.{name}', _allowed(f'tf.{name}', part)) for name, part in parts.items()},
            'keras': Namespace('tf.keras', {'backend': k}),
        },
    )


def _allowed(prefix: str, functions: Mapping[str, Callable[..., Any]]) -> Dict[str, Any]:
    return {name: Allowed(f'{prefix}.{name}', function) for name, function in functions.items()}
