"""From an engine module to a complete namespace of K.

Composites are ordinary functions of ordinary modules that say `K.exp(...)`. An engine gets copies of them whose global
`K` is the engine, so a call costs what a call of any function costs, and a traceback points into the composite.
"""

import dis
import functools
import pkgutil
import sys
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Mapping, Optional, Set, Tuple

from . import config
from .contract import CONTRACT, SETTINGS
from .contract.legacy import adapt
from .errors import UnsupportedByEngine

Namespace = Dict[str, Any]
Function = Callable[..., Any]


class EngineInfo:
    """What a namespace is made of.

    Attributes: `name` and `title` of the engine; `library`, what it runs on, with its version, where there is a choice,
    else ''; `origins`, a dict from each name of K to 'engine', 'composite',
    'setting' or 'missing'; `reasons` for the missing ones; `deviations`, the signatures that are not the contract's.
    """

    def __init__(self, name: str, title: str, namespace: Namespace, library: str = '') -> None:
        self.name, self.title, self.library = name, title, library
        self.origins: Dict[str, str] = {}
        self.reasons: Dict[str, str] = {}
        self._namespace = namespace

    @property
    def deviations(self) -> Dict[str, Tuple[str, str]]:
        """What `check_signatures` finds in this namespace; computed when asked for, since it takes milliseconds."""
        return check_signatures(self._namespace)

    def supports(self, name: str) -> bool:
        """Whether K function `name` works on this engine."""
        return self.origins.get(name, 'missing') != 'missing'

    def __repr__(self) -> str:
        return f'EngineInfo({self.name!r}, {self.title!r})'


def _copy(function: FunctionType, scope: Namespace, module_name: str) -> FunctionType:
    copied = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, function.__closure__)
    functools.update_wrapper(copied, function)
    del copied.__dict__['__wrapped__']  # it is the function now
    copied.__kwdefaults__ = function.__kwdefaults__
    copied.__module__ = module_name
    return copied


def _own_functions(module: ModuleType) -> Dict[str, FunctionType]:
    return {
        name: f for name, f in vars(module).items() if isinstance(f, FunctionType) and f.__module__ == module.__name__
    }


def rebind(module: ModuleType, scope: Mapping[str, Any], module_name: Optional[str] = None) -> Dict[str, FunctionType]:
    """Copies of the functions of `module` that see `scope` (a dict, `K` among it) on top of the module's globals.

    Its public functions do not see each other as globals, so that `sum` and `max` keep their meaning; they say `K.sum`.
    """
    functions = _own_functions(module)
    merged = {name: value for name, value in vars(module).items() if name not in functions}
    merged.update(scope)
    copies = {name: _copy(f, merged, module_name or module.__name__) for name, f in functions.items()}
    merged.update((name, f) for name, f in copies.items() if name.startswith('_'))
    return copies


def template(module: ModuleType, namespace: Namespace, **scope: Any) -> Dict[str, FunctionType]:
    """The public functions of `module`, rebound for the engine namespace."""
    copies = rebind(module, scope, namespace['__name__'])
    return {name: f for name, f in copies.items() if not name.startswith('_')}


def _codes(function: FunctionType) -> Iterator[CodeType]:
    """The code of `function`, of what it defines inside, and of the private helpers of its module that it mentions."""
    seen: Set[CodeType] = set()
    todo = [function.__code__]
    while todo:
        code = todo.pop()
        if code in seen:
            continue
        seen.add(code)
        todo.extend(constant for constant in code.co_consts if isinstance(constant, CodeType))
        for name in code.co_names:
            helper = function.__globals__.get(name)
            if isinstance(helper, FunctionType) and helper.__name__.startswith('_'):
                todo.append(helper.__code__)
        yield code


def mentions(function: FunctionType) -> Set[str]:
    """The names that `function` uses for anything: what it needs of K, and builtins and methods of the same name."""
    return {name for code in _codes(function) for name in code.co_names}


def needs(function: FunctionType) -> Set[str]:
    """The names of K that `function` uses, also by way of private helpers of its module."""
    found: Set[str] = set()
    for code in _codes(function):
        after_k = False
        for instruction in dis.get_instructions(code):
            if instruction.opname == 'EXTENDED_ARG':
                continue
            if after_k and instruction.opname in ('LOAD_ATTR', 'LOAD_METHOD'):
                found.add(instruction.argval)
            after_k = instruction.opname == 'LOAD_GLOBAL' and instruction.argval == 'K'
    return found


@functools.lru_cache(maxsize=None)
def _composite_modules() -> List[ModuleType]:
    from . import composites

    return [
        import_module('keras_backend.composites.' + name)
        for _finder, name, _is_package in pkgutil.iter_modules(composites.__path__)
        if not name.startswith('_')
    ]


@functools.lru_cache(maxsize=None)
def composite_needs(found: Callable[[FunctionType], Set[str]] = needs) -> Dict[str, FrozenSet[str]]:
    """For each composite the names of K that it is made of."""
    return {
        name: frozenset(n for n in found(f) if n in CONTRACT)
        for module in _composite_modules()
        for name, f in _own_functions(module).items()
        if name[0] != '_'
    }


def composite(namespace: Namespace, name: str) -> Function:
    """The composed form of `name`, for an engine that overrules it in some cases only."""
    composites: Dict[str, Function] = namespace['_composites']
    return composites[name]


