"""Convolution and pooling, channels last."""

from typing import Any, Tuple

from .... import shapes
from ....shapes import check_channels
from .._graph import describe
from .._sizes import items, vector
from .._spatial import AvgPool, MaxPool, convolution, transposed
from .._static import dims_of, visible

Tensor = Any
Window = Tuple[int, ...]


def _shape(x: Tensor) -> Tuple[Any, ...]:
    return visible(dims_of(x))


def _check_window(x: Tensor, taps: Any, strides: Window, padding: str, dilation: Window, what: str) -> None:
    """Refuse a window that is too large for the input."""
    for n, k, s, d in zip(_shape(x)[1:], taps, strides, dilation):
        if k is not None:
            shapes.conv_output_length(n, k, s, padding, d, f'{what} of {describe(x)}')


def _conv(x: Tensor, kernel: Tensor, strides: Window, padding: str, dilation: Window, depthwise: bool) -> Tensor:
    check_channels(_shape(kernel)[-2], _shape(x)[-1], _shape(kernel), _shape(x))
    _check_window(x, _shape(kernel), strides, padding, dilation, 'a convolution')
    return convolution(x, kernel, strides, padding, dilation, depthwise)


def conv(x: Tensor, kernel: Tensor, *, strides: Window, padding: str, dilation: Window) -> Tensor:
    return _conv(x, kernel, strides, padding, dilation, False)


def depthwise_conv(x: Tensor, kernel: Tensor, *, strides: Window, padding: str, dilation: Window) -> Tensor:
    return _conv(x, kernel, strides, padding, dilation, True)


def conv_input_grad(
    g: Tensor, kernel: Tensor, shape: Any, *, strides: Window, padding: str, dilation: Window
) -> Tensor:
    return transposed(g, kernel, vector(items(shape)), strides, padding, dilation)


def _pool(kind: Any, x: Tensor, window: Window, strides: Window, padding: str) -> Tensor:
    _check_window(x, window, strides, padding, (1,) * len(window), 'a pooling')
    return kind(window=window, strides=strides, padding=padding)(x)


def max_pool(x: Tensor, *, window: Window, strides: Window, padding: str) -> Tensor:
    return _pool(MaxPool, x, window, strides, padding)


def avg_pool(x: Tensor, *, window: Window, strides: Window, padding: str) -> Tensor:
    return _pool(AvgPool, x, window, strides, padding)
