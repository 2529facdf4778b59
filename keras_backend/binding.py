"""From an engine to the functions that users get: copies of the contract's stubs, over the checked methods of a front.

A user calls three functions one after the other: the plain function `K.dot`, whose text is the contract's; the check
of its arguments (`_checked`), which also takes old spellings; and the method of the front that does the work.
Longer than other files: all that stands between the user and a front is here, old spellings included.
"""

import re
import sys
import warnings
from numbers import Integral
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, Callable, Container, Dict, FrozenSet, List, Optional, Tuple

import numpy as np

from .basics.live import Namespace as LiveNamespace
from .basics.run_errors import CALLING
from .config import DIM_ORDERINGS
from .contract import ADDED, CONTRACT, SETTINGS, Entry
from .contract.kinds import Kind, Tensor, kind_of, shown
from .errors import ArgumentError, ArgumentTypeError, FeedError, ShapeError
from .front import Composed
from .front.base import Api

Namespace = Dict[str, Any]
Function = Callable[..., Any]
Rows = Tuple[Tuple[Any, FrozenSet[type], Kind, str], ...]

_ARRAYS = frozenset([np.ndarray, np.bool_, np.float16, np.float32, np.float64, np.int32, np.int64])
# The patterns after the name of an argument in a message. The second is for a name of one letter: the letter alone may
# be a word or the name of something else.
_WORD, _SAID = r'\b', r'(=| has | may )'
_NONE = frozenset([type(None)])


class EngineInfo:
    """The parts that a namespace is made of.

    Attributes: `name` and `title` of the engine; `library`, the one that it runs on, where there is a choice, else ''
    ('Theano 1.0.5', 'jax'); `front`, whose methods do the work; `origins`, a dict from each name of K to 'engine',
    'composed', 'setting' or 'missing'; `reasons` for the missing ones; `deviations`, the signatures that are not the
    contract's.
    """

    def __init__(self, front: Api, namespace: Namespace) -> None:
        self.front, self.name, self.title, self.library = front, front.name, front.title, front.runs_on
        self.origins = {name: _origin(front, name) for name in CONTRACT}
        self.reasons = {name: front.why_not(name) for name, origin in self.origins.items() if origin == 'missing'}
        self._namespace = namespace

    @property
    def deviations(self) -> Dict[str, Tuple[str, str]]:
        """The result of `check_signatures` for this namespace. It is computed on demand: it takes milliseconds."""
        return check_signatures(self._namespace)

    def supports(self, name: str) -> bool:
        """Whether K function `name` works on this engine."""
        return self.origins.get(name, 'missing') != 'missing'

    def __repr__(self) -> str:
        return f'EngineInfo({self.name!r}, {self.title!r})'


def _origin(front: Api, name: str) -> str:
    if name in SETTINGS:
        return 'setting'
    if not front.supports(name):
        return 'missing'
    if front.own is not None:
        return 'engine' if name in front.own else 'composed'
    function: Any = getattr(getattr(front, name), '__func__', None)
    while hasattr(function, '__wrapped__'):  # the engine inside Keras 3 wraps the methods of the front
        function = function.__wrapped__
    return 'composed' if function is getattr(Composed, name) else 'engine'


def _rows(name: str, front: Api) -> Rows:
    """For each argument of a K function its default, the classes that need no look, its kind and its name."""
    stub = CONTRACT[name].function
    defaults = stub.__defaults__ or ()
    parameters, annotations = CONTRACT[name].parameters, stub.__annotations__
    # A parameter without a default gets one that no caller can pass.
    defaults = (_NONE,) * (len(parameters) - len(defaults)) + defaults
    tensors = front.library.tensors if hasattr(front, 'library') else frozenset()
    rows = []
    for parameter, default in zip(parameters, defaults):
        kind, optional = kind_of(annotations[parameter])
        assert kind is not None, f'{name} does not say what {parameter} is'
        quick = kind.quick | _NONE if optional else kind.quick
        if kind.own:
            quick |= tensors
        if kind.tensors:
            quick |= _ARRAYS
        rows.append((default, quick, kind, parameter))
    return tuple(rows)


