"""The same code on several engines in one process: values side by side, and where they first differ.

Longer than other modules: running on an engine, recording its calls and comparing them read each other's records.
"""

import functools
import inspect
import sys
import tokenize
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, TextIO, Tuple, Union

import numpy as np

from . import config, loader
from .basics.terminal import Progress
from .contract import CONTRACT, SETTINGS

# How far a float may be from its truth, relative to the largest value of its tensor.
TOLERANCE = {'float16': 1e-2, 'float32': 1e-5, 'float64': 1e-10}

Values = Dict[str, np.ndarray]
Engines = Sequence[Union[str, ModuleType]]


class Difference(NamedTuple):
    """Where `engine` first differs from `reference`.

    `name` says which value: 'output 1', 'loss', 'step 3, output 0', or an intermediate one, 'K.softmax at FILE:12'.
    `kind` is 'value', 'shape', 'dtype', 'number' (of values) or 'error' (`value` and `expected` are then exceptions, or
    None where there was none). `index` is the place in the array, for 'value'.
    """

    engine: str
    reference: str
    name: str
    kind: str
    index: Optional[Tuple[int, ...]]  # type: ignore[assignment]  # the name of a method of tuples
    value: Any
    expected: Any


class Comparison:
    """The findings of `compare`; true if nothing differs.

    Attributes: `engines`, their names, the reference first; `values`, {engine: {name: array}}; `errors`, {engine:
    exception} of those that failed; `outputs`, the first Difference in the results, `first`, the same traced to the
    first call of K whose value differs; both None if all are equal.
    """

    def __init__(self, engines: Sequence[str]) -> None:
        self.engines = tuple(engines)
        self.values: Dict[str, Values] = {}
        self.errors: Dict[str, BaseException] = {}
        self.outputs: Optional[Difference] = None
        self.first: Optional[Difference] = None

    def __bool__(self) -> bool:
        return self.outputs is None

    def __repr__(self) -> str:
        """What pytest shows of an assertion that fails."""
        return f'<Comparison of {self}>' if self else f'<Comparison: {"; ".join(str(self).splitlines())}>'

    def __str__(self) -> str:
        if self.outputs is None:
            return f'{", ".join(self.engines)}: {len(self.values[self.engines[0]])} values are equal'
        lines = [_sentence(self.outputs)]
        if self.first is not None and self.first != self.outputs:
            lines.append('the first difference: ' + _sentence(self.first))
        return '\n'.join(lines)


def _told(error: Optional[BaseException]) -> str:
    return 'gives values' if error is None else f'raises {type(error).__name__}: {error}'


def _sentence(d: Difference) -> str:
    if d.kind == 'error':
        return f'{d.name}: {d.engine} {_told(d.value)}, {d.reference} {_told(d.expected)}'
    if d.kind == 'value':
        index = f'[{", ".join(map(str, d.index or ()))}]' if d.index else ''
        return f'{d.name}{index}: {d.engine} has {d.value!r}, {d.reference} has {d.expected!r}'
    return f'{d.name}: {d.engine} has the {d.kind} {d.value}, {d.reference} has {d.expected}'


