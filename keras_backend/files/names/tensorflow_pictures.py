"""Functions of `tf.image` that tf.keras stores as layers, by functions of K.

Source: the documentation of TensorFlow 2.
"""

from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from .tensorflow_images import check_table


def _sides(K: Any, images: Any) -> Tuple[int, int]:
    """The height and the width of images, which are known."""
    height, width = K.int_shape(images)[1:3] if K.ndim(images) == 4 else (None, None)
    if height is None or width is None:
        raise ValueError('it needs a batch of images of a known size')
    return height, width


def _extract_patches(K: Any, images: Any, sizes: Any, strides: Any, rates: Any, padding: str) -> Any:
    """The pixels of each window behind each other: a convolution with ones at their places."""
    channels = K.int_shape(images)[-1]
    if channels is None or any([len(numbers) != 4 for numbers in (sizes, strides, rates)]):
        raise ValueError('it needs images with a known number of channels, and sizes like [1, 2, 2, 1]')
    height, width = int(sizes[1]), int(sizes[2])
    count = height * width * channels
    check_table(count, count)
    kernel = np.eye(count, dtype='float32').reshape(height, width, channels, count)
    steps, far = tuple(strides[1:3]), tuple(rates[1:3])
    return K.conv2d(images, K.constant(kernel), steps, padding.lower(), 'channels_last', far)


def _rgb_to_grayscale(K: Any, images: Any) -> Any:
    return K.sum(images * K.constant([0.2989, 0.587, 0.114]), axis=-1, keepdims=True)


def _per_image_standardization(K: Any, image: Any) -> Any:
    x = K.cast(image, 'float32')
    sizes = K.int_shape(x)[-3:]
    if None in sizes:
        raise ValueError('it needs images of a known size')
    axes = [K.ndim(x) - 3, K.ndim(x) - 2, K.ndim(x) - 1]
    centered = x - K.mean(x, axis=axes, keepdims=True)
    deviation = K.sqrt(K.mean(K.square(centered), axis=axes, keepdims=True))
    return centered / K.maximum(deviation, 1.0 / float(np.sqrt(np.prod(sizes))))


def _crop_to_bounding_box(
    K: Any, image: Any, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Any:
    height, width = _sides(K, image)
    bottom, right = offset_height + target_height, offset_width + target_width
    if min(offset_height, offset_width) < 0 or bottom > height or right > width:
        raise ValueError('it crops more than the image has')
    return image[:, offset_height:bottom, offset_width:right]


def _pad_to_bounding_box(
    K: Any, image: Any, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Any:
    height, width = _sides(K, image)
    ends = [
        (offset_height, target_height - offset_height - height), (offset_width, target_width - offset_width - width)
    ]  # fmt: skip
    check_table(target_height, target_width)
    if min(map(min, ends)) < 0:
        raise ValueError('it pads an image to less than it has')
    return K.spatial_2d_padding(image, tuple(ends), 'channels_last')


def _central_crop(K: Any, image: Any, central_fraction: float) -> Any:
    starts: List[int] = [int((side - side * central_fraction) / 2) for side in _sides(K, image)]
    height, width = [side - 2 * start for side, start in zip(_sides(K, image), starts)]
    return _crop_to_bounding_box(K, image, starts[0], starts[1], height, width)


def _resize_with_crop_or_pad(K: Any, image: Any, target_height: int, target_width: int) -> Any:
    sides, targets = _sides(K, image), (target_height, target_width)
    cuts = [max((old - new) // 2, 0) for old, new in zip(sides, targets)]
    kept = [min(old, new) for old, new in zip(sides, targets)]
    image = _crop_to_bounding_box(K, image, cuts[0], cuts[1], kept[0], kept[1])
    margins = [max((new - old) // 2, 0) for old, new in zip(sides, targets)]
    return _pad_to_bounding_box(K, image, margins[0], margins[1], target_height, target_width)


def _rot90(K: Any, image: Any, k: int = 1) -> Any:
    for _ in range(k % 4):
        image = K.permute_dimensions(K.reverse(image, 2), (0, 2, 1, 3))
    return image


def _adjust_contrast(K: Any, images: Any, contrast_factor: float) -> Any:
    mean = K.mean(images, axis=[-3, -2], keepdims=True)
    return (images - mean) * contrast_factor + mean


PICTURES: Dict[str, Callable[..., Any]] = {
    'extract_patches': _extract_patches,
    'rgb_to_grayscale': _rgb_to_grayscale,
    'grayscale_to_rgb': lambda K, images: K.concatenate([images] * 3, -1),
    'per_image_standardization': _per_image_standardization,
    'crop_to_bounding_box': _crop_to_bounding_box,
    'pad_to_bounding_box': _pad_to_bounding_box,
    'central_crop': _central_crop,
    'resize_with_crop_or_pad': _resize_with_crop_or_pad,
    'rot90': _rot90,
    'adjust_brightness': lambda K, image, delta: image + delta,
    'adjust_contrast': _adjust_contrast,
}
