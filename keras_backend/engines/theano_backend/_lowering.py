"""Convolutions on what Theano has in C: products of matrices of windows, channels first, in two and three spatial axes.

The operations of K are put on them while a function is compiled. What these know of sizes is what they knew when they
were made; padding that depends on more is laid around the input in the run.
"""

import numpy as np
from theano.tensor.nnet import corr, corr3d

from ... import shapes
from ...shapes import known
from ._library import Apply, Op, T, theano
from ._spatial import Convolve, ConvolveInput, ConvolveKernel


class _AtLeast(Op):
    """An image with zeros behind it where it is smaller than `sizes` along its last axes; as a rule itself."""

    __props__ = ('sizes',)
    _f16_ok = silent = True
    view_map = {0: [0]}

    def __init__(self, sizes):
        self.sizes = sizes

    def make_node(self, x):
        kept = x.type.broadcastable[: -len(self.sizes)]
        return Apply(self, [x], [x.type.clone(broadcastable=kept + (False,) * len(self.sizes))()])

    def perform(self, node, inputs, outputs):
        (x,) = inputs
        missing = [max(m - n, 0) for n, m in zip(x.shape[-len(self.sizes) :], self.sizes)]
        if any(missing):
            x = np.pad(x, [(0, 0)] * (x.ndim - len(missing)) + [(0, m) for m in missing], 'constant')
        outputs[0][0] = x


class _AtMost(Op):
    """An image without what is behind `sizes`, a vector, along its last axes; as a rule itself."""

    __props__ = ()
    _f16_ok = silent = True
    view_map = {0: [0]}

    def make_node(self, x, sizes):
        return Apply(self, [x, sizes], [x.type()])

    def perform(self, node, inputs, outputs):
        x, sizes = inputs
        if sizes.min() < 0:
            raise ValueError('The window of a convolution is larger than its image.')
        outputs[0][0] = x[(Ellipsis,) + tuple([slice(0, n) for n in sizes.tolist()])]