def compare(
    build: Callable[..., Any],
    inputs: Sequence[Any] = (),
    engines: Optional[Engines] = None,
    steps: int = 1,
    rtol: Optional[float] = None,
    file: Optional[TextIO] = None,
) -> Comparison:
    """Build and run the same thing on several engines, and print where the values first differ.

    Parameters
    ----------
    build : callable (K, *placeholders) or (K)
        Gets the namespace of an engine, and one placeholder of known shape per input. Returns tensors or callables:
        one, a list, or a dict by name. A callable (a `K.function`) is called with the list of inputs. With `K` alone as
        argument it makes its own placeholders and returns callables.
    inputs : list of array
        The values to feed.
    engines : list of str or module, optional
        As for `keras_backend.load`. The others are compared with the first. None stands for 'numpy' and the engine
        that K runs on.
    steps : int, optional
        How many times to run, for functions with updates.
    rtol : float, optional
        The difference that is allowed, relative to the largest value of a tensor; None takes 1e-2 for float16, 1e-5 for
        float32, 1e-10 for float64. Other values have to be equal.
    file : file, optional
        Where the report goes; standard output if None.

    Returns
    -------
    Comparison
        True if nothing differs; `first` says where it does, `values` holds all.

    Raises
    ------
    ImportError
        One of the engines cannot be loaded here, and why.
    Exception
        The error of `build` or of the run, if all engines raise one. If only some do, it is a difference.

    Notes
    -----
    `numpy.random` is in the same state for each engine, so weights drawn there are equal. Numbers that K draws are not.
    Where a value differs, the results of all calls of K that `build` made are compared in their order.

    Examples
    --------
    >>> import keras_backend
    >>> def build(K, x):
    ...     return K.softmax(K.square(x))
    >>> found = keras_backend.compare(build, [[[0., 0.]]], ['numpy'])  # 'tensorflow' beside it, where there is one
    numpy: 1 values are equal
    >>> found.values['numpy']['output 0'].tolist()
    [[0.5, 0.5]]
    """
    if engines is None:
        configured = loader.configured()
        engines = ['numpy'] if configured is loader.load('numpy') else ['numpy', configured]
    namespaces = [_namespace(engine) for engine in engines]
    if not namespaces:
        raise ValueError("compare was given no engine; name at least one, such as ['numpy'].")
    arrays = [_array(value) for value in inputs]
    result = Comparison(_names(namespaces))
    start: Any = np.random.get_state()
    after: Any = None
    runs = []
    for name, K in zip(result.engines, namespaces):
        np.random.set_state(start)
        with Progress() as progress:
            run = _Run(name, K, build, arrays, steps, show=progress.show)
        runs.append(run)
        after = after or np.random.get_state()
        result.values[name] = run.values
        if run.error is not None:
            result.errors[name] = run.error
    np.random.set_state(after)
    if len(result.errors) == len(runs):
        raise result.errors[result.engines[0]]
    for other in runs[1:]:
        mismatch = _first_difference(other, runs[0], rtol)
        if mismatch is not None:
            result.outputs = mismatch
            result.first = mismatch
            if mismatch.name in other.steps:  # not where one failed or gave other results: their calls are not the same
                result.first = _traced(runs[0], other, start, other.steps[mismatch.name], rtol) or mismatch
                np.random.set_state(after)
            break
    (file or sys.stdout).write(f'{result}\n')
    return result


def _namespace(engine: Union[str, ModuleType]) -> Any:
    if isinstance(engine, ModuleType):
        return engine if loader.completed(engine) else loader.load(engine.__name__)
    return loader.load(engine)


def _names(namespaces: Sequence[Any]) -> List[str]:
    names: List[str] = []
    for K in namespaces:
        same = sum(name.partition(' (')[0] == K._engine.name for name in names)
        names.append(f'{K._engine.name} ({same + 1})' if same else K._engine.name)
    return names


def _array(value: Any) -> np.ndarray:
    """A fed value as an array for K.placeholder: Python floats are floatx, as for K.constant."""
    array = np.asarray(value)
    is_python = not isinstance(value, (np.ndarray, np.generic))
    return array.astype(config.floatx()) if is_python and array.dtype.kind == 'f' else array


