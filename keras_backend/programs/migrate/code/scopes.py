"""What the names of a program stand for, where that is certain.

The check of the launchers (`launcher/check/uses.py`) resolves names as a reader would, because a finding that is wrong
costs a look. A change that is wrong breaks the program. So a name counts here only if all that binds it in its scope
is an import of one thing.
"""

import ast
from typing import Any, Dict, List, NamedTuple, Optional, Set

from ...launcher.check.uses import keras_name

_FUNCTIONS = ('FunctionDef', 'AsyncFunctionDef', 'Lambda')
_COMPREHENSIONS = ('ListComp', 'SetComp', 'DictComp', 'GeneratorExp')


class Binding(NamedTuple):
    """One thing that binds a name: the kind, the statement, and for an import the full name."""

    kind: str
    node: Any
    path: str = ''


class Scope:
    """A module, class, function or comprehension, and what binds names in it."""

    def __init__(self, node: Any, above: Optional['Scope']) -> None:
        self.node, self.above = node, above
        self.bindings: Dict[str, List[Binding]] = {}
        self.elsewhere: Dict[str, str] = {}  # the names of `global` and `nonlocal`

    def bind(self, name: str, kind: str, node: Any, path: str = '') -> None:
        """Note that a name is bound here, or in the scope that `global` names."""
        scope = self
        word = self.elsewhere.get(name)
        if word == 'global':
            while scope.above is not None:
                scope = scope.above
        elif word == 'nonlocal' and self.above is not None:
            scope = self.above
            while scope.above is not None and name not in scope.bindings:
                scope = scope.above
        scope.bindings.setdefault(name, []).append(Binding(kind, node, path))

    def find(self, name: str) -> List[Binding]:
        """All that binds a name, as seen from here."""
        scope: Optional[Scope] = self
        first = True
        while scope is not None:
            visible = first or not isinstance(scope.node, ast.ClassDef)
            if visible and name in scope.bindings and self.elsewhere.get(name) != 'global':
                return scope.bindings[name]
            if scope.above is None:
                return scope.bindings.get(name, [])
            scope, first = scope.above, False
        return []


