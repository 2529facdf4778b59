"""Affine transforms of images, as TensorFlow before 2.9 did them: for `apply_affine_transform` and ImageDataGenerator.

The point p of the result is the point M (p - c) + c of the image. M rotates, shifts, shears and zooms, in this order.
c is the middle, (rows / 2 + 1 / 2, columns / 2 + 1 / 2). The first number of p counts along the first of both axes.
From 2.9 on, it counts along the columns where the rows come first, and the middle is one pixel less.
"""

from importlib import import_module
from typing import Any

import numpy as np


def affine_transforms_of_images(tf_keras: Any) -> str:
    """Let ImageDataGenerator and `apply_affine_transform` move images as before 2.9."""
    inside: Any = import_module('tf_keras.src.preprocessing.image')
    for module in (inside, tf_keras.preprocessing.image):
        module.apply_affine_transform = apply_affine_transform
    return 'tf_keras.preprocessing.image.apply_affine_transform'


def apply_affine_transform(
    x: Any,
    theta: float = 0,
    tx: float = 0,
    ty: float = 0,
    shear: float = 0,
    zx: float = 1,
    zy: float = 1,
    row_axis: int = 0,
    col_axis: int = 1,
    channel_axis: int = 2,
    fill_mode: str = 'nearest',
    cval: float = 0.0,
    order: int = 1,
) -> Any:
    """Turn, shift, shear and zoom an image.

    Parameters
    ----------
    x : array (rows, columns, channels), in any order
    theta, shear : float
        Angles in degrees.
    tx, ty : float
        Shifts along the first and the second axis beside that of the channels, in pixels.
    zx, zy : float
        What a step along these axes is in the image.
    row_axis, col_axis, channel_axis : int
    fill_mode : str
        What lies outside: 'nearest', 'constant', 'reflect' or 'wrap'. cval: float, the value of 'constant'.
    order : int
        That of the splines between pixels, 0 to 5.

    Returns
    -------
    array, as x
    """
    if (theta, tx, ty, shear, zx, zy) == (0, 0, 0, 0, 1, 1):
        return x
    matrix = _matrix(theta, tx, ty, shear, zx, zy)
    middle = np.array([x.shape[row_axis] / 2 + 0.5, x.shape[col_axis] / 2 + 0.5])
    linear, offset = matrix[:2, :2], middle + matrix[:2, 2] - matrix[:2, :2] @ middle
    ndimage: Any = import_module('scipy.ndimage')
    channels = [
        ndimage.affine_transform(channel, linear, offset, order=order, mode=fill_mode, cval=cval)
        for channel in np.moveaxis(x, channel_axis, 0)
    ]
    return np.moveaxis(np.stack(channels), 0, channel_axis)


def _matrix(theta: float, tx: float, ty: float, shear: float, zx: float, zy: float) -> Any:
    """The product of a rotation, a shift, a shear and a zoom, (3, 3)."""
    angle, slant = np.deg2rad(theta), np.deg2rad(shear)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    shift = np.array([[1, 0, tx], [0, 1, ty], [0, 0, 1]])
    sheared = np.array([[1, -np.sin(slant), 0], [0, np.cos(slant), 0], [0, 0, 1]])
    return turn @ shift @ sheared @ np.diag([zx, zy, 1.0])