class _Trace(ModuleType):
    """A namespace that passes calls on to an engine and keeps the tensors that they return."""

    def __init__(self, K: Any) -> None:
        super().__init__(K.__name__, K.__doc__)
        self._K, self._depth = K, 0
        self._seen: List[Tuple[str, Any]] = []
        self._feeds: List[Any] = []  # the inputs of the function made last

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._K, name)
        if name in CONTRACT and name not in SETTINGS and callable(value):
            value = self._recording(name, value)
            setattr(self, name, value)
        return value

    def _recording(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            self._depth += 1
            try:
                value = function(*args, **kwargs)
            finally:
                self._depth -= 1
            # A tensor that a step function or a branch makes cannot be seen from outside.
            if self._depth == 0:
                if name == 'function':
                    self._feeds = list(args[0] if args else kwargs['inputs'])
                elif not name.startswith(('placeholder', 'update', 'moving_average', 'is_', 'learning_phase')):
                    caller = sys._getframe(1)
                    call = f'K.{name} at {caller.f_code.co_filename}:{caller.f_lineno}'
                    self._seen += [(call + suffix, tensor) for suffix, tensor in self._tensors(value)]
            return value

        return recorded

    def _tensors(self, value: Any, suffix: str = '') -> Iterator[Tuple[str, Any]]:
        if isinstance(value, (list, tuple)):
            for i, item in enumerate(value):
                yield from self._tensors(item, f'{suffix}, result {i}')
        elif self._K.is_tensor(value):
            yield suffix, value


class _Run:
    """`build` on one engine, and the values of its results, step by step."""

    def __init__(
        self,
        name: str,
        K: Any,
        build: Callable[..., Any],
        arrays: Sequence[np.ndarray],
        steps: int,
        traced: bool = False,
        show: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.name, self.K, self.build, self.arrays = name, K, build, list(arrays)
        self.values: Values = {}
        self.steps: Dict[str, int] = {}  # in which step each value was found
        self.placeholders: List[Any] = []
        self.error: Optional[BaseException] = None
        self.trace = _Trace(K) if traced else None
        try:
            show(f'{name} ...')
            call = self._made()
            for step in range(steps):
                show(f'{name}: step {step + 1} of {steps}')
                label = f'step {step}, ' if steps > 1 else ''
                for output, value in call():
                    self.values[label + output], self.steps[label + output] = value, step
        except Exception as error:  # noqa: BLE001 - of any library
            self.error = error

    def _made(self) -> Callable[[], List[Tuple[str, np.ndarray]]]:
        """A function that runs the results of `build` once."""
        K, arrays = self.K, self.arrays
        if _takes_placeholders(self.build):
            self.placeholders = [K.placeholder(a.shape, dtype=a.dtype.name) for a in arrays]
        built = self.build(self.trace or K, *self.placeholders)
        named = list(_named(built))
        tensors = [(name, value) for name, value in named if not callable(value)]
        functions = [('' if value is built else name, value) for name, value in named if callable(value)]
        whole = K.function(self.placeholders, [tensor for _, tensor in tensors]) if tensors else None

        def call() -> List[Tuple[str, np.ndarray]]:
            results = []
            if whole is not None:
                fed = arrays if self.placeholders else []
                results += list(zip([name for name, _ in tensors], map(np.asarray, whole(fed))))
            for name, function in functions:
                results += [(label, np.asarray(value)) for label, value in _named(function(arrays), name)]
            return results

        return call

    def intermediate(self) -> List[Tuple[str, Any]]:
        """The value of each tensor that the calls of K gave, in order; an error in place of what cannot be had."""
        trace = self.trace
        assert trace is not None
        placeholders, names = self.placeholders or trace._feeds, [name for name, _ in trace._seen]
        tensors = [tensor for _, tensor in trace._seen]
        try:
            return list(zip(names, map(np.asarray, self.K.function(placeholders, tensors)(self.arrays))))
        except Exception:  # noqa: BLE001 - of any library: then each tensor is tried alone
            return [(name, self._single(placeholders, tensor)) for name, tensor in zip(names, tensors)]

    def _single(self, placeholders: List[Any], tensor: Any) -> Any:
        try:
            return np.asarray(self.K.function(placeholders, [tensor])(self.arrays)[0])
        except Exception as error:  # noqa: BLE001 - of any library
            return error


def _takes_placeholders(build: Callable[..., Any]) -> bool:
    parameters = list(inspect.signature(build).parameters.values())
    return len([p for p in parameters if p.kind is not p.KEYWORD_ONLY and p.default is p.empty]) > 1 or any(
        p.kind is p.VAR_POSITIONAL for p in parameters
    )


def _named(built: Any, name: str = '') -> Iterator[Tuple[str, Any]]:
    """The parts of a result with their names."""
    if isinstance(built, dict):
        for key in built:
            for pair in _named(built[key], f'{name}{", " if name else ""}{key}'):
                yield pair
    elif isinstance(built, (list, tuple)):
        for i, member in enumerate(built):
            for pair in _named(member, f'{name}{", output " if name else "output "}{i}'):
                yield pair
    elif built is not None:
        yield name or 'output 0', built


def _first_difference(run: _Run, reference: _Run, rtol: Optional[float]) -> Optional[Difference]:
    if run.error is not None or reference.error is not None:
        return Difference(run.name, reference.name, 'the run', 'error', None, run.error, reference.error)
    if list(run.values) != list(reference.values):
        return Difference(
            run.name, reference.name, 'the results', 'number', None, list(run.values), list(reference.values)
        )
    pairs = ((name, value, reference.values[name]) for name, value in run.values.items())
    return _first(run.name, reference.name, pairs, rtol)


def _first(engine: str, reference: str, pairs: Any, rtol: Optional[float]) -> Optional[Difference]:
    for name, value, expected in pairs:
        difference = differ(value, expected, rtol)
        if difference is not None:
            return Difference(engine, reference, name, *difference)
    return None


def differ(
    value: Any, expected: Any, rtol: Optional[float], smallest: float = 0.0
) -> Optional[Tuple[str, Any, Any, Any]]:
    """(kind, index, value, expected) of the first place where two arrays differ.

    rtol: as for `compare`. smallest: the largest value of a tensor counts as at least this.
    """
    if isinstance(value, BaseException) or isinstance(expected, BaseException):
        errors = [v if isinstance(v, BaseException) else None for v in (value, expected)]
        return None if None not in errors else ('error', None, errors[0], errors[1])
    for kind, of in ('dtype', lambda a: a.dtype.name), ('shape', np.shape):
        if of(value) != of(expected):
            return kind, None, of(value), of(expected)
    if value.dtype.kind != 'f':
        wrong = value != expected
    else:
        x, y = value.astype('float64'), expected.astype('float64')
        finite = np.abs(y[np.isfinite(y)])
        allowed = (TOLERANCE[value.dtype.name] if rtol is None else rtol) * max(
            smallest, finite.max() if finite.size else 0.0
        )
        with np.errstate(invalid='ignore'):
            near = np.abs(x - y) <= allowed
        wrong = ~(near | (x == y) | (np.isnan(x) & np.isnan(y)))
    if not np.any(wrong):
        return None
    index = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(wrong)))[: np.ndim(wrong)]
    return 'value', index, value[index].item(), expected[index].item()


