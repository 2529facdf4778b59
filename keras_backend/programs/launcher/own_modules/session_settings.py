"""`K.set_session(tf.Session(config=config))` where TensorFlow is not what runs: a program that needs no more of it.

Its modules get names that take settings of memory and threads. Everything else is asked of TensorFlow itself.
"""

import ast
import functools
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from ....basics.sessions import SessionOfSettings
from .. import rewriting

_PATHS = 'tensorflow', 'tensorflow.compat.v1'
# What a program may use: names of `tf`, and of `tf.logging`.
SETTINGS = frozenset(('ConfigProto', 'GPUOptions', 'OptimizerOptions', 'Session', 'InteractiveSession', 'logging'))
_NEEDED = frozenset(('Session', 'InteractiveSession', 'ConfigProto'))
_OF_LOGGING = ('DEBUG', 'ERROR', 'FATAL', 'INFO', 'WARN')


class Settings:
    """`tf.ConfigProto()`: takes any setting, also a setting of a setting, `config.gpu_options.allow_growth = True`."""

    def __init__(self, **settings: Any) -> None:
        vars(self).update(settings)

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__'):
            raise AttributeError(name)
        part = Settings()
        setattr(self, name, part)
        return part


class _TensorFlow:
    """What stands for the module in a program that uses the settings alone."""

    ConfigProto = GPUOptions = OptimizerOptions = Settings
    Session = InteractiveSession = SessionOfSettings
    logging = SimpleNamespace(set_verbosity=lambda level: None, **{name: name for name in _OF_LOGGING})

    @property
    def compat(self) -> Any:
        """`tf.compat.v1` has the same names."""
        return SimpleNamespace(v1=self)

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module('tensorflow'), name)


tensorflow = _TensorFlow()


def is_setting(path: str) -> bool:
    """Whether a name below `tf`, such as `compat.v1.ConfigProto`, is one of the settings."""
    words = path.split('.')
    words = words[2:] if words[:2] == ['compat', 'v1'] else words
    return words[:1] == ['logging'] or (len(words) == 1 and words[0] in SETTINGS)


def are_all(paths: Set[str]) -> bool:
    """Whether these names below `tf` are settings, and a session or its configuration is among them.

    A program that imports TensorFlow and does nothing with it says nothing of what it needs.
    """
    return any(path.rpartition('.')[2] in _NEEDED for path in paths) and all(
        path in ('', 'compat', 'compat.v1') or is_setting(path) for path in paths
    )


# -- what a module uses of TensorFlow ----------------------------------------------------------------------------------


def _imports(tree: ast.Module) -> Iterator[Any]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(alias.name.split('.')[0] == 'tensorflow' for alias in node.names):
            yield node
        elif isinstance(node, ast.ImportFrom) and not node.level and str(node.module).split('.')[0] == 'tensorflow':
            yield node


def _bound(imports: List[Any]) -> Optional[Dict[str, str]]:
    """{name in the module: path below `tf`}; None where an import brings more than the settings."""
    bound = {}
    for node in imports:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                path = '.'.join([*str(node.module).split('.')[1:], alias.name])
            elif alias.name == 'tensorflow' or (alias.name in _PATHS and alias.asname):
                path = '.'.join(alias.name.split('.')[1:])
            elif alias.name.split('.')[0] == 'tensorflow':
                return None
            else:
                continue
            if path not in ('', 'compat.v1') and not is_setting(path):
                return None
            bound[alias.asname or alias.name] = path
    return bound


class _Uses(ast.NodeVisitor):
    """The paths that a module uses below `tf`; `is_more` where it does something else with a name of it."""

    def __init__(self, bound: Dict[str, str]) -> None:
        self.bound, self.is_more = bound, False
        self.paths: Set[str] = set()

    def visit_Attribute(self, node: ast.Attribute) -> None:
        words, value = [node.attr], node.value
        while isinstance(value, ast.Attribute):
            words.insert(0, value.attr)
            value = value.value
        if isinstance(value, ast.Name) and value.id in self.bound:
            self.paths.add('.'.join(filter(None, [self.bound[value.id], *words])))
        else:
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self.bound:
            path = self.bound[node.id]
            self.is_more = self.is_more or not isinstance(node.ctx, ast.Load) or path in ('', 'compat.v1')
            self.paths.add(path)


def _is_guarded(tree: ast.Module, imports: List[Any]) -> bool:
    """Whether an import stands in a `try`: the program has another way without TensorFlow."""
    inside = {id(child) for node in ast.walk(tree) if isinstance(node, ast.Try) for child in ast.walk(node)}
    return any(id(node) in inside for node in imports)


def of_module(tree: ast.Module) -> Tuple[List[Any], bool]:
    """The imports of TensorFlow in a module, and whether it sets memory and threads with it and does no more."""
    imports = list(_imports(tree))
    bound = _bound(imports)
    if not bound or _is_guarded(tree, imports):
        return imports, False
    uses = _Uses(bound)
    uses.visit(tree)
    return imports, not uses.is_more and are_all(uses.paths)


# -- the change --------------------------------------------------------------------------------------------------------


class _Given(ast.NodeTransformer):
    """Puts assignments of the names above in the place of the imports of TensorFlow."""

    def __init__(self, imports: List[Any]) -> None:
        self.imports = imports

    def _assigned(self, node: Any, name: str, path: str) -> ast.AST:
        value: Any = ast.Name(_PREFIX + 'tensorflow', ast.Load())
        for word in filter(None, path.split('.')):
            value = ast.Attribute(value, word, ast.Load())
        return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node)

    def visit_Import(self, node: ast.Import) -> Any:
        if node not in self.imports:
            return node
        rest = [alias for alias in node.names if alias.name not in _PATHS]
        kept: List[ast.AST] = [ast.copy_location(ast.Import(rest), node)] if rest else []
        return kept + [self._assigned(node, a.asname or a.name, '') for a in node.names if a.name in _PATHS]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        if node not in self.imports:
            return node
        below = str(node.module).split('.')[1:]
        return [self._assigned(node, a.asname or a.name, '.'.join([*below, a.name])) for a in node.names]


_PREFIX = '_keras_backend_'


def _wants(source: bytes, installed: bool) -> bool:
    return not installed and b'tensorflow' in source and (b'Session' in source or b'ConfigProto' in source)


def _changed(engine: Callable[[], str], tree: ast.Module, installed: bool) -> bool:
    imports, is_settings = of_module(tree)
    if not is_settings or engine() == 'tensorflow':
        return False
    _Given(imports).visit(tree)
    rewriting.import_at_start(tree, __name__, ['tensorflow'], _PREFIX)
    return True


def change(engine: Callable[[], str]) -> rewriting.Change:
    """The change of modules, where `engine` gives the name of another engine than TensorFlow."""
    return rewriting.Change(_wants, functools.partial(_changed, engine))
