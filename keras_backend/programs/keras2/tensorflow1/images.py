"""`tf.contrib.image`: images turned, moved and seen in perspective."""

from typing import Any, Optional

from .itself import tf


def transform(
    images: Any, transforms: Any, interpolation: str = 'NEAREST', output_shape: Any = None, name: Optional[str] = None
) -> Any:
    """Images seen in perspective. What comes from outside of an image is 0.

    Args:
        images: One image (height, width), (height, width, channels), or several.
        transforms: Eight numbers [a0, a1, a2, b0, b1, b2, c0, c1], or eight for each image. The point (x, y) of the
            result is the point ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) of the image, where
            k = c0 x + c1 y + 1.
        interpolation: `'NEAREST'` or `'BILINEAR'`.
        output_shape: The height and the width of the results; without them, those of the images.
        name: The name scope.

    Raises:
        TypeError: The images have another number of axes.
    """
    with tf.name_scope(name, 'transform', [images, transforms]):
        images = tf.convert_to_tensor(images)
        rank = images.shape.ndims
        if rank not in (2, 3, 4):
            raise TypeError(f'tf.contrib.image.transform: images need two to four axes, and they are {images.shape}.')
        stack = {2: images[tf.newaxis, ..., tf.newaxis], 3: images[tf.newaxis]}.get(rank, images)
        rows = tf.convert_to_tensor(transforms, tf.float32)
        rows = rows[tf.newaxis] if rows.shape.ndims == 1 else rows
        if output_shape is None:
            output_shape = tf.shape(stack)[1:3]
        result = tf.raw_ops.ImageProjectiveTransformV3(
            images=stack,
            transforms=rows,
            output_shape=tf.cast(output_shape, tf.int32),
            fill_value=0.0,
            interpolation=interpolation.upper(),
            fill_mode='CONSTANT',
        )
        return {2: result[0, ..., 0], 3: result[0]}.get(rank, result)


def _rows(columns: Any) -> Any:
    """Eight numbers for each image, from columns of numbers."""
    first = columns[0]
    return tf.stack([column + tf.zeros_like(first) for column in columns], 1)


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: Optional[str] = None
) -> Any:
    """The transforms that turn images about their centre.

    Args:
        angles: One angle, or one for each image, in radians against the clock.
        image_height: The height of the images.
        image_width: The width of the images.
        name: The name scope.
    """
    with tf.name_scope(name, 'angles_to_projective_transforms', [angles]):
        angles = tf.convert_to_tensor(angles, tf.float32)
        angles = angles[tf.newaxis] if angles.shape.ndims == 0 else angles
        right, down = tf.cast(image_width, tf.float32) - 1, tf.cast(image_height, tf.float32) - 1
        cos, sin = tf.cos(angles), tf.sin(angles)
        # The centre (right / 2, down / 2) stays where it is.
        x = (right - (cos * right - sin * down)) / 2
        y = (down - (sin * right + cos * down)) / 2
        return _rows([cos, -sin, x, sin, cos, y, 0.0, 0.0])


def translations_to_projective_transforms(translations: Any, name: Optional[str] = None) -> Any:
    """The transforms that move images by (dx, dy), one pair or one for each image."""
    with tf.name_scope(name, 'translations_to_projective_transforms', [translations]):
        moves = tf.convert_to_tensor(translations, tf.float32)
        moves = moves[tf.newaxis] if moves.shape.ndims == 1 else moves
        ones = tf.ones_like(moves[:, 0])
        return _rows([ones, 0.0, -moves[:, 0], 0.0, ones, -moves[:, 1], 0.0, 0.0])


def flat_transforms_to_matrices(transforms: Any) -> Any:
    """A matrix of three rows for each eight numbers."""
    rows = tf.reshape(tf.convert_to_tensor(transforms, tf.float32), (-1, 8))
    return tf.reshape(tf.concat([rows, tf.ones_like(rows[:, :1])], 1), (-1, 3, 3))


def matrices_to_flat_transforms(transform_matrices: Any) -> Any:
    """Eight numbers for each matrix of three rows, whose last number becomes 1."""
    rows = tf.reshape(tf.convert_to_tensor(transform_matrices, tf.float32), (-1, 9))
    return (rows / rows[:, 8:])[:, :8]


def compose_transforms(*transforms: Any) -> Any:
    """The transforms that do what several do, one after the other."""
    product = flat_transforms_to_matrices(transforms[0])
    for flat_transform in transforms[1:]:
        product = tf.matmul(product, flat_transforms_to_matrices(flat_transform))
    return matrices_to_flat_transforms(product)


def rotate(images: Any, angles: Any, interpolation: str = 'NEAREST', name: Optional[str] = None) -> Any:
    """Images turned about their centre.

    Args:
        images: One image (height, width), (height, width, channels), or several.
        angles: One angle, or one for each image, in radians against the clock.
        interpolation: `'NEAREST'` or `'BILINEAR'`.
        name: The name scope.
    """
    with tf.name_scope(name, 'rotate', [images, angles]):
        images = tf.convert_to_tensor(images)
        first = 1 if images.shape.ndims == 4 else 0
        shape = tf.shape(images)
        return transform(images, angles_to_projective_transforms(angles, shape[first], shape[first + 1]), interpolation)


def translate(images: Any, translations: Any, interpolation: str = 'NEAREST', name: Optional[str] = None) -> Any:
    """Images moved by (dx, dy), one pair or one for each image: see `rotate`."""
    with tf.name_scope(name, 'translate', [images, translations]):
        return transform(images, translations_to_projective_transforms(translations), interpolation)