def _traced(reference: _Run, other: _Run, start: Any, step: int, rtol: Optional[float]) -> Optional[Difference]:
    """The first call of K whose value differs in a step, from a second build of both."""
    traces = []
    for run in (other, reference):
        np.random.set_state(start)
        again = _Run(run.name, run.K, run.build, run.arrays, step, traced=True)
        traces.append(again.intermediate())
    same = [(name, value, expected) for (name, value), (label, expected) in zip(*traces) if name == label]
    return _first(other.name, reference.name, same, rtol)


def _code(module: ModuleType) -> Any:
    """The code of a module. The loader of pytest, which rewrites assertions, gives none: there it is read again."""
    loader = vars(module)['__loader__']
    if hasattr(loader, 'get_code'):
        return loader.get_code(module.__name__)
    with tokenize.open(vars(module)['__file__']) as source:
        return compile(source.read(), vars(module)['__file__'], 'exec', dont_inherit=True)


INSIDE_KERAS = 'keras_backend.keras3'


def _in_place_of(name: str, K: Any, fromlist: Any) -> Any:
    """What an import of keras_backend, or of K inside Keras 3, gives where the namespace `K` is meant."""
    asks_for_the_module = not fromlist if name == INSIDE_KERAS else 'keras3' in (fromlist or ())
    if not asks_for_the_module:
        return K
    package = ModuleType('keras_backend')
    vars(package)['keras3'] = K
    return package


def on(K: Any, module: ModuleType) -> ModuleType:
    """A copy of a module in which `import keras_backend as K` gives the namespace `K`, for code written with that line.

    So does `import keras_backend.keras3 as K`. Modules that it imports relatively are copied, too; the module itself
    stays as it is.

    Examples
    --------
    >>> import keras_backend
    >>> from keras_backend import comparison, errors
    >>> comparison.on(keras_backend.load('numpy'), errors).ConfigError is errors.ConfigError
    False
    """
    import builtins

    copies: Dict[str, ModuleType] = {}

    def copied(original: ModuleType) -> ModuleType:
        name = original.__name__
        if name not in copies:
            copy = copies[name] = ModuleType(name, original.__doc__)
            kept = ('__file__', '__package__', '__path__', '__spec__', '__loader__')
            vars(copy).update((key, value) for key, value in vars(original).items() if key in kept)
            vars(copy)['__builtins__'] = dict(vars(builtins), __import__=importing)
            exec(_code(original), vars(copy))
        return copies[name]

    # It stands in for __import__, so its arguments have those names.
    def importing(
        name: str,
        globals: Any = None,  # noqa: A002
        locals: Any = None,  # noqa: A002
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        if level == 0 and name in ('keras_backend', INSIDE_KERAS):
            return _in_place_of(name, K, fromlist)
        imported = __import__(name, globals, locals, fromlist, level)
        if level == 0 or not fromlist:
            return imported
        if imported.__name__ == vars(module).get('__package__'):  # from . import x
            several = ModuleType(imported.__name__)
            for attribute in fromlist:
                value = getattr(imported, attribute)
                setattr(several, attribute, copied(value) if isinstance(value, ModuleType) else value)
            return several
        return copied(imported)

    return copied(module)