class Names:
    """The scopes of a program, and the names in them."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.module = Scope(tree, None)
        self.stars: List[str] = []
        self.parents: Dict[int, Any] = {}
        self._scopes: Dict[int, Scope] = {}
        self._busy: Set[int] = set()
        self._visit_all(tree.body, self.module, tree)

    # -- reading -------------------------------------------------------------------------------------------------------

    def _visit_all(self, nodes: Any, scope: Scope, parent: Any) -> None:
        for node in nodes:
            self._visit(node, scope, parent)

    def _visit(self, node: Any, scope: Scope, parent: Any) -> None:
        self.parents[id(node)] = parent
        self._scopes[id(node)] = scope
        kind = type(node).__name__
        if kind in _FUNCTIONS:
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            scope.bind(node.name, 'class', node)
            self._visit_all([*node.decorator_list, *node.bases, *node.keywords], scope, node)
            self._visit_all(node.body, Scope(node, scope), node)
        elif kind in _COMPREHENSIONS:
            inner = Scope(node, scope)
            self._visit_all(node.generators, inner, node)
            self._visit_all([one for one in ast.iter_child_nodes(node) if one not in node.generators], inner, node)
        else:
            self._bind(node, kind, scope, parent)
            self._visit_all(ast.iter_child_nodes(node), scope, node)

    def _function(self, node: Any, scope: Scope) -> None:
        inner = Scope(node, scope)
        arguments = node.args
        self.parents[id(arguments)] = node
        if not isinstance(node, ast.Lambda):
            scope.bind(node.name, 'function', node)
            self._visit_all(node.decorator_list, scope, node)
            self._visit_all([node.returns] if node.returns else [], scope, node)
        defaults = [default for default in [*arguments.defaults, *arguments.kw_defaults] if default is not None]
        self._visit_all(defaults, scope, arguments)
        for parameter in parameters(arguments):
            inner.bind(parameter.arg, 'parameter', node)
            if parameter.annotation is not None:
                self._visit(parameter.annotation, scope, arguments)
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        for statement in body:  # `global` counts for the whole function
            for child in ast.walk(statement):
                if isinstance(child, (ast.Global, ast.Nonlocal)):
                    inner.elsewhere.update(dict.fromkeys(child.names, type(child).__name__.lower()))
        self._visit_all(body, inner, node)

    def _bind(self, node: Any, kind: str, scope: Scope, parent: Any) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.split('.')[0]
                scope.bind(alias.asname or first, 'import', node, alias.name if alias.asname else first)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == '*':
                    self.stars.append(keras_name(node.module or '') if not node.level else '')
                else:
                    path = '' if node.level else f'{node.module}.{alias.name}'
                    scope.bind(alias.asname or alias.name, 'import', node, path)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            scope.bind(node.id, 'assign' if _is_target(node, parent) else 'other', parent)
            if kind == 'Name' and type(parent).__name__ == 'NamedExpr' and scope.above is not None:
                scope.above.bind(node.id, 'other', parent)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            scope.bind(node.name, 'other', node)
        elif kind.startswith('Match') and isinstance(getattr(node, 'name', None), str):
            scope.bind(node.name, 'other', node)
        elif kind == 'MatchMapping' and node.rest:
            scope.bind(node.rest, 'other', node)

    # -- asking --------------------------------------------------------------------------------------------------------

    def scope(self, node: Any) -> Scope:
        """The scope that a node lies in."""
        return self._scopes[id(node)]

    def bindings(self, node: ast.Name) -> List[Binding]:
        """All that binds a name."""
        return self.scope(node).find(node.id)

    def is_builtin(self, name: str, node: Any) -> bool:
        """Whether a name means the builtin of Python where a node lies."""
        return not self.scope(node).find(name) and not self.stars

    def full(self, node: Any) -> str:
        """The full name of an expression, with the Keras of TensorFlow called `keras`. '' where it is not certain."""
        return keras_name(self.written(node))

    def written(self, node: Any) -> str:
        """The full name of an expression, with the path that the program imports. '' where it is not certain."""
        names: List[str] = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        base = self._base(node) if isinstance(node, ast.Name) else ''
        return '.'.join([base] + names[::-1]) if base else ''

    def _base(self, node: ast.Name) -> str:
        bound = self.bindings(node)
        if not bound:
            return self._of_star(node)
        paths = [self._path(binding) for binding in bound]
        same = len({keras_name(path) for path in paths}) == 1
        return paths[0] if same else ''

    def _path(self, binding: Binding) -> str:
        """The full name that a binding gives, '' if it gives something else.

        `K = tf.keras.backend` gives one, too.
        """
        if binding.kind == 'import':
            return binding.path
        if binding.kind != 'assign' or id(binding.node) in self._busy or len(binding.node.targets) != 1:
            return ''
        self._busy.add(id(binding.node))
        path = self.written(binding.node.value) if isinstance(binding.node.value, ast.Attribute) else ''
        self._busy.discard(id(binding.node))
        return path

    def _of_star(self, node: ast.Name) -> str:
        """The name in the one star import of Keras that has it. Other star imports could have it, too."""
        from ...keras2.check import versions

        if not self.stars or any(module.split('.')[0] != 'keras' for module in self.stars):
            return ''
        having = {module for module in self.stars if node.id in versions.names_of(module)}
        return f'{having.pop()}.{node.id}' if len(having) == 1 else ''

    def named(self, path: str, node: Any) -> str:
        """A name that stands for a full name where a node lies, '' if there is none."""
        for name, bound in self.module.bindings.items():
            if all(keras_name(self._path(one)) == path for one in bound) and self.scope(node).find(name) is bound:
                return name
        return ''


def parameters(arguments: Any) -> List[Any]:
    """All parameters of a function."""
    plain = [*getattr(arguments, 'posonlyargs', []), *arguments.args, *arguments.kwonlyargs]
    return plain + [starred for starred in (arguments.vararg, arguments.kwarg) if starred is not None]


def _is_target(node: ast.Name, parent: Any) -> bool:
    return isinstance(node.ctx, ast.Store) and isinstance(parent, ast.Assign) and node in parent.targets