def _checked(name: str, front: Api) -> Function:
    """The method of a front, called with all arguments by position.

    Old spellings are translated, each argument is held against its kind, and errors name the K function.
    """
    method, translate, rows = getattr(front, name), translator(name), _rows(name, front)
    asked: Any = getattr(front, 'library', front)
    is_tensor, packages = asked.is_tensor, getattr(asked, 'packages', ())
    calling, usual = CALLING, tuple([row[1] for row in rows])

    def look(args: Tuple[Any, ...]) -> None:
        for value, (default, quick, kind, parameter) in zip(args, rows):
            if value is default or value.__class__ in quick:
                continue
            refusal = kind.refusal(parameter, value, is_tensor)
            if refusal is not None:
                raise refusal

    def enter(*args: Any, **named: Any) -> Any:
        calling[0] = name
        try:
            if translate is not None:
                args, named = translate(args, named), {}
            # Half the time of a loop with `zip`.
            index = 0
            for value in args:
                if value.__class__ not in usual[index]:
                    look(args)
                    break
                index += 1
            return method(*args, **named)
        except ArgumentError as error:
            raise error.of(
                name, lambda error: _given(error, rows, args) + _slopeless(error, front)
            ) from error.__cause__
        except (TypeError, ValueError) as error:
            refusal = _refusal_of_library(error, packages, front.title) or _refusal_of_rank(error, asked, args)
            if refusal is None:
                raise
            raise refusal.of(name, lambda error: _given(error, rows, args)) from error
        finally:
            # Not the name before: what Ctrl-C or another thread leaves there would stay for ever.
            calling[0] = None

    return _signing(name, enter, asked) if hasattr(asked, 'sign') else enter


def _signing(name: str, function: Function, library: Any) -> Function:
    """A K function whose results say which function made them (see `library.Signing`)."""
    clock, sign, signed = library.clock, library.sign, library.signed

    def enter(*args: Any, **named: Any) -> Any:
        started = clock()
        result = function(*args, **named)
        if result.__class__ in signed:
            sign(result, started, name)
        return result

    return enter


def _refusal_of_library(error: Exception, packages: Container[str], title: str) -> Optional[ArgumentError]:
    """The error of ours for arguments that the library under the engine has refused, None for all other errors.

    A library knows best which shapes and dtypes its operations take, so they are not checked twice. The library has
    refused them if the innermost function of the traceback is of its packages, and all others are of its packages or
    ours. An error out of the user's own code, such as a step function, stays as it is.
    """
    visited = _places(error)
    if visited[-1] == __package__ or not all([name == __package__ or name in packages for name in visited]):
        return None
    if isinstance(error.__context__, ArgumentError):
        # Raised by a function of ours that the library called, and put into words of its own.
        return error.__context__
    # TensorFlow's sentence goes on with the node that was not made.
    reason = str(error).partition(" for '{{node")[0].partition('\n')[0].rstrip('.')
    kind = ArgumentTypeError if isinstance(error, TypeError) else ShapeError
    return kind(f'{title} does not take these arguments: {reason}.')


def _refusal_of_rank(error: Exception, library: Any, args: Tuple[Any, ...]) -> Optional[ArgumentError]:
    """The error of ours where a function of ours has calculated with the rank of an argument, and there is none."""
    if not isinstance(error, TypeError) or set(_places(error)) != {__package__} or not hasattr(library, 'rank'):
        return None
    for value in args:
        for x in value if isinstance(value, (list, tuple)) else [value]:
            if library.is_tensor(x) and library.rank(x) is None:
                return ShapeError.of_unknown_rank(getattr(x, 'name', None) or 'a tensor')
    return None


def _places(error: Exception) -> List[str]:
    """The packages of the functions that an error has passed, the innermost last."""
    trace, names = error.__traceback__, [__package__]
    while trace is not None:
        names.append(trace.tb_frame.f_globals.get('__name__', '').partition('.')[0])
        trace = trace.tb_next
    return names


def _given(error: ArgumentError, rows: Rows, args: Tuple[Any, ...]) -> str:
    """The arguments that an error should name and does not: of shapes that do not fit all that were given."""
    named = [re.search(rf'\b{row[3]}{_SAID if len(row[3]) == 1 else _WORD}', str(error)) for row in rows]
    if any(named) and not isinstance(error, (FeedError, ShapeError)):
        return ''
    arguments = [
        f'{row[3]}={shown(value)}' for value, row, there in zip(args, rows, named) if value is not row[0] and not there
    ]
    return f' Given: {", ".join(arguments)}.' if arguments else ''


def _slopeless(error: ArgumentError, front: Api) -> str:
    """For which variables K.gradients gave None, where an error is about None: it may be that one."""
    reason: str = getattr(front, 'slopeless', '')
    return reason if re.search(r'\bNone (was given|for )|, got None\.$', str(error)) else ''


def _named(name: str, function: Function) -> Function:
    """A function of a user's module, called with all arguments by position. Old spellings are translated."""
    translate = translator(name)

    def enter(*args: Any, **named: Any) -> Any:
        try:
            if translate is not None:
                args, named = translate(args, named), {}
            return function(*args, **named)
        except ArgumentError as error:
            raise error.of(name) from error.__cause__

    return enter


