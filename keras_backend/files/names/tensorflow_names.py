"""The names of K, `keras.ops` and TensorFlow that interpreted code may use."""

import functools
from typing import Any, Callable, Dict, List, Mapping, Optional

from ...contract import CONTRACT
from ..python_code.limits import word_or_number
from ..python_code.values import Allowed, Namespace
from .counted import binary, weighed
from .tensorflow_images import METHODS, Images
from .tensorflow_meanings import Meanings, Networks

# -- K -----------------------------------------------------------------------------------------------------------------
# The names of K that interpreted code may use: all functions that make tensors, and none that changes a state.


# They change the session, settings or variables, print, or run code that somebody else wrote.
CHANGE = (
    'batch_set_value clear_session control_dependencies eager eval function get_session get_uid '
    'manual_variable_initialization moving_average_update name_scope print_tensor reset_uids '
    'set_epsilon set_floatx set_image_data_format '
    'set_image_dim_ordering set_learning_phase set_session set_value symbolic update update_add update_sub'
).split()
NAMES = tuple([name for name in CONTRACT if name not in CHANGE])


def k_namespace(K: Any) -> Namespace:
    """`K` as interpreted code sees it. K: the module, counted."""
    return Namespace('K', {name: Allowed(f'K.{name}', function) for name, function in vars(K).items()})


# -- TensorFlow --------------------------------------------------------------------------------------------------------
# The names of TensorFlow that interpreted code may use: those whose meaning K has, with TensorFlow's arguments.
#
# Source: the documentation of TensorFlow 1.15 and 2.


DTYPES = 'float16 float32 float64 int8 int16 int32 int64 uint8 bool'.split()

# Functions that K has under the same name, by the number of their tensors.
REDUCTIONS = 'sum mean max min prod any all std logsumexp'.split()
OF_ONE = ('abs exp log square sin cos tanh sigmoid sign round size ones_like zeros_like identity stop_gradient').split()
OF_TWO = 'maximum minimum equal not_equal greater greater_equal less less_equal pow'.split()
OF_NN = 'relu elu softplus softsign sigmoid tanh'.split()
OPERATORS = {
    'add': '+', 'subtract': '-', 'multiply': '*', 'divide': '/', 'truediv': '/', 'realdiv': '/',
    # Before TensorFlow 1.
    'sub': '-', 'mul': '*',
}  # fmt: skip
MEANINGS = (
    'transpose concat stack unstack split expand_dims squeeze reshape tile cast clip_by_value matmul norm one_hot '
    'gather reverse slice where depth_to_space space_to_depth zeros ones constant add_n random_normal random_uniform '
    'range shape tensordot'
).split()
MEANINGS_OF_NN = (
    'softmax log_softmax l2_normalize leaky_relu relu6 moments lrn bias_add softmax_cross_entropy_with_logits '
    'sigmoid_cross_entropy_with_logits'
).split()


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(input_tensor: Any, axis: Any = None, keepdims: Any = None, name: Any = None, **old: Any) -> Any:
        axis = old.pop('reduction_indices', axis)
        keepdims = old.pop('keep_dims', keepdims)
        _none_left(old)
        return function(input_tensor, axis, bool(keepdims))

    return reduce


def _none_left(arguments: Mapping[str, Any]) -> None:
    if arguments:
        raise TypeError(f'The argument {word_or_number(next(iter(arguments)))} has no meaning here.')


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