def _settle(own: List[str], refused: Mapping[str, str]) -> Tuple[Set[str], Dict[str, str]]:
    """The names that composites can supply, and why the rest is missing."""
    # Reading byte code takes a good part of an import. What is mentioned tells as much where nothing turns out missing.
    filled, reasons = _settled(own, refused, composite_needs(mentions))
    return (filled, reasons) if not set(reasons) - set(refused) else _settled(own, refused, composite_needs())


def _settled(
    own: List[str], refused: Mapping[str, str], recipes: Mapping[str, FrozenSet[str]]
) -> Tuple[Set[str], Dict[str, str]]:
    there = set(own) | set(SETTINGS)
    filled: Set[str] = set()
    grown = True
    recipes = {name: wanted for name, wanted in recipes.items() if name not in refused}
    while grown:
        more = {name for name, wanted in recipes.items() if name not in there and wanted - {name} <= there}
        grown = bool(more)
        there |= more
        filled |= more
    reasons = {}
    for name in CONTRACT:
        if name in there:
            continue
        if name in recipes:
            lacking = sorted(recipes[name] - {name} - there)
            reasons[name] = f'it is composed of {", ".join("K." + n for n in lacking)}, which the engine lacks'
        else:
            reasons[name] = 'the engine does not define it'
    return filled, reasons


def _missing(name: str, title: str, reason: str, module_name: str) -> Function:
    """A function with the contract's signature and docstring that says why it is none."""
    reason, _, way_out = reason.partition('; ')
    way_out = way_out or 'Define it in the engine, or choose another one: python -m keras_backend lists the engines'

    def missing(*args: Any, **kwargs: Any) -> Any:
        raise UnsupportedByEngine(name, title, reason, way_out.rstrip('.') + '.')

    functools.update_wrapper(missing, CONTRACT[name].function)
    missing.__module__ = module_name
    return missing


def _settings(K: Any, info: EngineInfo, module_name: str) -> Dict[str, Function]:
    """The functions of `config`, but for the two that depend on the engine."""

    def backend() -> str:
        return info.name

    def cast_to_floatx(x: Any) -> Any:
        if info.supports('is_tensor') and K.is_tensor(x):
            return K.cast(x, config.floatx())
        return config.cast_to_floatx(x)

    functions: Dict[str, Function] = {name: getattr(config, name) for name in SETTINGS}
    mine: List[Any] = [backend, cast_to_floatx]
    for function in mine:
        functions[function.__name__] = function
        function.__module__, function.__qualname__ = module_name, function.__name__
    return functions


def complete(
    namespace: Namespace, title: str, name: str, module: Optional[ModuleType] = None, library: str = ''
) -> EngineInfo:
    """Make `namespace` (the globals of an engine module) a complete K.

    What the engine defines stays, composites fill what they can, and the rest raises UnsupportedByEngine when called.
    Settings always come from `config`. The engine may say why it lacks a function in `UNSUPPORTED`:
    {name: 'reason; way out'}. The result is described by `namespace['_engine']`, an EngineInfo. `module` is given for a
    facade, a namespace that borrows the functions of a module which must not be changed. `library` is told when the
    engine is loaded, for one that runs on several.
    """
    module_name = namespace['__name__']
    K = module or sys.modules[module_name]
    info = namespace['_engine'] = EngineInfo(name, title, namespace, library)
    refused = namespace.get('UNSUPPORTED', {})
    own = [n for n in CONTRACT if n not in SETTINGS and n not in refused and callable(namespace.get(n))]
    filled, reasons = _settle(own, refused)
    reasons.update((n, refused[n]) for n in refused if n in reasons)
    copies: Dict[str, FunctionType] = {}
    for source in _composite_modules():
        copies.update(rebind(source, {'K': K}, module_name))
    namespace['_composites'] = {n: f for n, f in copies.items() if n in CONTRACT}
    settings = _settings(K, info, module_name)
    for n, entry in CONTRACT.items():
        if n in settings:
            namespace[n], info.origins[n] = settings[n], 'setting'
        elif n in own:
            info.origins[n] = 'engine'
        elif n in filled:
            namespace[n], info.origins[n] = copies[n], 'composite'
        else:
            namespace[n], info.origins[n] = _missing(n, title, reasons[n], module_name), 'missing'
            info.reasons[n] = reasons[n]
        function = namespace[n]
        # Functions that a facade borrowed from a user's module stay as they are.
        if isinstance(function, FunctionType) and not function.__doc__ and (module is None or n not in own):
            function.__doc__ = entry.doc
        namespace[n] = adapt(n, function)
    namespace['__all__'] = sorted(CONTRACT)
    namespace.setdefault('supports', info.supports)  # as the face has it
    return info


def _shape_of(signature: Any) -> List[Tuple[str, Any, Any]]:
    return [(p.name, p.kind, p.default) for p in signature.parameters.values()]


def check_signatures(namespace: Namespace) -> Dict[str, Tuple[str, str]]:
    """Deviations of the functions of an engine from the contract, as {name: (its signature, the contract's)}."""
    import inspect  # here, because it takes milliseconds and only checks need it

    wrong = {}
    for name, entry in CONTRACT.items():
        try:
            found = inspect.signature(namespace[name])
        except (TypeError, ValueError):
            continue
        if _shape_of(found) != _shape_of(entry.signature):
            wrong[name] = str(found), str(entry.signature)
    return wrong