def bind(front: Api, namespace: Namespace, keep: Container[str] = ()) -> EngineInfo:
    """Put the K functions of an engine into `namespace`, the globals of its module.

    They are copies of the contract's stubs whose global `K` holds the checked methods of `front`. Each is one statement
    that uses no other global, so Keras 2, which saves the code of a function and runs it in a module of its own with a
    global `K`, can load it again. They have no annotations, since kinds are no types to programs that ask for them; the
    type stubs have them. Names in `keep` stay what they are.
    """
    module = namespace['__name__']
    K = SimpleNamespace()
    if not front.checked:
        from .user_module.functions import shortened  # here, because only modules of users need it
    for name, entry in CONTRACT.items():
        if front.checked:
            entrance = _checked(name, front)
        else:
            method = getattr(front, name)
            entrance = _named(name, shortened(method, entry.function.__defaults__ or ()) if name in keep else method)
        setattr(K, name, entrance)
    scope = {'K': K, '__name__': module, '__builtins__': __builtins__}
    for name, entry in CONTRACT.items():
        if name in keep and not entry.is_legacy:
            continue
        stub = entry.function
        function = FunctionType(stub.__code__, scope, name, stub.__defaults__)
        function.__kwdefaults__ = stub.__kwdefaults__
        function.__doc__, function.__module__, function.__qualname__ = stub.__doc__, module, name
        if entry.is_legacy:
            vars(function)['__signature__'] = entry.signature
        namespace[name] = function
    info = namespace['_engine'] = EngineInfo(front, namespace)
    namespace['__all__'] = sorted(CONTRACT)
    namespace.setdefault('supports', info.supports)  # as the face has it
    namespace.setdefault('Tensor', Tensor)
    for tensor in front.library.tensors if hasattr(front, 'library') else ():
        Tensor.register(tensor)
    here = sys.modules.get(module)
    if type(here) is ModuleType and vars(here) is namespace:  # not where a user's module has a class of its own
        here.__class__ = LiveNamespace
    return info


def complete(
    namespace: Namespace, title: str, name: str, module: Optional[ModuleType] = None, library: str = ''
) -> EngineInfo:
    """Make `namespace` (the globals of an engine module) a complete K.

    The functions that the module defines stay. Composed functions are added where they can be made. The others raise
    UnsupportedByEngine when called. Settings always come from `config`. The module may say why it lacks a function in
    `UNSUPPORTED`: {name: 'reason; way out'}. `namespace['_engine']`, an EngineInfo, describes the result. `module` is
    given for a facade, a namespace that borrows the functions of a module which must not be changed. `library` says
    what the engine runs on, where there is a choice.
    """
    from .user_module.front import Adapted  # here, because it takes milliseconds and only modules of users need it

    refused = namespace.get('UNSUPPORTED', {})
    own = {n: namespace[n] for n in CONTRACT if n not in SETTINGS and n not in refused and callable(namespace.get(n))}
    front = Adapted(own, name=name, title=title, runs_on=library, refused=refused)
    info = bind(front, namespace, keep=own)
    for n, function in own.items():
        # Functions that a facade borrowed from a user's module stay as they are.
        if isinstance(function, FunctionType) and not function.__doc__ and module is None:
            function.__doc__ = CONTRACT[n].doc
    return info


def _shape_of(signature: Any) -> List[Tuple[str, Any, Any]]:
    return [(p.name, p.kind, p.default) for p in signature.parameters.values()]


def check_signatures(namespace: Namespace) -> Dict[str, Tuple[str, str]]:
    """Deviations of the functions of an engine from the contract, as {name: (its signature, the contract's)}."""
    import inspect  # here, because it takes milliseconds and only checks need it

    wrong = {}
    for name, entry in CONTRACT.items():
        try:
            signature = inspect.signature(namespace[name])
        except (TypeError, ValueError):  # a function of C may have no signature
            continue
        expected = _shape_of(entry.signature)
        older = [row for row in expected if row[0] not in ADDED.get(name, ())]
        if _shape_of(signature) not in (expected, older):
            wrong[name] = str(signature), str(entry.signature)
    return wrong


# -- old spellings -----------------------------------------------------------------------------------------------------
# First-generation spellings of K: old argument names, values and orders, taken with one DeprecationWarning a call.
#
# Arguments that such a call leaves out have today's defaults, and kernels have today's layout: nothing in the call
# tells that it was written for others.

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
        if self.name in HINTS:
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
        hints = HINTS[self.name]
        given = [hint for hint in hints if legacy.pop(hint, legacy) is not legacy]
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
