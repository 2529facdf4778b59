"""First-generation spellings of K: old argument names, values and orders, taken with one DeprecationWarning a call.

Arguments that such a call leaves out have today's defaults, and kernels have today's layout: nothing in the call tells
that it was written for others.
"""

import functools
import warnings
from numbers import Integral

from ..config import DIM_ORDERINGS
from . import CONTRACT, SETTINGS

# Old name -> new name, in every function that has the new one.
RENAMED = {'dim_ordering': 'data_format', 'border_mode': 'padding', 'filter_dilation': 'dilation_rate'}

# The same, in one function each.
RENAMED_IN = {
    'batch_get_value': {'xs': 'ops'},
    'expand_dims': {'dim': 'axis'},
    'resize_images': {'X': 'x'},
    'resize_volumes': {'X': 'x'},
}

# Shapes that Theano was told beforehand; they stood between data_format and dilation_rate.
HINTS = {'conv2d': ('image_shape', 'filter_shape'), 'conv3d': ('volume_shape', 'filter_shape')}


def adapt(name, function):
    """`function`, able to take the first-generation spellings of the K function `name` where it had any."""
    translate = _Translator(name)
    if not translate.steps:
        return function

    @functools.wraps(function)
    def adapted(*args, **kwargs):
        args, kwargs, changes = translate(args, kwargs)
        if changes:
            warnings.warn(f'K.{name}: {", ".join(changes)}.', DeprecationWarning, stacklevel=2)
        return function(*args, **kwargs)

    return adapted


class _Translator:
    """What the first generation spelled otherwise in one K function, as steps that lead to today's spelling.

    A step takes (args, kwargs, changes), appends a phrase to `changes` for each change, and returns (args, kwargs).
    """

    def __init__(self, name):
        self.name, self.steps = name, []
        if name in SETTINGS:
            return
        stub = CONTRACT[name]
        self.positions = {parameter: i for i, parameter in enumerate(stub.parameters)}
        defaults = dict(zip(reversed(stub.parameters), reversed(stub.function.__defaults__ or ())))
        self.renamed = dict(RENAMED_IN.get(name, {}))
        for old, new in RENAMED.items():
            # What is called padding in the padding functions are numbers, and never was border_mode.
            if new in self.positions and (new != 'padding' or isinstance(defaults['padding'], str)):
                self.renamed[old] = new
        self.converters = {}
        if 'data_format' in self.positions:
            self.converters['data_format'] = _data_format
        if name in PADDINGS:
            self.converters['padding'] = PADDINGS[name]

        if name in HINTS:
            self.steps.append(self._drop_hints)
        if name == 'batch_normalization':
            self.steps.append(self._square_std)
        if self.renamed:
            self.steps.append(self._rename)
        if self.converters:
            self.steps.append(self._convert)

    def __call__(self, args, kwargs):
        changes = []
        for step in self.steps:
            args, kwargs = step(args, kwargs, changes)
        return args, kwargs, changes

    def _drop_hints(self, args, kwargs, changes):
        hints = HINTS[self.name]
        after = self.positions['data_format'] + 1
        given = [hint for hint in hints if hint in kwargs]
        for hint in given:
            del kwargs[hint]
        if len(args) > after and _is_hint(args[after]):
            given.extend(hints[: len(args) - after])
            args = args[:after] + args[after + len(hints) :]
        changes.extend([f'{hint} is no longer needed' for hint in given])
        return args, kwargs

    def _square_std(self, args, kwargs, changes):
        if 'std' in kwargs:
            self._refuse_both('std', 'var', args, kwargs)
            std = kwargs.pop('std')
            kwargs['var'] = std * std
            changes.append('std= is now var=, its square')
        # The sixth argument was epsilon, a float; today it is axis, an integer.
        elif len(args) == 6 and isinstance(args[5], float) and 'epsilon' not in kwargs:
            x, mean, std, beta, gamma, kwargs['epsilon'] = args
            args = (x, mean, std * std, beta, gamma)
            changes.append('std, the third argument, is now var, its square')
        return args, kwargs

    def _rename(self, args, kwargs, changes):
        for old, new in self.renamed.items():
            if old in kwargs:
                self._refuse_both(old, new, args, kwargs)
                kwargs[new] = kwargs.pop(old)
                changes.append(f'{old}= is now {new}=')
        return args, kwargs

    def _convert(self, args, kwargs, changes):
        for parameter, convert in self.converters.items():
            position = self.positions[parameter]
            if parameter in kwargs:
                kwargs[parameter] = convert(kwargs[parameter], changes)
            elif position < len(args):
                args = args[:position] + (convert(args[position], changes),) + args[position + 1 :]
        return args, kwargs

    def _refuse_both(self, old, new, args, kwargs):
        if new in kwargs or self.positions[new] < len(args):
            raise TypeError(
                f'K.{self.name}() was given both {old}= and {new}, the old and the new name of one argument; pass '
                f'{new} alone.'
            )


def _is_hint(value):
    # A shape with samples and channels, or None; a dilation rate, which stands there today, has 3 numbers at most.
    return value is None or (isinstance(value, (list, tuple)) and len(value) > 3)


def _data_format(value, changes):
    new = DIM_ORDERINGS.get(value.lower()) if isinstance(value, str) else None
    if new is None:
        return value
    changes.append(f'{value!r} is now {new!r}')
    return new


def _temporal_padding(value, changes):
    if isinstance(value, Integral):
        changes.append('padding=n is now padding=(n, n)')
        return (value, value)
    return value


def _spatial_padding(value, changes):
    if isinstance(value, (list, tuple)) and value and all(isinstance(size, Integral) for size in value):
        changes.append('padding=(m, n) is now padding=((m, m), (n, n))')
        return tuple((size, size) for size in value)
    return value


PADDINGS = {
    'temporal_padding': _temporal_padding,
    'spatial_2d_padding': _spatial_padding,
    'spatial_3d_padding': _spatial_padding,
}
