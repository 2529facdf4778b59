"""Arithmetic of shapes, and the checks of the arguments that describe them: the same errors on every engine.

A size is an int. An unknown size is None, or any other object that is no integer (an engine's own symbol for one): it is
handed back as it is where the result has the very same size, and answered with None elsewhere.
"""
from numbers import Integral

from .errors import ShapeError


def known(size):
    """Whether `size` is a number."""
    return isinstance(size, Integral)


def product(sizes):
    """The product of `sizes`, None where one of them is unknown (a zero among them settles it)."""
    total = 1
    for size in sizes:
        if not known(size):
            return 0 if any(known(other) and other == 0 for other in sizes) else None
        total *= int(size)
    return total


def normalize_axis(axis, ndim, what='axis'):
    """`axis` counted from the front, of a tensor of rank `ndim`; `what` names it in the error."""
    if not known(axis) or isinstance(axis, bool):
        raise TypeError('%s has to be an integer, got %r.' % (what, axis))
    if not -ndim <= axis < ndim:
        raise ShapeError('%s=%d is not an axis of a tensor of rank %d; possible are %s.'
                         % (what, axis, ndim, '%d to %d' % (-ndim, ndim - 1) if ndim else 'none at all'))
    return int(axis) % ndim


def normalize_axes(axes, ndim, what='axis'):
    """`axes` (None for all of them, an int, or a collection of ints) as a tuple counted from the front."""
    if axes is None:
        return tuple(range(ndim))
    if known(axes):
        return (normalize_axis(axes, ndim, what),)
    normal = tuple([normalize_axis(axis, ndim, what) for axis in axes])
    if len(set(normal)) != len(normal):
        raise ShapeError('%s=%r names an axis of a tensor of rank %d twice.' % (what, axes, ndim))
    return normal


def reduce(shape, axes, keepdims=False):
    """The shape left of `shape` once the (normalised) `axes` are reduced."""
    if keepdims:
        return tuple([1 if i in axes else size for i, size in enumerate(shape)])
    return tuple([size for i, size in enumerate(shape) if i not in axes])


def broadcast(*shapes):
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
                    raise ShapeError('The shapes %s do not broadcast against each other.'
                                     % ' and '.join(str(tuple(s)) for s in shapes))
                joined.append(a if b == 1 else b)
            elif known(a):
                joined.append(b if a == 1 else a)
            elif known(b):
                joined.append(a if b == 1 else b)
            else:
                joined.append(None)
        result = tuple(joined)
    return result


def one_of(value, allowed, what):
    """`value` if it is among `allowed`, else the error that lists them."""
    if value not in allowed:
        raise ValueError('%s=%r is not possible; use %s.' % (what, value, ' or '.join(repr(a) for a in allowed)))
    return value


def padding_name(value, allowed=('valid', 'same')):
    """`value` if it is a kind of padding."""
    return one_of(value, allowed, 'padding')


def spatial(value, rank, what):
    """`value`, an int or a collection of `rank` ints, as a tuple of `rank` positive ints."""
    values = (value,) * rank if known(value) else tuple(value) if isinstance(value, (tuple, list)) else None
    if values is None or len(values) != rank or not all(known(v) and v > 0 for v in values):
        raise ValueError('%s has to be a positive integer%s, got %r.'
                         % (what, ' or a tuple of %d of them' % rank if rank > 1 else '', value))
    return tuple([int(v) for v in values])


def positive(value, what):
    """`value` if it is a positive integer."""
    return spatial(value, 1, what)[0]


def pad_widths(value, rank, what='padding'):
    """`value`, `rank` pairs of numbers of zeros (before, after), as a tuple of pairs of ints."""
    pairs = tuple([tuple(pair) if isinstance(pair, (tuple, list)) else (pair, pair) for pair in value]) \
        if isinstance(value, (tuple, list)) else ()
    if len(pairs) != rank or not all(len(p) == 2 and all(known(w) and w >= 0 for w in p) for p in pairs):
        raise ValueError('%s has to hold %d pair%s of integers of at least 0 (before, after), got %r.'
                         % (what, rank, 's' if rank > 1 else '', value))
    return tuple([(int(before), int(after)) for before, after in pairs])


def window(k, dilation=1):
    """The number of places a kernel of `k` taps spans."""
    return (k - 1) * dilation + 1


def conv_output_length(n, k, stride, padding, dilation=1, what='a convolution'):
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
        raise ShapeError("The window of %s spans %d places, too many for an axis of size %d; "
                         "use padding='same', a smaller window or a larger input." % (what, span, n))
    return length


def same_pads(n, k, stride, dilation=1):
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


def pads(padding, n, k, stride, dilation=1):
    """The zeros (before, after) that `padding` ('valid', 'same' or 'causal') adds to an axis of size `n`."""
    if padding == 'valid':
        return 0, 0
    if padding == 'causal':
        return window(k, dilation) - 1, 0
    return same_pads(n, k, stride, dilation)


def check_transpose(n, output, k, stride, padding, dilation=1, what='a transposed convolution'):
    """Raise ShapeError if the forward convolution of an axis of size `output` cannot give one of size `n`."""
    if known(output):
        forward = conv_output_length(output, k, stride, padding, dilation, what)
        if known(n) and forward != n:
            raise ShapeError('%s cannot turn an axis of size %d into one of size %d: the convolution back (kernel %d, '
                             'stride %d, dilation %d, padding %r) gives %d. Correct output_shape.'
                             % (what[:1].upper() + what[1:], n, output, k, stride, dilation, padding, forward))
