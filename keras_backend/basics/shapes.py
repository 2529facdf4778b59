"""Arithmetic of shapes, and the checks of the arguments that describe them: the same errors on every engine.

A size is an int. An unknown size is None, or any other object that is no integer (an engine's own symbol for one): it
is handed back as it is where the result has the very same size, and answered with None elsewhere.
"""

import sys
from numbers import Integral
from typing import Any, List, Optional, Tuple

from ..errors import ArgumentTypeError, ArgumentValueError, ShapeError


class Shape(tuple):  # type: ignore[type-arg]  # Python 3.6 knows no tuple[...]
    """The static shape of a tensor: sizes, None where one is not known. It has the methods of TensorFlow 1's shapes."""

    __slots__ = ()

    def as_list(self) -> List[Any]:
        """The sizes as a list."""
        return list(self)

    @property
    def ndims(self) -> int:
        """The number of axes."""
        return len(self)


def known(size: Any) -> bool:
    """Whether `size` is a number."""
    return size.__class__ is int or isinstance(size, Integral)


def product(sizes: Any) -> Any:
    """The product of `sizes`, None where one of them is unknown (a zero among them settles it)."""
    total = 1
    for size in sizes:
        if not known(size):
            return 0 if any(known(other) and other == 0 for other in sizes) else None
        total *= int(size)
    return total


def with_rest(sizes: Any) -> List[Any]:
    """`sizes` as a target of reshape: a single unknown one is what is left over, which needs no tensor."""
    target = list(sizes)
    unknown = [i for i, size in enumerate(target) if not known(size)]
    if len(unknown) == 1 and 0 not in [size for size in target if known(size)]:
        target[unknown[0]] = -1
    return target


def spread(ndim: int, axes: Any) -> List[Any]:
    """The shape of rank `ndim` that has the sizes `axes` (axis -> size), and 1 elsewhere."""
    return [axes[i] if i in axes else 1 for i in range(ndim)]


def normalize_axis(axis: Any, ndim: int, what: str = 'axis') -> int:
    """`axis` counted from the front, of a tensor of rank `ndim`; `what` names it in the error."""
    if not known(axis) or isinstance(axis, bool):
        raise ArgumentTypeError(f'{what} has to be an integer, got {axis!r}.')
    if not -ndim <= axis < ndim:
        raise ShapeError(
            '{}={} is not an axis of a tensor of rank {}; possible are {}.'.format(
                what, axis, ndim, f'{-ndim} to {ndim - 1}' if ndim else 'none at all'
            )
        )
    return int(axis) % ndim


def filled_axis(axis: Any, shape: Any) -> int:
    """`axis` counted from the front, of a tensor x of a shape, if there may be a place along it."""
    index = normalize_axis(axis, len(shape))
    if shape[index] == 0:
        raise ShapeError(
            f'axis={axis} of x, of shape {tuple(shape)}, is empty, so it has no largest or smallest place.'
        )
    return index


def normalize_axes(axes: Any, ndim: int, what: str = 'axis') -> Tuple[int, ...]:
    """`axes` (None for all of them, an int, or a collection of ints) as a tuple counted from the front."""
    if axes is None:
        return tuple(range(ndim))
    if known(axes):
        return (normalize_axis(axes, ndim, what),)
    normal = tuple([normalize_axis(axis, ndim, what) for axis in axes])
    if len(set(normal)) != len(normal):
        raise ShapeError(f'{what}={axes!r} names an axis of a tensor of rank {ndim} twice.')
    return normal


def size_of(value: Any) -> Any:
    """One entry of a shape that a user gave, as an int."""
    if value.__class__ is int:
        return value
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):  # no integer; the error is below
        number = None
    if number is None or number != value:
        size = f'an array of shape {value.shape}' if getattr(value, 'shape', None) else repr(value)
        raise ArgumentTypeError(f'{size} is no integer; a shape consists of integers, or of tensors of one integer.')
    return number


def no_size(name: str, shape: Any, dtype: str) -> ArgumentTypeError:
    """The error for a tensor in a shape that holds anything else than one integer."""
    return ArgumentTypeError(
        f'{name} of shape {shape} and dtype {dtype} is no integer; a shape consists of integers, or of tensors of '
        'one integer.'
    )


def no_vector(name: str, shape: Any, dtype: str) -> ArgumentTypeError:
    """The error for a tensor in the place of a shape that is no vector of integers."""
    return ArgumentTypeError(f'{name} of shape {shape} and dtype {dtype} is no vector of integers.')


def entries_of(shape: Any) -> Any:
    """The entries of a shape that a user gave, as a list."""
    try:
        return list(shape)
    except TypeError:
        raise ArgumentTypeError(f'{shape!r} is no list of integers, and no tensor of them.') from None


