"""Actions at the first import of a module, and random numbers while libraries are imported."""

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import random
import sys
from types import FrameType, ModuleType
from typing import Any, Callable, ContextManager, Dict, Iterator, List, Optional, Set, Tuple

Action = Callable[[ModuleType], Any]
# From the name of a module to the module, None where there is none.
Answer = Callable[[str], Optional[ModuleType]]


class _Finder:
    """The first finder of `sys.meta_path`. It watches some names. The finders after it find the modules."""

    def __init__(self) -> None:
        self.before: Dict[str, Callable[[], None]] = {}
        self.after: Dict[str, List[Action]] = {}
        self.during: Dict[str, Callable[[], ContextManager[None]]] = {}
        self.instead: Dict[str, Callable[[], ModuleType]] = {}
        self.moved: Dict[str, str] = {}
        # Of these, the names that lead to another module although they can be found.
        self.replaced: Set[str] = set()
        self.answered: Dict[str, Answer] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec of a watched module, with a loader that runs its actions. None for every other module."""
        if name not in self.before:
            return self.watched(name, path, target)
        if name in sys.modules:  # a reload
            self.before[name]()
            return _ready(name, sys.modules[name])
        spec = self.watched(name, path, target) or self.found_by_others(name, path, target)
        if spec is not None:
            spec.loader = _AfterAction(self, (name, path, target), spec.loader)
        elif not _is_only_a_question():
            self.before[name]()  # it may say more than that there is no such module
        return spec

    def watched(self, name: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec as it is once the action before the import has run."""
        spec = self._answer(name)
        if spec is not None:
            return spec
        moved, parent = self._moved(name)
        is_acted_on = name in self.after or name in self.during
        if not is_acted_on and name not in self.instead and not moved:
            return None
        # The path of a package that has moved would lead to a second copy of the modules below it.
        below = bool(moved) and parent != name and sys.modules.get(parent) is sys.modules.get(self.moved[parent])
        below = below or parent in self.replaced
        spec = None if below else self.found_by_others(name, path, target)
        if spec is None and moved:
            return importlib.machinery.ModuleSpec(name, Ready(importlib.import_module(moved)))
        if spec is None and name in self.instead:
            spec = importlib.machinery.ModuleSpec(name, MadeUp(self.instead[name]), is_package=True)
        if spec is not None and is_acted_on and hasattr(spec.loader, 'exec_module'):
            context = self.during.get(name, contextlib.ExitStack)
            spec.loader = _Acting(spec.loader, self.after.get(name, []), context)
        return spec

    def found_by_others(self, name: str, path: Any, target: Any) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec that the other finders give."""
        return spec_from([other for other in sys.meta_path if other is not self], name, path, target)

    def _answer(self, name: str) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec of a module that a function gives."""
        if name in self.answered and _is_only_a_question():
            return importlib.machinery.ModuleSpec(name, None, is_package=True)
        parent = _parent_in(self.answered, name)
        module = self.answered[parent](name) if parent else None
        return None if module is None else importlib.machinery.ModuleSpec(name, Ready(module))

    def _moved(self, name: str) -> Tuple[str, str]:
        """(the name of today, the module on the way to it that has moved), or empty names."""
        parent = _parent_in(self.moved, name)
        return (self.moved[parent] + name[len(parent) :], parent) if parent else ('', '')


def _parent_in(names: Dict[str, Any], name: str) -> str:
    """The name itself or the nearest package above it that is among the names; '' for none."""
    while names and name and name not in names:
        name = name.rpartition('.')[0]
    return name if names else ''


def spec_from(finders: List[Any], name: str, path: Any, target: Any) -> Optional[importlib.machinery.ModuleSpec]:
    """The spec of a module by the first of these finders that has it."""
    for finder in finders:
        if hasattr(finder, 'find_spec'):
            spec: Optional[importlib.machinery.ModuleSpec] = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
    return None


def _is_only_a_question() -> bool:
    """Whether a program asks for a spec, as by `importlib.util.find_spec`, and imports nothing.

    `importlib.util.find_spec` imports the packages above the module that it is asked for.
    """
    inside = __name__, 'importlib._bootstrap', '_frozen_importlib'
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None and frame.f_globals.get('__name__') in inside:
        if frame.f_code.co_name == '_find_and_load':
            return False
        frame = frame.f_back
    return frame is not None and frame.f_globals.get('__name__') == 'importlib.util'


def _ready(name: str, module: ModuleType) -> importlib.machinery.ModuleSpec:
    # If a finder has put the module into sys.modules, the import system uses the spec of that module.
    spec = importlib.machinery.ModuleSpec(name, Ready(module))
    module.__spec__ = spec
    return spec


