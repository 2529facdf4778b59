"""Functions of images, by the names and arguments of TensorFlow 2's `tf.image`. Channels are the last axis.

Source: its documentation.
"""

from typing import Any, Tuple

import numpy as np
from keras import ops

from .arguments import K, dtype_of, sizes_of

_METHODS = 'bilinear', 'nearest', 'bicubic', 'lanczos3', 'lanczos5'


def resize(
    images: Any, size: Any, method: Any = 'bilinear', preserve_aspect_ratio: bool = False, antialias: bool = False,
    name: Any = None,
) -> Any:  # fmt: skip
    """Images of another size, (height, width). The pixels have their centres at halves."""
    if method not in _METHODS or preserve_aspect_ratio:
        raise ValueError(
            f'tf.image.resize: method is one of {", ".join(_METHODS)} and preserve_aspect_ratio=False here; '
            f'method={method!r}, preserve_aspect_ratio={preserve_aspect_ratio} were given.'
        )
    resized = ops.image.resize(images, tuple(sizes_of(size)), method, antialias, data_format='channels_last')
    return resized if method == 'nearest' else ops.cast(resized, 'float32')


def flip_left_right(image: Any) -> Any:
    """Images mirrored from left to right."""
    return ops.flip(image, -2)


def flip_up_down(image: Any) -> Any:
    """Images mirrored from top to bottom."""
    return ops.flip(image, -3)


def rot90(image: Any, k: int = 1, name: Any = None) -> Any:
    """Images turned against the clock, k times by 90 degrees."""
    for _each in range(int(k) % 4):
        image = ops.flip(ops.swapaxes(image, -3, -2), -3)
    return image


_GRAY = np.array([0.2989, 0.5870, 0.1140], 'float32')


def rgb_to_grayscale(images: Any, name: Any = None) -> Any:
    """One channel of the brightness of three."""
    dtype = K.dtype(images)
    gray = ops.sum(ops.cast(images, 'float32') * ops.convert_to_tensor(_GRAY), -1, keepdims=True)
    return ops.cast(gray, dtype)


def grayscale_to_rgb(images: Any, name: Any = None) -> Any:
    """Three equal channels of one."""
    return ops.repeat(images, 3, axis=-1)


def rgb_to_hsv(images: Any, name: Any = None) -> Any:
    """Hue, saturation and value, from 0 to 1."""
    return ops.image.rgb_to_hsv(images, data_format='channels_last')


def hsv_to_rgb(images: Any, name: Any = None) -> Any:
    """Red, green and blue, from 0 to 1."""
    return ops.image.hsv_to_rgb(images, data_format='channels_last')


def psnr(a: Any, b: Any, max_val: Any, name: Any = None) -> Any:
    """The ratio of the largest value to the error of each image, in dB."""
    error = ops.mean(ops.square(ops.cast(a, 'float32') - ops.cast(b, 'float32')), (-3, -2, -1))
    return 20 * float(np.log10(max_val)) - ops.log(error) * (10 / float(np.log(10.0)))


def ssim(
    img1: Any, img2: Any, max_val: float, filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01,
    k2: float = 0.03, return_index_map: bool = False,
) -> Any:  # fmt: skip
    """The structural similarity of each pair of images (Wang et al. 2004), by Gaussian windows."""
    if return_index_map:
        raise ValueError('tf.image.ssim: return_index_map is not taken here.')
    x, y = ops.cast(img1, 'float32'), ops.cast(img2, 'float32')
    channels = x.shape[-1]
    offsets = np.arange(filter_size) - (filter_size - 1) / 2.0
    line = np.exp(-0.5 * (offsets / filter_sigma) ** 2)
    window = np.outer(line, line) / np.sum(line) ** 2
    kernel = ops.convert_to_tensor(np.tile(window[:, :, None, None], (1, 1, channels, 1)).astype('float32'))

    def mean(z: Any) -> Any:
        flat = ops.reshape(z, (-1, *z.shape[-3:])) if len(z.shape) != 4 else z
        return ops.depthwise_conv(flat, kernel, 1, 'valid', 'channels_last')

    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    product, squares = mean(x) * mean(y) * 2.0, ops.square(mean(x)) + ops.square(mean(y))
    luminance = (product + c1) / (squares + c1)
    together, apart = mean(x * y) * 2.0, mean(ops.square(x) + ops.square(y))
    contrast = (together - product + c2) / (apart - squares + c2)
    similarity = ops.mean(ops.mean(luminance * contrast, (1, 2)), -1)
    return ops.reshape(similarity, x.shape[:-3]) if len(x.shape) != 4 else similarity