class _Frame:
    """A convolution in the terms of Theano: an axis of size 1 where it has a single one, and its padding."""

    def __init__(self, op):
        rank = len(op.window)
        self.op, self.rank, self.line = op, rank, rank == 1
        self.pads = [
            shapes.pads(op.padding, n, k, s, d) for n, k, s, d in zip(op.sizes, op.window, op.strides, op.dilation)
        ]
        known_pads = all([known(before) for before, _after in self.pads])
        # The three-dimensional operations take equal padding on both sides only.
        self.inside = known_pads and (rank < 3 or all([a == b for a, b in self.pads]))
        lead = (1,) if self.line else ()
        self.strides, self.dilation, self.window = lead + op.strides, lead + op.dilation, lead + op.window
        border = [(0, 0)] * len(self.strides)
        if self.inside:
            border[-rank:] = self.pads
        self.border = tuple(border) if rank < 3 else tuple([a for a, _b in border])
        # Theano knows no result of no size, which an image has that is smaller than the window.
        least = [
            1 if op.padding != 'valid' or (known(n) and n >= shapes.window(k, d)) else shapes.window(k, d)
            for n, k, d in zip(op.sizes, op.window, op.dilation)
        ]
        self.least = tuple(least) if max(least) > 1 else None

    def options(self, groups):
        options = {'border_mode': self.border, 'subsample': self.strides, 'filter_dilation': self.dilation}
        return dict(options, num_groups=groups) if groups > 1 else options

    def image(self, x):
        """A tensor with its channels in front."""
        if self.line:
            return x.dimshuffle(0, 2, 'x', 1)
        return x.dimshuffle([0, self.rank + 1] + list(range(1, self.rank + 1)))

    def back(self, y):
        """A result with its channels last."""
        if self.line:
            return T.addbroadcast(y, 2).dimshuffle(0, 3, 1)
        return y.dimshuffle([0] + list(range(2, self.rank + 2)) + [1])

    def kernel(self, kernel):
        """A kernel as (out, in, spatial...)."""
        if self.op.depthwise:
            kernel = kernel.dimshuffle([self.rank, self.rank + 1] + list(range(self.rank)))
            spatial = [kernel.shape[2 + i] for i in range(self.rank)]
            # Theano takes a reshape that adds nothing but the axis of size 1 for one that does nothing.
            flat = T.reshape(kernel, [-1] + spatial, ndim=self.rank + 1)
            return flat.dimshuffle([0, 'x'] + list(range(1, self.rank + 1)))
        order = [self.rank + 1, self.rank] + list(range(self.rank))
        return kernel.dimshuffle(order[:2] + ['x'] * self.line + order[2:])

    def kernel_back(self, kernel, like):
        """The reverse of `kernel`; `like` says how many channels there are."""
        if self.op.depthwise:
            spatial = [kernel.shape[2 + i] for i in range(self.rank)]
            kernel = T.reshape(kernel, [like.shape[-1], -1] + spatial, ndim=self.rank + 2)
            return kernel.dimshuffle(list(range(2, self.rank + 2)) + [0, 1])
        if self.line:
            return T.addbroadcast(kernel, 2).dimshuffle(3, 1, 0)
        return kernel.dimshuffle(list(range(2, self.rank + 2)) + [1, 0])

    def widths(self, sizes):
        """The zeros before and after each spatial axis of these sizes."""
        found = []
        for n, k, s, d, pair in zip(sizes, self.op.window, self.op.strides, self.op.dilation, self.pads):
            if not known(pair[0]):
                total = T.maximum((-(-n // s) - 1) * s + shapes.window(k, d) - n, 0)
                pair = total // 2, total - total // 2
            found.append(pair)
        return found

    def padded(self, x):
        """An image with the zeros laid around it."""
        first = x.type.ndim - self.rank
        sizes = [x.shape[first + i] for i in range(self.rank)]
        widths = self.widths(sizes)
        whole = [n + before + after for n, (before, after) in zip(sizes, widths)]
        zeros = T.alloc(T.constant(0, dtype=x.dtype), *[x.shape[i] for i in range(first)] + whole)
        return T.set_subtensor(self.inner(zeros, sizes, widths), x)

    def inner(self, image, sizes, widths):
        """What is left of a padded image without the padding."""
        first = image.type.ndim - self.rank
        return image[(slice(None),) * first + tuple([slice(b, b + n) for n, (b, _a) in zip(sizes, widths)])]


_OPERATIONS = {
    Convolve: (corr.CorrMM, corr3d.Corr3dMM),
    ConvolveInput: (corr.CorrMM_gradInputs, corr3d.Corr3dMM_gradInputs),
    ConvolveKernel: (corr.CorrMM_gradWeights, corr3d.Corr3dMM_gradWeights),
}


@theano.gof.local_optimizer(list(_OPERATIONS))
def on_matrices(node):
    """The operation of Theano for a convolution of K."""
    op = node.op
    if type(op) not in _OPERATIONS or node.outputs[0].dtype not in ('float32', 'float64'):
        return False
    if len(op.window) > 3 or None in op.window or (op.depthwise and (not known(op.channels) or not op.channels)):
        return False
    frame = _Frame(op)
    make = _OPERATIONS[type(op)][len(op.window) == 3](**frame.options(op.channels if op.depthwise else 1))
    made = _LOWERED[type(op)](frame, make, *node.inputs)
    return [T.patternbroadcast(made, node.outputs[0].type.broadcastable)]


def _forward(frame, make, x, kernel):
    image = frame.image(x)
    if frame.least is not None:
        sizes = frame.op.windows_in_run([x.shape[1 + i] for i in range(frame.rank)], frame.op.dilation)
        return frame.back(_AtMost()(make(_AtLeast(frame.least)(image), frame.kernel(kernel)), T.stack(sizes)))
    return frame.back(make(image if frame.inside else frame.padded(image), frame.kernel(kernel)))


def _input(frame, make, g, kernel, shape):
    sizes = [shape[1 + i] for i in range(frame.rank)]
    if frame.least is not None:
        enough = [T.maximum(n, m) for n, m in zip(sizes, frame.least)]
        image = _AtLeast((1,) * frame.rank)(frame.image(g))
        return frame.back(_AtMost()(make(frame.kernel(kernel), image, [1] * frame.line + enough), T.stack(sizes)))
    if frame.inside:
        return frame.back(make(frame.kernel(kernel), frame.image(g), [1] * frame.line + sizes))
    widths = frame.widths(sizes)
    whole = [n + before + after for n, (before, after) in zip(sizes, widths)]
    made = make(frame.kernel(kernel), frame.image(g), [1] * frame.line + whole)
    return frame.back(frame.inner(made, sizes, widths))


def _kernel(frame, make, x, g):
    image, g = frame.image(x), frame.image(g)
    if frame.least is not None:
        image, g = _AtLeast(frame.least)(image), _AtLeast((1,) * frame.rank)(g)
    elif not frame.inside:
        image = frame.padded(image)
    return frame.kernel_back(make(image, g, list(frame.window)), x)


_LOWERED = {Convolve: _forward, ConvolveInput: _input, ConvolveKernel: _kernel}
