"""Primitives as calls of K functions of a module, or as operators of its tensors. Others are derived (`derived/`)."""

import operator
from functools import partial
from typing import Any, Callable, Dict, NamedTuple, Tuple

from ..basics.library import PRIMITIVES, Tensor
from ..basics.shapes import pads
from ..derived import DERIVED
from ..derived.common import along, converted, dtype_of_sums
from ..errors import UnsupportedByEngine
from .functions import Functions

# A ModuleLibrary, whose primitives these are.
Module = Any


class Said(NamedTuple):
    """A primitive in K functions: their names, one of which the module needs, and the call, with the library first."""

    functions: Tuple[str, ...]
    call: Callable[..., Any]


class ModulePrimitives:
    """The primitives of a module. One that can neither be said nor derived raises an error when it is called."""

    def __init__(self, library: Module) -> None:
        self.library = library
        for name in PRIMITIVES:
            setattr(self, name, self._made(name))

    def _made(self, name: str) -> Callable[..., Any]:
        said = said_by(self.library.K, name)
        if said is not None:
            return partial(said.call, self.library)
        if name in OPERATORS:
            return OPERATORS[name]
        if name in WITHOUT_FUNCTIONS:
            return partial(WITHOUT_FUNCTIONS[name], self.library)
        if name in DERIVED:
            return partial(DERIVED[name], self)
        return partial(_lacking, self.library.K, SAID[name].functions[0] if name in SAID else name)


def said_by(K: Any, name: str) -> Any:
    """How a module says a primitive; None if it does not have the K function that this takes."""
    said = SAID.get(name)
    return said if said is not None and any([K.has(function) for function in said.functions]) else None


def _lacking(K: Functions, function: str, *args: Any, **named: Any) -> Any:
    return getattr(K, function)  # an error that says what the module lacks


def _same(name: str) -> Said:
    """A K function whose arguments are those of the primitive, all of them tensors."""
    return Said((name,), lambda library, *xs: getattr(library.K, name)(*xs))


def _reduced(name: str) -> Said:
    def call(library: Module, x: Tensor, axes: Any, keepdims: bool) -> Tensor:
        # As most people write it, since a module may know no other way.
        if axes is not None:
            axes = None if len(axes) == library.rank(x) else axes[0] if len(axes) == 1 else list(axes)
        return getattr(library.K, name)(x, axes, keepdims)

    return Said((name,), call)


def _along(name: str) -> Said:
    return Said((name,), lambda library, x, axis: getattr(library.K, name)(x, axis))


def _drawn(name: str) -> Said:
    def call(library: Module, shape: Any, dtype: str, seed: int) -> Tensor:
        return getattr(library.K, name)(library.items(shape), 0.0, 1.0, dtype, seed)

    return Said((name,), call)


def _where(library: Module, condition: Tensor, x: Any, y: Any) -> Tensor:
    # K.switch takes two expressions of one shape, and no number.
    if not library.is_tensor(x):
        x = library.filled_like(y, x, library.dtype(y))
    elif not library.is_tensor(y):
        y = library.filled_like(x, y, library.dtype(x))
    if library.dims(x) == library.dims(y):
        return library.K.switch(condition, x, y)
    dtype = library.dtype(x)
    number = dtype_of_sums(dtype)
    x, y = [converted(library.F, tensor, number) for tensor in (x, y)]
    x, y = x + library.filled_like(y, 0, number), y + library.filled_like(x, 0, number)
    return converted(library.F, library.K.switch(condition, x, y), dtype)


def _getitem(library: Module, x: Tensor, spec: Any) -> Tensor:
    return x[tuple([slice(*entry[1:]) if isinstance(entry, tuple) else entry for entry in spec])]


def _slice_axis(library: Module, x: Tensor, start: Any, stop: Any, axis: int) -> Tensor:
    return _getitem(library, x, along(axis, start, stop))


def _one_hot(library: Module, indices: Tensor, num_classes: int, dtype: str) -> Tensor:
    encoded = library.K.one_hot(indices, num_classes)
    return encoded if library.dtype(encoded) == dtype else library.K.cast(encoded, dtype)


def _stop_gradient(library: Module, x: Tensor) -> Tensor:
    # Where there are no gradients, nothing has to be done to stop them.
    if library.K.has('gradients'):
        raise UnsupportedByEngine(
            'stop_gradient',
            library.title,
            'it has gradients and no way to stop them',
            'Define stop_gradient in the engine.',
        )
    return x


def _tensordot(library: Module, x: Tensor, y: Tensor, axes_x: Tuple[int, ...], axes_y: Tuple[int, ...]) -> Tensor:
    if (axes_x, axes_y) != ((library.rank(x) - 1,), (max(library.rank(y) - 2, 0),)):
        raise UnsupportedByEngine('dot', library.title, f'it sums over no axes {axes_x} and {axes_y}', 'Use K.dot.')
    return library.K.dot(x, y)


def _to_dense(library: Module, x: Tensor) -> Tensor:
    raise UnsupportedByEngine(
        'to_dense', library.title, 'it knows that a tensor is sparse but not how to make it dense', 'Feed an array.'
    )


