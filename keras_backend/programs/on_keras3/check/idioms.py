"""Lines that differ or stop on Keras 3: calls by their values, operators in place, Lambda layers in files."""

import ast
from typing import Any, Callable, Iterator, Set

from ...launcher.check.files import Read
from ...launcher.check.rules import Finding, Place
from .rules import finding

At = Callable[[int], Place]


def judge(one: Read, place: At, backend: str) -> Iterator[Finding]:
    """What the lines of a file say."""
    tree = one.tree.tree
    if tree is None:
        return
    functions = {use.line for use in one.uses.names if use.name == 'keras.backend.function' and not use.guarded}
    of_k = {use.line for use in one.uses.names if use.name.startswith('keras.backend.')}
    lambdas = {use.line for use in one.uses.names if use.name == 'keras.layers.Lambda'}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _call(node, functions, place)
    if backend == 'torch':
        yield from _in_place(tree, of_k, place)
    yield from _lambdas(tree, lambdas, one, place)


def _call(node: ast.Call, functions: Set[int], place: At) -> Iterator[Finding]:
    name = getattr(node.func, 'attr', getattr(node.func, 'id', ''))
    if name == 'function' and node.lineno in functions and len(node.args) > 1:
        inputs, outputs = node.args[:2]
        computed = isinstance(outputs, ast.List) and any(isinstance(x, (ast.Call, ast.BinOp)) for x in outputs.elts)
        if isinstance(inputs, ast.List) and not inputs.elts and computed:
            yield finding('function-of-variables', place(node.lineno))


def _in_place(tree: ast.Module, of_k: Set[int], place: At) -> Iterator[Finding]:
    """`x *= K.sum(y)` in lines of the program itself. The launcher makes a new tensor in layers, losses and metrics."""
    todo = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) or type(node).__name__ == 'AsyncFunctionDef':
            continue
        if isinstance(node, ast.AugAssign) and node.lineno in of_k:
            yield finding('in-place', place(node.lineno))
        todo += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]


def _lambdas(tree: ast.Module, lambdas: Set[int], one: Read, place: At) -> Iterator[Finding]:
    loads = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) == 'load_model']
    plain = [node for node in loads if not any(keyword.arg == 'safe_mode' for keyword in node.keywords)]
    if not plain or not any(text.endswith('.keras') for text, _ in one.uses.strings):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) == 'Lambda' and node.lineno in lambdas:
            if node.args and isinstance(node.args[0], ast.Lambda):
                yield finding('lambda-in-file', place(node.lineno))
                return


def _called(node: ast.Call) -> Any:
    return getattr(node.func, 'attr', getattr(node.func, 'id', ''))
