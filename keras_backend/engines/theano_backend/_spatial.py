"""Convolutions and poolings, channels last, in any number of spatial axes.

Each is closed under differentiation: a convolution, its gradients with respect to input (the transposed convolution)
and kernel; a max pooling, its gradient, and reading at the places of the maxima; an average pooling and its adjoint.
Python runs them with the kernels of the NumPy engine; `_lowering` puts what Theano has in C in their place.
"""

from typing import Tuple

import numpy as np

from ... import shapes
from ...kernels import IMPLEMENTATIONS
from ...shapes import known
from . import _pooling_c
from ._library import Apply, DisconnectedType, MethodNotDefined, Op, T, TensorType
from ._static import dims_of, value


class _Spatial(Op):
    """What all have in common: the geometry of the window, as attributes. `primitive` is the name of the kernel."""

    _f16_ok = silent = True
    primitive = ''
    attributes: Tuple[str, ...] = ()

    def __init__(self, **attributes):
        for name in self.__props__:
            setattr(self, name, attributes[name])

    def twin(self, kind, **changes):
        """The operation `kind` of the same geometry."""
        attributes = {name: getattr(self, name, None) for name in kind.__props__}
        attributes.update(changes)
        return kind(**attributes)

    def perform(self, node, inputs, outputs):
        name = 'depthwise_' + self.primitive if getattr(self, 'depthwise', False) else self.primitive
        attributes = {a: getattr(self, a) for a in self.attributes}
        with np.errstate(all='ignore'):
            outputs[0][0] = IMPLEMENTATIONS[name](*inputs, **attributes)

    def windows(self, dims, dilation):
        """The spatial sizes of a result for those of the input."""
        lengths = []
        for n, k, s, d in zip(dims, self.window, self.strides, dilation):
            length = None
            if k is not None:
                length = shapes.conv_output_length(n if known(n) else None, k, s, self.padding, d)
            lengths.append(n if length is None and s == 1 and (k == 1 or self.padding != 'valid') else length)
        return tuple(lengths)

    def windows_in_run(self, sizes, dilation, window=None):
        """The same for sizes that are tensors, as those of the window may be."""
        return [
            -(-n // s) if self.padding != 'valid' else (n - shapes.window(k, d)) // s + 1
            for n, k, s, d in zip(sizes, window or self.window, self.strides, dilation)
        ]


def _typed(x, *flags):
    return TensorType(x.dtype, flags)()


# -- convolutions -----------------------------------------------------------------------------------------------------
class _Convolution(_Spatial):
    # `sizes` are the spatial sizes of the larger side, `channels` those of each group, as far as they are known: C code
    # needs them beforehand. A size of the window that is not known is None.
    __props__ = ('window', 'strides', 'padding', 'dilation', 'depthwise', 'sizes', 'channels')

    def by_kernel(self, x, g, kernel):
        """The gradient with respect to `kernel`."""
        taps = [T.shape(kernel)[: len(self.window)]] if None in self.window else []
        return self.twin(ConvolveKernel)(x, g, *taps)


class Convolve(_Convolution):
    """The cross-correlation of x (batch, spatial..., in) with a kernel (spatial..., in, out)."""

    primitive, attributes = 'conv', ('strides', 'padding', 'dilation')

    def make_node(self, x, kernel):
        last = False if self.depthwise else kernel.type.broadcastable[-1]
        return Apply(self, [x, kernel], [_typed(x, x.type.broadcastable[0], *(False,) * len(self.window) + (last,))])

    def output_dims(self, node, dims):
        x, kernel = dims
        made = kernel[-1]
        if self.depthwise:
            made = kernel[-1] * kernel[-2] if known(kernel[-1]) and known(kernel[-2]) else None
        return [x[:1] + self.windows(x[1:-1], self.dilation) + (made,)]

    def infer_shape(self, node, shapes):
        x, kernel = shapes
        made = kernel[-1] * kernel[-2] if self.depthwise else kernel[-1]
        return [[x[0]] + self.windows_in_run(x[1:-1], self.dilation, kernel[:-2]) + [made]]

    def L_op(self, inputs, outputs, gradients):
        x, kernel = inputs
        (g,) = gradients
        return [_as(self.twin(ConvolveInput)(g, kernel, T.shape(x)), x), _as(self.by_kernel(x, g, kernel), kernel)]


class ConvolveInput(_Convolution):
    """The gradient of a convolution with respect to its input, of the shape given by the third input."""

    primitive, attributes = 'conv_input_grad', ('strides', 'padding', 'dilation')

    def make_node(self, g, kernel, shape):
        flags = (g.type.broadcastable[0],) + (False,) * len(self.window) + (kernel.type.broadcastable[-2],)
        return Apply(self, [g, kernel, shape], [_typed(g, *flags)])

    def output_dims(self, node, dims):
        said = value(node.inputs[2])
        return [tuple(said) if isinstance(said, list) else dims[0][:1] + self.sizes + (dims[1][-2],)]

    def connection_pattern(self, node):
        return [[True], [True], [False]]

    def L_op(self, inputs, outputs, gradients):
        g, kernel, _shape = inputs
        (h,) = gradients
        by_kernel = _as(self.by_kernel(h, g, kernel), kernel)
        return [_as(self.twin(Convolve)(h, kernel), g), by_kernel, DisconnectedType()()]


class ConvolveKernel(_Convolution):
    """The gradient of a convolution of x with respect to its kernel. A third input is a window that is not known."""

    primitive = 'conv_kernel_grad'

    @property
    def attributes(self):
        return ('window',) * (None not in self.window) + ('strides', 'padding', 'dilation')

    def make_node(self, x, g, *taps):
        channels, made = x.type.broadcastable[-1], g.type.broadcastable[-1]
        return Apply(
            self, [x, g, *taps], [_typed(x, *(False,) * len(self.window) + (channels, made and not self.depthwise))]
        )

    def output_dims(self, node, dims):
        channels, made = dims[0][-1], dims[1][-1]
        if self.depthwise:
            made = made // channels if known(made) and known(channels) and channels else None
        return [self.window + (channels, made)]

    def connection_pattern(self, node):
        return [[True], [True], [False]][: len(node.inputs)]

    def L_op(self, inputs, outputs, gradients):
        x, g = inputs[:2]
        (h,) = gradients
        made = [_as(self.twin(ConvolveInput)(g, h, T.shape(x)), x), _as(self.twin(Convolve)(x, h), g)]
        return made + [DisconnectedType()() for _ in inputs[2:]]


def _as(g, x):
    """A gradient `g` of the type of `x`."""
    return T.patternbroadcast(g, x.type.broadcastable)


# -- poolings ---------------------------------------------------------------------------------------------------------
class _Pooling(_Spatial):
    __props__ = attributes = ('window', 'strides', 'padding')

    def c_code(self, node, name, inputs, outputs, sub):
        found = _pooling_c.code(self, node, inputs, outputs[0], sub['fail'])
        if found is None:
            raise MethodNotDefined('c_code')
        return found

    def c_support_code(self):
        return _pooling_c.SUPPORT

    def c_code_cache_version(self):
        return (5,)

    def pooled(self, dims):
        return dims[:1] + self.windows(dims[1:-1], (1,) * len(self.window)) + dims[-1:]

    def pooled_in_run(self, sizes):
        return [sizes[0]] + self.windows_in_run(sizes[1:-1], (1,) * len(self.window)) + [sizes[-1]]

    def smaller(self, x, dtype):
        flags = x.type.broadcastable
        return TensorType(dtype, flags[:1] + (False,) * len(self.window) + flags[-1:])()


class MaxPool(_Pooling):
    """The maximum of each window."""

    primitive = 'max_pool'

    def make_node(self, x):
        return Apply(self, [x], [self.smaller(x, x.dtype)])

    def output_dims(self, node, dims):
        return [self.pooled(dims[0])]

    def infer_shape(self, node, shapes):
        return [self.pooled_in_run(shapes[0])]

    def L_op(self, inputs, outputs, gradients):
        return [self.twin(MaxPoolGrad)(inputs[0], gradients[0])]


class MaxPoolGrad(_Pooling):
    """g, of the shape of the result, sent to the first maximum of each window of x."""

    primitive = 'max_pool_grad'

    def make_node(self, x, g):
        return Apply(self, [x, g], [x.type.clone(dtype=g.dtype)()])

    def output_dims(self, node, dims):
        return [dims[0]]

    def infer_shape(self, node, shapes):
        return [shapes[0]]

    def connection_pattern(self, node):
        return [[False], [True]]

    def L_op(self, inputs, outputs, gradients):
        return [DisconnectedType()(), _as(self.twin(MaxPoolSelect)(inputs[0], gradients[0]), inputs[1])]


class MaxPoolSelect(_Pooling):
    """v, of the shape of x, read at the first maximum of each window of x."""

    primitive = 'max_pool_select'

    def make_node(self, x, v):
        return Apply(self, [x, v], [self.smaller(x, v.dtype)])

    def output_dims(self, node, dims):
        return [self.pooled(dims[0])]

    def infer_shape(self, node, shapes):
        return [self.pooled_in_run(shapes[0])]

    def connection_pattern(self, node):
        return [[False], [True]]

    def L_op(self, inputs, outputs, gradients):
        return [DisconnectedType()(), _as(self.twin(MaxPoolGrad)(inputs[0], gradients[0]), inputs[1])]


class AvgPool(_Pooling):
    """The mean of the real entries of each window."""

    primitive = 'avg_pool'

    def make_node(self, x):
        return Apply(self, [x], [self.smaller(x, x.dtype)])

    def output_dims(self, node, dims):
        return [self.pooled(dims[0])]

    def infer_shape(self, node, shapes):
        return [self.pooled_in_run(shapes[0])]

    def L_op(self, inputs, outputs, gradients):
        return [_as(self.twin(AvgPoolGrad)(gradients[0], T.shape(inputs[0])), inputs[0])]


class AvgPoolGrad(_Pooling):
    """The adjoint of the average pooling of an array of the shape given by the second input."""

    primitive = 'avg_pool_grad'

    def make_node(self, g, shape):
        flags = g.type.broadcastable
        return Apply(self, [g, shape], [_typed(g, *flags[:1] + (False,) * len(self.window) + flags[-1:])])

    def output_dims(self, node, dims):
        said = value(node.inputs[1])
        return [said if isinstance(said, list) else None]

    def connection_pattern(self, node):
        return [[True], [False]]

    def L_op(self, inputs, outputs, gradients):
        return [_as(self.twin(AvgPool)(gradients[0]), inputs[0]), DisconnectedType()()]


def convolution(x, kernel, strides, padding, dilation, depthwise=False):
    """The convolution of tensors with channels last."""
    channels = dims_of(kernel)[-2]
    op = Convolve(
        window=_sizes(dims_of(kernel)[:-2]),
        strides=strides,
        padding=padding,
        dilation=dilation,
        depthwise=depthwise,
        sizes=_sizes(dims_of(x)[1:-1]),
        channels=channels if known(channels) else None,
    )
    return op(x, kernel)


def transposed(g, kernel, shape, strides, padding, dilation):
    """The adjoint of a convolution, of the shape `shape`, a vector."""
    said = value(shape)
    op = ConvolveInput(
        window=_sizes(dims_of(kernel)[:-2]),
        strides=strides,
        padding=padding,
        dilation=dilation,
        depthwise=False,
        sizes=_sizes(said[1:-1]),
        channels=None,
    )
    return op(g, kernel, shape)


def _sizes(dims):
    return tuple([n if known(n) else None for n in dims])