def array_shape(shape: Any, what: str = 'shape') -> Any:
    """A shape that a user gave, an int or a collection, as the shape of an array that can be made."""
    sizes = tuple([size_of(size) for size in ([shape] if known(shape) else entries_of(shape))])
    if any([size < 0 for size in sizes]) or product(sizes) > sys.maxsize:
        raise ShapeError(f'{what}={sizes} is not possible; sizes are 0 or more, and no array has so many elements.')
    return sizes


def rank_of(shape: Any, ranks: Any, what: str) -> Any:
    """Refuse the argument `what`, of the static shape `shape`, if its rank is none of `ranks`."""
    if len(shape) not in ranks:
        expected = ' or '.join([str(rank) for rank in ranks])
        raise ShapeError(f'{what} has to have {expected} axes, got shape {tuple(shape)}.')


def check_ctc_shapes(y_true: Any, y_pred: Any, input_length: Any, label_length: Any) -> None:
    """Refuse arguments of K.ctc_batch_cost, given their static shapes, that do not fit together."""
    rank_of(y_true, [2], 'y_true')
    rank_of(y_pred, [3], 'y_pred')
    rank_of(input_length, [1, 2], 'input_length')
    rank_of(label_length, [1, 2], 'label_length')
    shapes = {'y_true': y_true, 'y_pred': y_pred, 'input_length': input_length, 'label_length': label_length}
    samples = {name: int(shape[0]) for name, shape in shapes.items() if known(shape[0])}
    if len(set(samples.values())) > 1:
        counts = ', '.join([f'{name} has {number}' for name, number in samples.items()])
        raise ShapeError(f'all arguments have to have the same number of samples, but {counts}.')


def reduce(shape: Any, axes: Any, keepdims: bool = False) -> Tuple[Any, ...]:
    """The shape left of `shape` once the (normalised) `axes` are reduced."""
    if keepdims:
        return tuple([1 if i in axes else size for i, size in enumerate(shape)])
    return tuple([size for i, size in enumerate(shape) if i not in axes])


def broadcast(*shapes: Any) -> Tuple[Any, ...]:
    """The shape of `shapes` broadcast against each other (NumPy's rule)."""
    result = ()
    for shape in shapes:
        longer, shorter = (result, shape) if len(result) >= len(shape) else (shape, result)
        lead = len(longer) - len(shorter)
        joined = list(longer[:lead])
        for a, b in zip(longer[lead:], shorter):
            if a is b or (known(a) and known(b) and a == b):
                joined.append(a)
            elif known(a) and known(b):
                if 1 not in (a, b):
                    raise ShapeError(
                        'The shapes {} do not broadcast against each other.'.format(
                            ' and '.join(str(tuple(s)) for s in shapes)
                        )
                    )
                joined.append(a if b == 1 else b)
            elif known(a):
                joined.append(b if a == 1 else a)
            elif known(b):
                joined.append(a if b == 1 else b)
            else:
                joined.append(None)
        result = tuple(joined)
    return result


def one_of(value: Any, allowed: Any, what: str) -> Any:
    """`value` if it is among `allowed`, else the error that lists them."""
    if value not in allowed:
        raise ArgumentValueError(
            '{}={!r} is not possible; use {}.'.format(what, value, ' or '.join(repr(a) for a in allowed))
        )
    return value


def padding_name(value: Any, allowed: Any = ('valid', 'same')) -> str:
    """`value` if it is a kind of padding."""
    name: str = one_of(value, allowed, 'padding')
    return name


def spatial(value: Any, rank: int, what: str, least: int = 1) -> Tuple[int, ...]:
    """`value`, an int or a collection of `rank` ints, as a tuple of `rank` ints, each `least` (0 or 1) or more."""
    values = (value,) * rank if known(value) else tuple(value) if isinstance(value, (tuple, list)) else None
    if values is None or len(values) != rank or not all(known(v) and least <= v < 1 << 31 for v in values):
        sign, several = 'a positive' if least else 'a non-negative', f' or a tuple of {rank} of them' * (rank > 1)
        raise ArgumentValueError(f'{what} has to be {sign} integer{several}, got {value!r}.')
    return tuple([int(v) for v in values])


def positive(value: Any, what: str) -> int:
    """`value` if it is a positive integer."""
    return spatial(value, 1, what)[0]


def pad_widths(value: Any, rank: int, what: str = 'padding') -> Tuple[Tuple[int, int], ...]:
    """`value`, `rank` pairs of numbers of zeros (before, after), as a tuple of pairs of ints."""
    pairs = (
        tuple([tuple(pair) if isinstance(pair, (tuple, list)) else (pair, pair) for pair in value])
        if isinstance(value, (tuple, list))
        else ()
    )
    if len(pairs) != rank or not all(len(p) == 2 and all(known(w) and 0 <= w < 1 << 31 for w in p) for p in pairs):
        raise ArgumentValueError(
            f'{what} has to hold {rank} pair{"s"[: rank > 1]} of integers of at least 0 (before, after), got {value!r}.'
        )
    return tuple([(int(before), int(after)) for before, after in pairs])


