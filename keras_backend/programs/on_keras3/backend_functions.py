"""Functions of K whose results in tf.keras 2 were others than in Keras 2.3.1, which K follows."""

import functools
from typing import Any, Callable, List, Optional, Tuple

from ...front.composed.shape import resized_from_centres


def from_centres(resize: Callable[..., Any]) -> Callable[..., Any]:
    """K.resize_images as in tf.keras: with 'bilinear', pixels are read from their centres."""
    from ...engines import keras3_backend as K

    @functools.wraps(resize)
    def resize_images(
        x: Any, height_factor: Any, width_factor: Any, data_format: Optional[str], interpolation: str = 'nearest'
    ) -> Any:
        if interpolation == 'bilinear':
            return resized_from_centres(K, x, height_factor, width_factor, data_format)  # type: ignore[arg-type]
        return resize(x, height_factor, width_factor, data_format, interpolation)

    return resize_images


def as_wide_as_time(decode: Callable[..., Any]) -> Callable[..., Any]:
    """K.ctc_decode as in tf.keras: the labels are filled up with -1 to the number of time steps."""
    from ...engines import keras3_backend as K

    @functools.wraps(decode)
    def ctc_decode(y_pred: Any, *args: Any, **kwargs: Any) -> Tuple[List[Any], Any]:
        decoded, scores = decode(y_pred, *args, **kwargs)
        empty = -K.ones_like(y_pred[:, :, 0], 'int64')
        return [_filled(K, labels, empty) for labels in decoded], scores

    return ctc_decode


def _filled(K: Any, labels: Any, empty: Any) -> Any:
    wide, time = K.int_shape(labels)[1], K.int_shape(empty)[1]
    if wide is not None and wide == time:
        return labels
    filled = K.concatenate([labels, empty[:, K.shape(labels)[1] if wide is None else wide :]], axis=1)
    return filled if time is None else K.reshape(filled, (-1, time))