def total_variation(images: Any, name: Any = None) -> Any:
    """The sum of the differences of neighbours of each image."""
    down, right = images[..., 1:, :, :] - images[..., :-1, :, :], images[..., :, 1:, :] - images[..., :, :-1, :]
    axes = (-3, -2, -1)
    return ops.sum(ops.abs(down), axes) + ops.sum(ops.abs(right), axes)


def image_gradients(image: Any) -> Tuple[Any, Any]:
    """The differences to the next row and to the next column, 0 in the last one."""
    down, right = image[:, 1:] - image[:, :-1], image[:, :, 1:] - image[:, :, :-1]
    return ops.pad(down, [[0, 0], [0, 1], [0, 0], [0, 0]]), ops.pad(right, [[0, 0], [0, 0], [0, 1], [0, 0]])


def sobel_edges(image: Any) -> Any:
    """The Sobel filters of each channel, down and to the right, on a new last axis."""
    down = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]], 'float32')
    kernels = np.stack([down, down.T], -1)[:, :, None, :]
    channels = image.shape[-1]
    padded = ops.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], 'reflect')
    kernel = ops.convert_to_tensor(np.tile(kernels, (1, 1, channels, 1)))
    edges = ops.depthwise_conv(padded, kernel, 1, 'valid', 'channels_last')
    return ops.reshape(edges, (-1, *image.shape[1:3], channels, 2))


def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: Any = None) -> Any:
    """Patches of images, one after the other in the channels."""
    (height, width), steps, spread = [tuple(int(e) for e in entries[1:3]) for entries in (sizes, strides, rates)]
    return ops.image.extract_patches(
        images, (height, width), strides=steps, dilation_rate=spread, padding=padding.lower(),
        data_format='channels_last',
    )  # fmt: skip


def per_image_standardization(image: Any) -> Any:
    """Each image minus its mean, over its deviation, which is at least 1 / sqrt(number of elements)."""
    x = ops.cast(image, 'float32')
    axes = (-3, -2, -1)
    least = 1.0 / float(np.sqrt(np.prod([int(size) for size in x.shape[-3:]])))
    return (x - ops.mean(x, axes, keepdims=True)) / ops.maximum(ops.std(x, axes, keepdims=True), least)


def adjust_brightness(image: Any, delta: float) -> Any:
    """Images with a number added."""
    _of_floats('adjust_brightness', image)
    return image + delta


def adjust_contrast(images: Any, contrast_factor: float) -> Any:
    """Images whose distances to the mean of each channel are multiplied."""
    _of_floats('adjust_contrast', images)
    mean = ops.mean(images, (-3, -2), keepdims=True)
    return (images - mean) * contrast_factor + mean


def _of_floats(name: str, image: Any) -> None:
    if 'float' not in K.dtype(image):
        raise ValueError(f'tf.image.{name} takes images of floats here, not of {K.dtype(image)}.')


def central_crop(image: Any, central_fraction: float) -> Any:
    """The middle part of images."""
    (top, height), (left, width) = [_middle(int(size), central_fraction) for size in image.shape[-3:-1]]
    return image[..., top : top + height, left : left + width, :]


def _middle(size: int, fraction: float) -> Tuple[int, int]:
    start = int((size - size * fraction) / 2)
    return start, size - start * 2


def crop_to_bounding_box(
    image: Any, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Any:
    """A part of images."""
    top, left = int(offset_height), int(offset_width)
    return image[..., top : top + int(target_height), left : left + int(target_width), :]


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: Any = None) -> Any:
    """Images in another dtype. Integers from 0 to their largest are floats from 0 to 1."""
    old, new = K.dtype(image), dtype_of(dtype)
    if 'int' in old and 'float' in new:
        return ops.cast(image, new) * (1.0 / np.iinfo(old).max)
    if 'float' in old and 'float' in new:
        return ops.cast(image, new)
    raise ValueError(f'tf.image.convert_image_dtype makes floats here, not {new} of {old}.')