def namespace(K: Any, k: Namespace, version: Optional[int] = None) -> Namespace:
    """`tf` as interpreted code sees it. K: the module, counted. k: `K` as it sees it, which is `tf.keras.backend`.

    version: 1 or 2, where TensorFlow 1 and 2 differ; None refuses such names.
    """
    of, images, networks = Meanings(K), Images(K, version), Networks(K)
    reductions = {f'reduce_{name}': _reduction(getattr(K, name)) for name in REDUCTIONS}
    reductions['reduce_variance'] = _reduction(K.var)
    ones = {name: _one(getattr(K, name)) for name in OF_ONE}
    ones.update(
        rank=_one(K.ndim),
        negative=_one(lambda x: -x),
        # K.sqrt is 0 below 0, and TensorFlow's is no number.
        sqrt=_one(lambda x: K.pow(x, 0.5)),
        rsqrt=_one(lambda x: K.pow(x, -0.5)),
        logical_not=_one(lambda x: K.equal(K.cast(x, 'float32'), 0.0)),
        neg=_one(lambda x: -x),  # before TensorFlow 1
        to_float=_one(lambda x: K.cast(x, 'float32')),
        to_int32=_one(lambda x: K.cast(x, 'int32')),
    )
    twos = {name: _two(getattr(K, name)) for name in OF_TWO}

    def floats(*tensors: Any) -> List[Any]:
        return [K.cast(x, 'float32') for x in tensors]

    twos.update({name: _two(functools.partial(binary, sign)) for name, sign in OPERATORS.items()})
    twos['squared_difference'] = _two(lambda x, y: K.square(binary('-', x, y)))
    twos['logical_and'] = _two(lambda x, y: K.greater(binary('*', *floats(x, y)), 0.0))
    twos['logical_or'] = _two(lambda x, y: K.greater(binary('+', *floats(x, y)), 0.0))
    twos['logical_xor'] = _two(lambda x, y: K.not_equal(*floats(x, y)))
    arguments = {name: of.argument(getattr(K, name)) for name in ('argmax', 'argmin')}
    arguments['cumsum'] = of.cumulative(K.cumsum, K.zeros_like)
    arguments['cumprod'] = of.cumulative(K.cumprod, K.ones_like)
    math: Dict[str, Any] = {**reductions, **ones, **twos, **arguments, 'l2_normalize': networks.l2_normalize}
    functions = {**math, **{name: getattr(of, name) for name in MEANINGS}, 'convert_to_tensor': of.convert}
    functions.update(pad=images.pad, pack=of.stack, unpack=of.unstack)
    nn = {name: _one(getattr(K, name)) for name in OF_NN}
    nn.update({name: getattr(networks, name) for name in MEANINGS_OF_NN})
    nn.update(
        embedding_lookup=of.embedding_lookup,
        depth_to_space=of.depth_to_space,
        space_to_depth=of.space_to_depth,
        local_response_normalization=networks.lrn,
        softmax_cross_entropy_with_logits_v2=networks.softmax_cross_entropy_with_logits,
        max_pool=networks.pool('max'),
        avg_pool=networks.pool('avg'),
    )
    image = {
        'resize_nearest_neighbor': images.resize_with(True),
        'resize_bilinear': images.resize_with(False),
        'resize_images': images.resize_images,
        'resize': images.resize,
        'flip_left_right': images.flip(1),
        'flip_up_down': images.flip(0),
    }
    modules = {
        'nn': nn,
        'math': math,
        'linalg': {'matmul': of.matmul, 'norm': of.norm, 'l2_normalize': networks.l2_normalize},
        'random': {'normal': of.random_normal, 'uniform': of.random_uniform},
    }
    return Namespace(
        'tf',
        {
            **{name: name for name in DTYPES},
            'newaxis': None,
            **_allowed('tf', functions),
            **{name: Namespace(f'tf.{name}', _allowed(f'tf.{name}', members)) for name, members in modules.items()},
            'image': Namespace(
                'tf.image', {**_allowed('tf.image', image), 'ResizeMethod': Namespace('tf.image.ResizeMethod', METHODS)}
            ),
            'keras': Namespace('tf.keras', {'backend': k}),
        },
    )


def _allowed(prefix: str, functions: Mapping[str, Callable[..., Any]]) -> Dict[str, Any]:
    return {name: Allowed(f'{prefix}.{name}', weighed(function)) for name, function in functions.items()}


# -- keras.ops ---------------------------------------------------------------------------------------------------------
# The names of `keras.ops` that interpreted code may use, where K or TensorFlow has the same meaning and defaults.
#
# Source: the documentation of keras.ops (https://keras.io/api/ops/).


OF_K = (
    'abs all any cast cos elu equal exp expand_dims greater greater_equal less less_equal logsumexp max maximum mean '
    'min minimum not_equal ones_like prod relu reshape round shape sigmoid sign sin softmax softplus softsign square '
    'squeeze stack std sum tanh var zeros_like'
).split()
OF_TENSORFLOW = 'add subtract multiply divide matmul transpose sqrt log'.split()


def ops_namespace(K: Any, k: Namespace, tf: Namespace) -> Namespace:
    """`keras.ops` as interpreted code sees it. K: the module, counted. k, tf: K and TensorFlow as it sees them."""

    def concatenate(xs: Any, axis: int = 0) -> Any:
        return K.concatenate(xs, axis)

    return Namespace(
        'keras.ops',
        {
            **{name: tf.members[name] for name in OF_TENSORFLOW},
            **{name: k.members[name] for name in OF_K},
            'absolute': k.members['abs'],
            'power': k.members['pow'],
            'concatenate': Allowed('keras.ops.concatenate', concatenate),
        },
    )
