"""The arguments that convolutions and poolings share."""

from .. import shapes
from ..errors import ShapeError


class Spatial:
    """Checks them, brings `x` to channels last, and takes the result back."""

    def __init__(self, K, engine, x, rank, strides, padding, data_format, dilation=1, allowed=('valid', 'same')):
        self.engine = engine
        self.first = K.normalize_data_format(data_format) == 'channels_first'
        self.padding = shapes.padding_name(padding, allowed)
        self.strides = shapes.spatial(strides, rank, 'strides')
        self.dilation = shapes.spatial(dilation, rank, 'dilation_rate')
        x = engine.floating(x)
        if len(x.dims) != rank + 2:
            raise ShapeError(
                f'A {rank}-D convolution or pooling needs a tensor of {rank + 2} dimensions, {x.name} has the shape '
                f'{x.shape}.'
            )
        if self.first:
            x = engine.F.transpose(x, perm=(0,) + tuple(range(2, rank + 2)) + (1,))
        self.x = x

    def kernel(self, kernel):
        """`kernel` as a tensor of the dtype of x."""
        kernel = self.engine.operand(kernel, self.x.dtype)
        if kernel.dtype != self.x.dtype:
            self.x, kernel = self.engine.together(self.x, kernel)
        return kernel

    @property
    def geometry(self):
        return {'strides': self.strides, 'padding': self.padding, 'dilation': self.dilation}

    def back(self, y):
        """`y` in the data format of the caller."""
        if not self.first:
            return y
        last = len(y.dims) - 1
        return self.engine.F.transpose(y, perm=(0, last) + tuple(range(1, last)))
