"""`keras.utils.conv_utils`: the helpers with which layers of convolutions check arguments and tell their sizes.

The formulas are those of docs/semantics.md: a window of `filter_size` entries that are `dilation` apart spans
(filter_size - 1) * dilation + 1 entries.
"""

from typing import Any, Optional, Tuple

_PADDINGS = ('valid', 'same', 'causal', 'full')


def normalize_tuple(value: Any, n: int, name: str, **kwargs: Any) -> Tuple[int, ...]:
    """`value` as a tuple of n whole numbers. A number stands for n of them. Error: ValueError."""
    found = (value,) * n if isinstance(value, int) else value
    try:
        numbers = tuple([int(each) for each in found])
    except (TypeError, ValueError):  # no numbers; the error is below
        numbers = ()
    if len(numbers) != n:
        raise ValueError(f'The `{name}` argument must be a tuple of {n} integers. Received: {value}')
    return numbers


def normalize_padding(value: str) -> str:
    """'valid', 'same', 'causal' or 'full' in small letters. Error: ValueError."""
    padding = value.lower()
    if padding not in _PADDINGS[:3]:
        raise ValueError(
            f"The padding argument must be one of 'valid', 'same' (or 'causal', 1D only). Received: {value}"
        )
    return padding


def normalize_data_format(value: Optional[str]) -> str:
    """'channels_first' or 'channels_last'; None is the one of the settings. Error: ValueError."""
    from keras import config

    found: str = (value or config.image_data_format()).lower()
    if found not in ('channels_first', 'channels_last'):
        raise ValueError(
            f"The `data_format` argument must be one of 'channels_first', 'channels_last'. Received: {value}"
        )
    return found


def conv_output_length(
    input_length: Optional[int], filter_size: int, padding: str, stride: int, dilation: int = 1
) -> Optional[int]:
    """The number of windows along an axis; None for an unknown length."""
    if input_length is None:
        return None
    span = (filter_size - 1) * dilation + 1
    places = {
        'same': input_length,
        'causal': input_length,
        'valid': input_length - span + 1,
        'full': input_length + span - 1,
    }[padding]
    return (places + stride - 1) // stride


def conv_input_length(output_length: Optional[int], filter_size: int, padding: str, stride: int) -> Optional[int]:
    """The length that `conv_output_length` makes an output of; None for an unknown one."""
    if output_length is None:
        return None
    pad = {'same': filter_size // 2, 'valid': 0, 'full': filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_output_length(
    input_length: Optional[int],
    filter_size: int,
    padding: str,
    output_padding: Optional[int] = None,
    stride: int = 0,
    dilation: int = 1,
) -> Optional[int]:
    """The length of an axis behind a transposed convolution; None for an unknown one."""
    if input_length is None:
        return None
    span = (filter_size - 1) * dilation + 1
    if output_padding is None:
        more = {'valid': max(span - stride, 0), 'same': 0, 'full': 2 - stride - span}[padding]
        return input_length * stride + more
    pad = {'same': span // 2, 'valid': 0, 'full': span - 1}[padding]
    return (input_length - 1) * stride + span - 2 * pad + output_padding