def window(k: Any, dilation: Any = 1) -> Any:
    """The number of places a kernel of `k` taps spans."""
    return (k - 1) * dilation + 1


def taps(k: int, stride: int, dilation: int = 1) -> List[Tuple[int, Optional[int], int]]:
    """For each of the `k` taps of a window the slice (start, stop, step) of the entries it meets as the window moves.

    Counted from both ends, so the size of the axis need not be known.
    """
    span = window(k, dilation)
    return [(tap * dilation, tap * dilation - span + 1 or None, stride) for tap in range(k)]


def kernel_window(shape: Any, rank: int) -> Tuple[Any, ...]:
    """The sizes of the window of a `rank`-D convolution, from the shape of its kernel."""
    if len(shape) != rank + 2 or None in shape[:rank]:
        raise ShapeError(
            f'The kernel of a {rank}-D convolution has rank {rank + 2} and a window of known size, got shape {shape}.'
        )
    return tuple(shape[:rank])


def check_channels(taken: Any, given: Any, kernel: Any, shape: Any) -> None:
    """Raise ShapeError if a kernel (of the shape `kernel`) does not take the channels of an input of shape `shape`."""
    if known(taken) and known(given) and taken != given:
        raise ShapeError(
            f'The kernel of shape {kernel} takes {taken} channels, and the input of shape {shape} has {given}.'
        )