def _conv(library: Module, x: Tensor, kernel: Tensor, strides: Any, padding: str, dilation: Any) -> Tensor:
    K, F, rank = library.K, library.F, len(strides)
    if K.has(f'conv{rank}d'):
        if rank == 1:
            strides, dilation = strides[0], dilation[0]
        return getattr(K, f'conv{rank}d')(x, kernel, strides, padding, 'channels_last', dilation)
    if rank == 1 and K.has('conv2d'):
        if padding == 'causal':
            widths = pads(padding, None, library.dims(kernel)[0], 1, dilation[0])
            x, padding = F.pad(x, widths=((0, 0), widths, (0, 0)), value=0), 'valid'
        # The stride and dilation of the axis of size 1 change nothing; libraries want them equal on both axes.
        image, filters = F.expand_dims(x, axis=1), F.expand_dims(kernel, axis=0)
        return F.squeeze(_conv(library, image, filters, strides * 2, padding, dilation * 2), axis=1)
    return DERIVED['conv'](F, x, kernel, strides=strides, padding=padding, dilation=dilation)


def _conv_input_grad(
    library: Module, g: Tensor, kernel: Tensor, shape: Any, strides: Any, padding: str, dilation: Any
) -> Tensor:
    K, sizes = library.K, library.items(shape)
    if len(strides) == 2 and K.has('conv2d_transpose'):
        return K.conv2d_transpose(g, kernel, sizes, strides, padding, 'channels_last', dilation)
    if len(strides) == 3 and K.has('conv3d_transpose') and set(dilation) == {1}:
        return K.conv3d_transpose(g, kernel, sizes, strides, padding, 'channels_last')
    geometry = {'strides': strides, 'padding': padding, 'dilation': dilation}
    return DERIVED['conv_input_grad'](library.F, g, kernel, sizes, **geometry)


def _depthwise_conv(library: Module, x: Tensor, kernel: Tensor, strides: Any, padding: str, dilation: Any) -> Tensor:
    if len(strides) == 2:
        return library.K.depthwise_conv2d(x, kernel, strides, padding, 'channels_last', dilation)
    return DERIVED['depthwise_conv'](library.F, x, kernel, strides=strides, padding=padding, dilation=dilation)


def _pool(mode: str) -> Said:
    def call(library: Module, x: Tensor, window: Any, strides: Any, padding: str) -> Tensor:
        name = f'pool{len(window)}d'
        if not library.K.has(name):
            return DERIVED[f'{mode}_pool'](library.F, x, window=window, strides=strides, padding=padding)
        return getattr(library.K, name)(x, window, strides, padding, 'channels_last', mode)

    return Said(('pool2d', 'pool3d'), call)


# Every tensor of a module is taken to have these, unless it has the K function.
OPERATORS: Dict[str, Callable[..., Any]] = {
    'add': operator.add,
    'sub': operator.sub,
    'mul': operator.mul,
    'div': operator.truediv,
    'floordiv': operator.floordiv,
    'mod': operator.mod,
    'pow': operator.pow,
    'greater': operator.gt,
    'greater_equal': operator.ge,
}
# Primitives that need no K function.
WITHOUT_FUNCTIONS: Dict[str, Callable[..., Any]] = {
    'shape': lambda library, x: library.sizes_of(x),
    'getitem': _getitem,
    'slice_axis': _slice_axis,
    'stop_gradient': _stop_gradient,
    'to_dense': _to_dense,
}

SAID: Dict[str, Said] = {
    **{
        name: _same(name)
        for name in (
            *('abs', 'exp', 'log', 'sqrt', 'sin', 'cos', 'round', 'sign', 'square', 'tanh', 'sigmoid', 'softplus'),
            *('maximum', 'minimum', 'equal', 'not_equal', 'greater', 'greater_equal', 'less', 'less_equal', 'pow'),
            *('gather', 'to_dense', 'stop_gradient'),
        )
    },
    'relu': Said(('relu',), lambda library, x: library.K.relu(x)),
    'cast': Said(('cast',), lambda library, x, dtype: library.K.cast(x, dtype)),
    'sparse_cast': Said(('cast',), lambda library, x, dtype: library.K.cast(x, dtype)),
    'where': Said(('switch',), _where),
    'print': Said(('print_tensor',), lambda library, x, message: library.K.print_tensor(x, message)),
    **{name: _reduced(name) for name in ('sum', 'prod', 'mean', 'max', 'min', 'any', 'all')},
    **{name: _along(name) for name in ('argmax', 'argmin', 'cumsum', 'cumprod', 'expand_dims', 'squeeze')},
    'reshape': Said(('reshape',), lambda library, x, shape: library.K.reshape(x, tuple(library.items(shape)))),
    'transpose': Said(('permute_dimensions',), lambda library, x, perm: library.K.permute_dimensions(x, tuple(perm))),
    'concatenate': Said(('concatenate',), lambda library, *xs, axis: library.K.concatenate(list(xs), axis)),
    'stack': Said(('stack',), lambda library, *xs, axis: library.K.stack(list(xs), axis)),
    'tile': Said(('tile',), lambda library, x, reps: library.K.tile(x, library.items(reps))),
    'repeat': Said(('repeat_elements',), lambda library, x, repeats, axis: library.K.repeat_elements(x, repeats, axis)),
    'reverse': Said(('reverse',), lambda library, x, axes: library.K.reverse(x, list(axes))),
    'arange': Said(('arange',), lambda library, a, b, step, dtype: library.K.arange(a, b, step, dtype)),
    'one_hot': Said(('one_hot',), _one_hot),
    'tensordot': Said(('dot',), _tensordot),
    'conv': Said(('conv2d', 'conv1d', 'conv3d'), _conv),
    'conv_input_grad': Said(('conv2d_transpose', 'conv3d_transpose'), _conv_input_grad),
    'depthwise_conv': Said(('depthwise_conv2d',), _depthwise_conv),
    'max_pool': _pool('max'),
    'avg_pool': _pool('avg'),
    **{name: _drawn(name) for name in ('random_uniform', 'random_normal', 'truncated_normal')},
}
