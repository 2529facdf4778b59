"""First-generation spellings of K: old argument names, values and orders, taken with one DeprecationWarning a call.

Arguments that such a call leaves out have today's defaults, and kernels have today's layout: nothing in the call tells
that it was written for others.
"""

import warnings
from numbers import Integral
from typing import Any, Callable, Dict, List, Optional, Tuple

from ..config import DIM_ORDERINGS
from ..errors import ArgumentTypeError
from . import CONTRACT, Entry

# Old name -> new name, in every function that has the new one.
RENAMED = {'dim_ordering': 'data_format', 'border_mode': 'padding', 'filter_dilation': 'dilation_rate'}

# The same, in one function each.
RENAMED_IN = {
    'batch_get_value': {'xs': 'ops'},
    'expand_dims': {'dim': 'axis'},
    'resize_images': {'X': 'x'},
    'resize_volumes': {'X': 'x'},
}

# Arguments without which a call fails, whichever name they have. Their stubs have a default for the old name's sake.
NEEDED_IN = {
    'batch_get_value': ('ops',),
    'batch_normalization': ('var',),
    'resize_images': ('x', 'height_factor', 'width_factor'),
    'resize_volumes': ('x', 'depth_factor', 'height_factor', 'width_factor'),
}

# Shapes that Theano was told beforehand; they stood between data_format and dilation_rate.
HINTS = {'conv2d': ('image_shape', 'filter_shape'), 'conv3d': ('volume_shape', 'filter_shape')}


def translator(name: str) -> Optional['Translator']:
    """The translator from the first-generation spellings of the K function `name` to today's; None if it had none."""
    return Translator(CONTRACT[name]) if CONTRACT[name].is_legacy else None


class Translator:
    """The way from the first-generation spellings of one K function to those of today.

    Called with all arguments of a call by position (surplus ones behind them) and with the names that today's
    signature does not have, it returns the arguments of today. An argument that is its default counts as left out.
    """

    def __init__(self, entry: Entry) -> None:
        self.name, self.entry = entry.name, entry
        self.positions = {parameter: i for i, parameter in enumerate(entry.parameters)}
        self.defaults = (None,) * (len(entry.parameters) - len(entry.function.__defaults__ or ()))
        self.defaults += entry.function.__defaults__ or ()
        self.renamed = dict(RENAMED_IN.get(entry.name, {}))
        for old, new in RENAMED.items():
            # The argument called padding in the padding functions holds numbers, and never was border_mode.
            if new in self.positions and (new != 'padding' or isinstance(entry.defaults['padding'], str)):
                self.renamed[old] = new
        self.converters: List[Tuple[int, Callable[..., Any]]] = []
        if 'data_format' in self.positions:
            self.converters.append((self.positions['data_format'], _data_format))
        if entry.name in PADDINGS:
            self.converters.append((self.positions['padding'], PADDINGS[entry.name]))

    def __call__(self, args: Tuple[Any, ...], legacy: Dict[str, Any]) -> Tuple[Any, ...]:
        changes: List[str] = []
        values = list(args)
        if legacy or len(values) > len(self.defaults) or self.name in HINTS:
            self._drop_hints(values, legacy, changes)
        if self.name == 'batch_normalization':
            self._square_std(values, legacy, changes)
        if legacy:
            self._rename(values, legacy, changes)
        for position, convert in self.converters:
            if values[position] is not self.defaults[position]:
                values[position] = convert(values[position], changes)
        for parameter in NEEDED_IN.get(self.name, ()):
            if values[self.positions[parameter]] is None:
                error = ArgumentTypeError(f'{self.name}() missing 1 required positional argument: {parameter!r}')
                error.function = self.name
                raise error
        if changes:
            # The call is three frames up: the plain function of K, and the check of its arguments.
            warnings.warn(f'K.{self.name}: {", ".join(changes)}.', DeprecationWarning, stacklevel=4)
        return tuple(values)

    def _drop_hints(self, values: List[Any], legacy: Dict[str, Any], changes: List[str]) -> None:
        hints = HINTS.get(self.name, ())
        given = [hint for hint in hints if legacy.pop(hint, legacy) is not legacy]
        if hints:
            place = self.positions['data_format'] + 1
            surplus = len(values) - len(self.defaults)
            if values[place] is not self.defaults[place] and _is_hint(values[place]):
                # image_shape stands in the place of dilation_rate, filter_shape and the true rate behind it.
                given.extend(hints[: 1 + surplus])
                del values[place : place + len(hints)]
                values.extend(self.defaults[len(values) :])
            del values[len(self.defaults) :]
        changes.extend([f'{hint} is no longer needed' for hint in given])

    def _square_std(self, values: List[Any], legacy: Dict[str, Any], changes: List[str]) -> None:
        var, axis, epsilon = [self.positions[name] for name in ('var', 'axis', 'epsilon')]
        if 'std' in legacy:
            self._refuse_both('std', 'var', values)
            std = legacy.pop('std')
            values[var] = std * std
            changes.append('std= is now var=, its square')
        # The sixth argument was epsilon, a float; today it is axis, an integer.
        elif isinstance(values[axis], float) and values[epsilon] is self.defaults[epsilon]:
            values[epsilon], values[axis] = values[axis], self.defaults[axis]
            values[var] = values[var] * values[var]
            changes.append('std, the third argument, is now var, its square')

    def _rename(self, values: List[Any], legacy: Dict[str, Any], changes: List[str]) -> None:
        for old, new in self.renamed.items():
            if old in legacy:
                self._refuse_both(old, new, values)
                values[self.positions[new]] = legacy.pop(old)
                changes.append(f'{old}= is now {new}=')
        for name in legacy:
            raise TypeError(f'{self.name}() got an unexpected keyword argument {name!r}')

    def _refuse_both(self, old: str, new: str, values: List[Any]) -> None:
        position = self.positions[new]
        if values[position] is not self.defaults[position]:
            raise TypeError(
                f'K.{self.name}() was given both {old}= and {new}, the old and the new name of one argument; pass '
                f'{new} alone.'
            )


def _is_hint(value: Any) -> bool:
    # A shape with samples and channels, or None; a dilation rate, which stands there today, has 3 numbers at most.
    return value is None or (isinstance(value, (list, tuple)) and len(value) > 3)


def _data_format(value: Any, changes: List[str]) -> Any:
    new = DIM_ORDERINGS.get(value.lower()) if isinstance(value, str) else None
    if new is None:
        return value
    changes.append(f'{value!r} is now {new!r}')
    return new


def _temporal_padding(value: Any, changes: List[str]) -> Any:
    if isinstance(value, Integral):
        changes.append('padding=n is now padding=(n, n)')
        return (value, value)
    return value


def _spatial_padding(value: Any, changes: List[str]) -> Any:
    if isinstance(value, (list, tuple)) and value and all(isinstance(size, Integral) for size in value):
        changes.append('padding=(m, n) is now padding=((m, m), (n, n))')
        return tuple((size, size) for size in value)
    return value


PADDINGS = {
    'temporal_padding': _temporal_padding,
    'spatial_2d_padding': _spatial_padding,
    'spatial_3d_padding': _spatial_padding,
}