def conv_output_length(
    n: Any, k: Any, stride: Any, padding: Any, dilation: Any = 1, what: str = 'a convolution'
) -> Any:
    """The size of an axis of size `n` after a convolution or pooling with `k` taps."""
    span = window(k, dilation)
    if stride == 1 and (span == 1 or padding != 'valid'):
        return n
    if not known(n):
        return None
    if padding != 'valid':
        return -(-n // stride)
    length = (n - span) // stride + 1
    if length < 0:
        raise ShapeError(
            f'The window of {what} spans {span} places, too many for an axis of size {n}; '
            "use padding='same', a smaller window or a larger input."
        )
    return length


def same_pads(n: Any, k: Any, stride: Any, dilation: Any = 1) -> Tuple[Any, Any]:
    """The zeros (before, after) that padding 'same' adds to an axis of size `n`.

    (None, None) where they depend on an unknown `n`, which they do for strides beyond 1.
    """
    span = window(k, dilation)
    if stride == 1:
        total = span - 1
    elif known(n):
        total = max((-(-n // stride) - 1) * stride + span - n, 0)
    elif span == 1:
        total = 0
    else:
        return None, None
    return total // 2, total - total // 2


def pads(padding: Any, n: Any, k: Any, stride: Any, dilation: Any = 1) -> Tuple[Any, Any]:
    """The zeros (before, after) that `padding` ('valid', 'same' or 'causal') adds to an axis of size `n`."""
    if padding == 'valid':
        return 0, 0
    if padding == 'causal':
        return window(k, dilation) - 1, 0
    return same_pads(n, k, stride, dilation)


def check_transpose(
    n: Any, output: Any, k: Any, stride: Any, padding: Any, dilation: Any = 1, what: str = 'a transposed convolution'
) -> None:
    """Raise ShapeError if the forward convolution of an axis of size `output` cannot give one of size `n`."""
    if known(output):
        forward = conv_output_length(output, k, stride, padding, dilation, what)
        if known(n) and forward != n:
            raise ShapeError(
                f'{what[:1].upper() + what[1:]} cannot turn an axis of size {n} into one of size {output}: '
                f'the convolution back (kernel {k}, stride {stride}, dilation {dilation}, padding {padding!r}) '
                f'gives {forward}. Correct output_shape.'
            )


def transposed_pads(n: Any, output: Any, k: Any, stride: Any, padding: Any, dilation: Any = 1) -> Any:
    """Where the adjoint of a convolution lies in the full correlation of its stuffed input: the first place kept."""
    if padding != 'same' or stride == 1:
        return pads(padding, output, k, stride, dilation)[0]
    return max((n - 1) * stride + window(k, dilation) - output, 0) // 2


def batch_dot_axes(x: Any, y: Any, axes: Any = None) -> Tuple[int, int]:
    """The axes over which batch_dot sums, given the shapes of its arguments."""
    if len(x) < 2 or len(y) < 2:
        raise ShapeError(
            f'batch_dot takes tensors of rank 2 or more (the first axis is the batch), got shapes {tuple(x)} and '
            f'{tuple(y)}.'
        )
    if axes is None:
        axes = (len(x) - 1, 1 if len(y) == 2 else len(y) - 2)
    elif known(axes):
        axes = (axes, axes)
    axes = tuple(axes)
    if len(axes) != 2 or not all(known(axis) for axis in axes):
        raise ArgumentValueError(
            'batch_dot sums over one axis of each tensor; axes has to be None, an integer or two '
            f'integers, got {axes!r}.'
        )
    axis_x, axis_y = normalize_axis(axes[0], len(x), 'axes[0]'), normalize_axis(axes[1], len(y), 'axes[1]')
    if 0 in (axis_x, axis_y):
        raise ShapeError(f'batch_dot cannot sum over axis 0, which is the batch; got axes={axes!r}.')
    for a, b, what in ((x[0], y[0], 'batch sizes'), (x[axis_x], y[axis_y], 'sizes of the axes to sum over')):
        if known(a) and known(b) and a != b:
            raise ShapeError(
                f'batch_dot of shapes {tuple(x)} and {tuple(y)} over axes {(axis_x, axis_y)}: '
                f'the {what} differ ({a} and {b}).'
            )
    return axis_x, axis_y


def slice_bounds(shape: Any, start: Any, size: Any) -> List[Tuple[int, Optional[int]]]:
    """`start` and `size` of K.slice, an int for every axis of `shape`, as pairs (first, last + 1 or None)."""
    if len(start) != len(shape) or len(size) != len(shape):
        raise ShapeError(
            f'A slice of a tensor of rank {len(shape)} needs a start and a size for each axis, '
            f'got {start!r} and {size!r}.'
        )
    bounds = []
    for axis, (n, first, count) in enumerate(zip(shape, start, size)):
        if count < -1 or first < 0 or (known(n) and first + max(count, 0) > n):
            raise ShapeError(
                f'Axis {axis} of shape {tuple(shape)} has no slice that starts at {first} with size {count} '
                '(-1: to the end).'
            )
        bounds.append((int(first), None if count == -1 else int(first + count)))
    return bounds


def dropped_fraction(value: Any) -> Any:
    """`value` if it is a level that dropout can have."""
    if not 0 <= value < 1:
        raise ArgumentValueError(f'level={value!r} is not possible; the fraction to drop lies in [0, 1).')
    return value


def rnn_length(
    shape: Any, mask: Any, states: Any, unroll: bool = False, input_length: Any = None, time_major: bool = False
) -> Any:
    """The length of the time axis of `inputs` of K.rnn (None: unknown), all of its arguments that have a shape checked.

    `shape` is that of `inputs`, `mask` that of the mask or None.
    """
    if len(shape) < 3:
        raise ShapeError(
            f'K.rnn takes inputs of at least 3 axes (samples, time, ...), got shape {tuple(shape)}; '
            'K.expand_dims(x, -1) adds one.'
        )
    if mask is not None:
        if not states:
            raise ArgumentValueError(
                'mask needs a state to keep, and initial_states has none; pass one state at least.'
            )
        lead = shape[:2]
        if (
            len(mask) not in (2, 3)
            or (len(mask) == 3 and known(mask[2]) and mask[2] != 1)
            or any(known(a) and known(b) and a != b for a, b in zip(mask, lead))
        ):
            raise ShapeError(
                'The mask of K.rnn has shape {}, which does not fit inputs of shape {}; it has to be {}.'.format(
                    tuple(mask), tuple(shape), '(time, samples)' if time_major else '(samples, time)'
                )
            )
    length = shape[0 if time_major else 1]
    if not known(length):
        length = input_length if known(input_length) else None
    elif known(input_length) and input_length != length:
        raise ShapeError(
            f'input_length={input_length} differs from the length {length} that inputs have, of shape {tuple(shape)}.'
        )
    if unroll and length is None:
        raise ShapeError(
            f'unroll=True needs a known number of time steps, and inputs have shape {tuple(shape)}; give input_length, '
            'or leave unroll out.'
        )
    if length == 0:
        raise ShapeError(f'K.rnn needs at least one time step, and inputs have shape {tuple(shape)}.')
    return length


def check_states(old: Any, new: Any) -> None:
    """Raise ShapeError if a step function returned `new` states whose shapes are not those of the `old` ones."""
    if len(old) != len(new):
        raise ShapeError(f'The step function was given {len(old)} states and returned {len(new)}.')
    for i, (before, after) in enumerate(zip(old, new)):
        if len(before) != len(after) or any(known(a) and known(b) and a != b for a, b in zip(before, after)):
            raise ShapeError(
                f'The step function turned state {i} of shape {tuple(before)} into one of shape {tuple(after)}; '
                'a state keeps its shape.'
            )