class Ready(importlib.abc.Loader):
    """The loader of a module that was imported already, by an action before its import or under another name."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """The module that is there."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec again, which the import system has just replaced."""
        module.__spec__ = self._spec


class _AfterAction(importlib.abc.Loader):
    """The loader of a module whose action comes before its import. Who only asks for the spec starts no action."""

    def __init__(self, finder: _Finder, question: Tuple[str, Any, Any], loader: Any) -> None:
        self._finder, self._question, self._loader = finder, question, loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Optional[ModuleType]:
        """Run the action, and go on with the loader that is the right one then."""
        name = self._question[0]
        self._finder.before[name]()
        if name in sys.modules:
            spec.loader = Ready(sys.modules[name])
        else:
            later = self._finder.watched(*self._question) or self._finder.found_by_others(*self._question)
            if later is None:
                raise ModuleNotFoundError(f'No module named {name!r}', name=name)
            vars(spec).update(vars(later))
        module: Optional[ModuleType] = spec.loader.create_module(spec) if spec.loader is not None else None
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: the import system asks the loader that `create_module` has put into the spec."""


class _Acting(importlib.abc.Loader):
    """The loader of a module in a context, followed by actions."""

    def __init__(self, loader: Any, actions: List[Action], during: Callable[[], ContextManager[Any]]) -> None:
        self._loader, self._actions, self._during = loader, actions, during

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Optional[ModuleType]:
        """Create the module as the loader does."""
        module: Optional[ModuleType] = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module as the loader does, and then the actions."""
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        with self._during():
            self._loader.exec_module(module)
        for action in self._actions:
            action(module)


class MadeUp(importlib.abc.Loader):
    """The loader of a module that is made here because it is not installed."""

    def __init__(self, make: Callable[[], ModuleType]) -> None:
        self._make = make

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """The module that was made."""
        return self._make()

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: the module is complete."""


_finder = _Finder()


def before(name: str, action: Callable[[], None]) -> None:
    """Run an action before a module is imported. It may import the module itself, or change what is imported."""
    _install()
    _finder.before[name] = action


def after(name: str, action: Action) -> None:
    """Run an action on a module: now if it is imported already, otherwise after its import."""
    _install()
    if name in sys.modules:
        action(sys.modules[name])
    else:
        _finder.after.setdefault(name, []).append(action)


def during(name: str, context: Callable[[], ContextManager[None]]) -> None:
    """Execute a module in a context at its first import."""
    _install()
    _finder.during[name] = context


def instead(name: str, make: Callable[[], ModuleType]) -> None:
    """Make a module if the program imports it and it cannot be found."""
    _install()
    _finder.instead[name] = make


def moved(name: str, new_name: str) -> None:
    """Give a module under its old name, too, and all modules below it, if the old name cannot be found."""
    _install()
    _finder.moved[name] = new_name


def replaced(name: str, new_name: str) -> None:
    """Give another module, and all modules below it, in the place of a module that can be found."""
    moved(name, new_name)
    _finder.replaced.add(name)
    forgotten(name)


def answered(name: str, give: Answer) -> None:
    """Ask a function for a module, and for all modules below it, before the other finders.

    Parameters
    ----------
    name : str
        The module at the top. What is imported under this name already is forgotten.
    give : callable
        Gives the module of a name, None where the other finders are to be asked.
    """
    _install()
    _finder.answered[name] = give
    forgotten(name)


def forgotten(name: str) -> Dict[str, ModuleType]:
    """Take a module, and all modules below it, out of what is imported. Returns them by their names."""
    names = [each for each in sys.modules if (each + '.').startswith(name + '.')]
    modules = {each: sys.modules.pop(each) for each in names}
    package, _, last = name.rpartition('.')
    if package in sys.modules:
        # `from package import last` would find the module that is known.
        vars(sys.modules[package]).pop(last, None)
    return modules


def _install() -> None:
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


# -- random numbers ----------------------------------------------------------------------------------------------------
# The generators of `random` and `numpy.random` while libraries are imported.


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Give both generators the states back that they had before the imports of this block.

    Programs of 2015 to 2019 call `np.random.seed(1337)` before `import keras`. The libraries of their time drew no
    numbers while they were imported. JAX draws from `numpy.random` and TensorFlow 2 from `random`. A program that has
    not imported NumPy has given it no seed.
    """
    numpy = sys.modules.get('numpy')
    of_python, of_numpy = random.getstate(), numpy.random.get_state() if numpy is not None else None
    try:
        yield
    finally:
        random.setstate(of_python)
        if numpy is not None:
            numpy.random.set_state(of_numpy)
