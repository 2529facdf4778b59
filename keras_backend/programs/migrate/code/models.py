"""Which expressions of a program are models of Keras, where that is certain."""

import ast
from typing import Any, List, Optional, Set

from .scopes import Binding, Names, parameters

# Names below `keras` that make models.
_MAKE = {f'{home}{name}' for home in ('', 'models.', 'engine.', 'engine.training.') for name in ('Model', 'Sequential')}
_MAKE |= {f'models.{name}' for name in ('load_model', 'model_from_json', 'model_from_yaml', 'clone_model')}
_MAKE |= {'utils.multi_gpu_model', 'utils.training_utils.multi_gpu_model'}
_CLASSES = ('Model', 'Sequential')


class Models:
    """The models of a program."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._busy: Set[int] = set()

    def is_model(self, node: Any) -> bool:
        """Whether an expression is a model of Keras whatever happens."""
        if id(node) in self._busy:
            return False
        self._busy.add(id(node))
        try:
            return self._is_model(node)
        finally:
            self._busy.discard(id(node))

    def _is_model(self, node: Any) -> bool:
        if isinstance(node, ast.Call):
            return self._makes(node.func)
        if isinstance(node, ast.Name):
            bound = self._names.bindings(node)
            return bool(bound) and all(self._binds(binding, node.id) for binding in bound)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == 'self':
            return self._of_self(node)
        return False

    def _makes(self, function: Any) -> bool:
        full = self._names.full(function)
        if full.startswith('keras.'):
            return full[6:] in _MAKE or (
                full.startswith('keras.applications.') and full.rpartition('.')[2][0].isupper()
            )
        if not isinstance(function, ast.Name):
            return False
        bound = self._names.bindings(function)
        return len(bound) == 1 and self._defined(bound[0])

    def _defined(self, binding: Binding) -> bool:
        node = binding.node
        if binding.kind == 'class':
            return any(self._names.full(base).rpartition('.')[2] in _CLASSES for base in node.bases)
        if binding.kind != 'function' or isinstance(node, ast.Lambda) or node.decorator_list:
            return False
        exits = [child for child in _own(node) if isinstance(child, ast.Return)]
        others = [child for child in _own(node) if isinstance(child, (ast.Yield, ast.YieldFrom))]
        return bool(exits) and not others and all(one.value is not None and self.is_model(one.value) for one in exits)

    def _binds(self, binding: Binding, name: str) -> bool:
        if binding.kind == 'assign':
            return self.is_model(binding.node.value)
        return binding.kind == 'parameter' and self._given(binding.node, name)

    def _given(self, function: Any, name: str) -> bool:
        """Whether each call of a function gives a model for a parameter."""
        if isinstance(function, ast.Lambda) or self._names.scope(function) is not self._names.module:
            return False
        arguments = [arg.arg for arg in function.args.args]
        calls: List[Any] = []
        for node in ast.walk(self._names.tree):
            if isinstance(node, ast.Name) and node.id == function.name and isinstance(node.ctx, ast.Load):
                above = self._names.parents[id(node)]
                if not isinstance(above, ast.Call) or above.func is not node or len(self._names.bindings(node)) != 1:
                    return False
                calls.append(above)
        if name not in arguments or not calls or function.name in {arg.arg for arg in parameters(function.args)}:
            return False
        values = [_argument(call, arguments.index(name), name) for call in calls]
        return all(value is not None and self.is_model(value) for value in values)

    def _of_self(self, node: ast.Attribute) -> bool:
        """Whether all that a class assigns to `self.model` are models."""
        above: Any = node
        while above is not None and not isinstance(above, ast.ClassDef):
            above = self._names.parents.get(id(above))
        if above is None:
            return False
        values = []
        for target in ast.walk(above):
            if isinstance(target, ast.Attribute) and target.attr == node.attr and not isinstance(target.ctx, ast.Load):
                parent = self._names.parents[id(target)]
                values.append(parent.value if isinstance(parent, ast.Assign) and target in parent.targets else None)
        return bool(values) and all(value is not None and self.is_model(value) for value in values)


def _argument(call: Any, place: int, name: str) -> Optional[Any]:
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    if place < len(call.args):
        return call.args[place]
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _own(function: Any) -> List[Any]:
    """The nodes of a function without those of the functions in it."""
    nodes: List[Any] = []
    todo = list(function.body)
    while todo:
        node = todo.pop()
        nodes.append(node)
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.AsyncFunctionDef)):
            todo.extend(ast.iter_child_nodes(node))
    return nodes
