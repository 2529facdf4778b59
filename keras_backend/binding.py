"""From an engine to the functions that users get: copies of the contract's stubs, over the checked methods of a front.

A user calls three functions one after the other: the plain function `K.dot`, whose text is the contract's; the check
of its arguments (`_checked`), which also takes old spellings; and the method of the front that does the work.
"""

from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, Callable, Container, Dict, List, Optional, Tuple

from .adapter import Adapted
from .contract import CONTRACT, SETTINGS
from .contract.legacy import translator
from .errors import ArgumentError
from .front.api import Api

Namespace = Dict[str, Any]
Function = Callable[..., Any]


class EngineInfo:
    """What a namespace is made of.

    Attributes: `name` and `title` of the engine; `library`, what it runs on, with its version, where there is a choice,
    else ''; `front`, whose methods do the work; `origins`, a dict from each name of K to 'engine', 'composite',
    'setting' or 'missing'; `reasons` for the missing ones; `deviations`, the signatures that are not the contract's.
    """

    def __init__(self, front: Api, namespace: Namespace) -> None:
        self.front, self.name, self.title, self.library = front, front.name, front.title, front.runs_on
        self.origins = {name: _origin(front, name) for name in CONTRACT}
        self.reasons = {name: front.why_not(name) for name, origin in self.origins.items() if origin == 'missing'}
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


def _origin(front: Api, name: str) -> str:
    if name in SETTINGS:
        return 'setting'
    if not front.supports(name):
        return 'missing'
    made = getattr(getattr(front, name), '__module__', None) or ''
    return 'composite' if made.startswith('keras_backend.front.composed.') else 'engine'


def _checked(name: str, method: Function) -> Function:
    """`method`, called with all arguments by position. Old spellings are translated, errors name the K function."""
    translate = translator(name)

    def enter(*args: Any, **named: Any) -> Any:
        if translate is not None:
            args, named = translate(args, named), {}
        try:
            return method(*args, **named)
        except ArgumentError as error:
            error.of(name)
            raise

    return enter


def _shortened(function: Function, defaults: Tuple[Any, ...]) -> Function:
    """`function` of a user's module, which may know fewer arguments than K: what has its default is left out."""

    def call(*args: Any) -> Any:
        left = len(args)
        for default, value in zip(reversed(defaults), reversed(args)):
            if value is not default:
                break
            left -= 1
        return function(*args[:left])

    return call


def bind(front: Api, namespace: Namespace, keep: Container[str] = ()) -> EngineInfo:
    """Put the K functions of an engine into `namespace`, the globals of its module.

    They are copies of the contract's stubs whose global `K` holds the checked methods of `front`. Each is one statement
    that uses no other global, so Keras 2, which saves the code of a function and runs it in a module of its own with a
    global `K`, can load it again. Names in `keep` stay what they are.
    """
    module = namespace['__name__']
    methods = {name: getattr(front, name) for name in CONTRACT}
    methods.update(
        (name, _shortened(methods[name], CONTRACT[name].function.__defaults__ or ()))
        for name in CONTRACT
        if name in keep
    )
    K = SimpleNamespace(**{name: _checked(name, method) for name, method in methods.items()})
    scope = {'K': K, '__name__': module, '__builtins__': __builtins__}
    for name, entry in CONTRACT.items():
        if name in keep and not entry.is_legacy:
            continue
        stub = entry.function
        made = FunctionType(stub.__code__, scope, name, stub.__defaults__)
        made.__kwdefaults__, made.__annotations__ = stub.__kwdefaults__, stub.__annotations__
        made.__doc__, made.__module__, made.__qualname__ = stub.__doc__, module, name
        if entry.is_legacy:
            vars(made)['__signature__'] = entry.signature
        namespace[name] = made
    info = namespace['_engine'] = EngineInfo(front, namespace)
    namespace['__all__'] = sorted(CONTRACT)
    namespace.setdefault('supports', info.supports)  # as the face has it
    return info


def complete(
    namespace: Namespace, title: str, name: str, module: Optional[ModuleType] = None, library: str = ''
) -> EngineInfo:
    """Make `namespace` (the globals of an engine module) a complete K.

    What the module defines stays, composed functions fill what they can, and the rest raises UnsupportedByEngine when
    called. Settings always come from `config`. The module may say why it lacks a function in `UNSUPPORTED`:
    {name: 'reason; way out'}. The result is described by `namespace['_engine']`, an EngineInfo. `module` is given for a
    facade, a namespace that borrows the functions of a module which must not be changed. `library` says what the engine
    runs on, where there is a choice.
    """
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
            found = inspect.signature(namespace[name])
        except (TypeError, ValueError):
            continue
        if _shape_of(found) != _shape_of(entry.signature):
            wrong[name] = str(found), str(entry.signature)
    return wrong
