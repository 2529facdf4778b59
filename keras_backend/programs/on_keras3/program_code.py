"""The code of programs, for tensors of PyTorch: `x *= y` makes a new tensor, and `x[::-1]` is taken.

A program of tf.keras means that. The operators of PyTorch stay as they are, so a library of PyTorch keeps its meaning
and its speed. The code of the program's modules is changed when they are compiled, and that of installed modules which
import Keras or TensorFlow. Code that imports PyTorch is left alone.
"""

import ast
import builtins
import os
import sys
from types import CodeType, FunctionType, ModuleType
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Union

from ..launcher import rewriting
from ..launcher.cures import around
from .names import put_around
from .tensors import TENSORS, item, mark_steps, operate, value_of

_PREFIX = '_keras_backend_'
slice = builtins.slice  # a program may have another one
# What changed code calls. There the names have a prefix.
_CALLED: Dict[str, Any] = {'TENSORS': TENSORS, 'operate': operate, 'item': item, 'slice': slice, 'value_of': value_of}
NAMES = {_PREFIX + name: value for name, value in _CALLED.items()}
_OPERATORS = {
    **{ast.Add: 'add', ast.Sub: 'sub', ast.Mult: 'mul', ast.Div: 'truediv'},
    **{ast.FloorDiv: 'floordiv', ast.Mod: 'mod'},
}
# Expressions that are no tensor, nor a list with one.
_NO_TENSORS = (ast.Constant, ast.JoinedStr, ast.Lambda, ast.Dict)
# Functions of NumPy that change what they are given.
_IN_PLACE = frozenset('shuffle copyto put place putmask fill_diagonal put_along_axis at'.split())


class Change(ast.NodeTransformer):
    """Changes a tree of code; `count` says how much."""

    count = 0

    def __init__(self, on_torch: bool = True) -> None:
        self._on_torch = on_torch
        self._numpy: Set[str] = set()

    def visit_Import(self, node: ast.Import) -> ast.AST:
        """`import numpy as np`."""
        self._numpy |= {alias.asname or 'numpy' for alias in node.names if alias.name.partition('.')[0] == 'numpy'}
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        """`from numpy import squeeze`."""
        if not node.level and str(node.module).partition('.')[0] == 'numpy':
            self._numpy |= {alias.asname or alias.name for alias in node.names if alias.name != '*'}
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`np.squeeze(x)`, which may be given a tensor."""
        self.generic_visit(node)
        root: Any = node.func
        while isinstance(root, ast.Attribute):
            root = root.value
        name = getattr(node.func, 'attr', getattr(node.func, 'id', ''))
        if not isinstance(root, ast.Name) or root.id not in self._numpy or name in _IN_PLACE:
            return node
        node.args = [self._with_value(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self._with_value(keyword.value) if keyword.arg else keyword.value
        return node

    def _with_value(self, argument: ast.expr) -> ast.expr:
        if isinstance(argument, (*_NO_TENSORS, ast.Starred)):
            return argument
        self.count += 1
        called = ast.Call(ast.Name(f'{_PREFIX}value_of', ast.Load()), [argument], [])
        return ast.copy_location(called, argument)

    def visit_AugAssign(self, node: ast.AugAssign) -> Union[ast.AST, List[ast.AST]]:
        """`x *= y` of a tensor: a call whose result is assigned."""
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op)) if self._on_torch else None
        if name is None or self._is_plain(node.value):
            return node
        self.count += 1
        if not isinstance(node.target, ast.Name):
            return _at(node, self._of_part(node, name))
        # The guard costs less than a call, and most of what a program counts is no tensor.
        known = ast.Attribute(ast.Name(node.target.id, ast.Load()), '__class__', ast.Load())
        test = ast.Compare(known, [ast.In()], [ast.Name(f'{_PREFIX}TENSORS', ast.Load())])
        changed = ast.Assign([node.target], _operated(name, ast.Name(node.target.id, ast.Load()), node.value))
        return _at(node, [ast.If(test, [changed], [node])])

    def _is_plain(self, value: ast.AST) -> bool:
        """Whether the right side says that the left one is no tensor."""
        return isinstance(value, (ast.JoinedStr, ast.List, ast.ListComp, ast.Tuple)) or (
            isinstance(value, ast.Constant) and isinstance(value.value, (str, bytes))
        )

    def _of_part(self, node: ast.AugAssign, name: str) -> List[ast.AST]:
        """The same of `x.y` or `x[y]`: what stands before is computed once."""
        target: Any = node.target
        owner, key = f'{_PREFIX}owner', f'{_PREFIX}key'
        before: List[ast.AST] = [ast.Assign([ast.Name(owner, ast.Store())], target.value)]
        if isinstance(target, ast.Subscript):
            before.append(ast.Assign([ast.Name(key, ast.Store())], _index(target.slice)))

        def part(context: ast.expr_context) -> ast.expr:
            if isinstance(target, ast.Subscript):
                return ast.Subscript(ast.Name(owner, ast.Load()), ast.Name(key, ast.Load()), context)
            return ast.Attribute(ast.Name(owner, ast.Load()), target.attr, context)

        changed = ast.Assign([part(ast.Store())], _operated(name, part(ast.Load()), node.value))
        names = [owner, key] if isinstance(target, ast.Subscript) else [owner]
        return [*before, changed, ast.Delete([ast.Name(local, ast.Del()) for local in names])]

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`x[::-1]`, where a step is written that may be negative."""
        self.generic_visit(node)
        if not self._on_torch or not isinstance(node.ctx, ast.Load):
            return node
        if not any(_may_step_back(entry) for entry in _entries(node.slice)):
            return node
        self.count += 1
        called = ast.Name(f'{_PREFIX}item', ast.Load())
        return ast.copy_location(ast.Call(called, [node.value, _index(node.slice)], []), node)


def _at(node: ast.AST, changed: List[Any]) -> List[ast.AST]:
    return [ast.copy_location(statement, node) for statement in changed]


def _operated(name: str, x: ast.expr, y: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(f'{_PREFIX}operate', ast.Load()), [ast.Constant(name), x, y], [])


def _entries(index: Any) -> List[Any]:
    return list(index.elts) if isinstance(index, ast.Tuple) else [index]


def _may_step_back(entry: Any) -> bool:
    step = entry.step if isinstance(entry, ast.Slice) else None
    return step is not None and not isinstance(step, ast.Constant)


def _index(index: Any) -> ast.expr:
    """An index as a value: slices in it are made by a call."""
    if isinstance(index, ast.Tuple):
        return ast.Tuple([_index(expression) for expression in index.elts], ast.Load())
    if not isinstance(index, ast.Slice):
        return index  # type: ignore[no-any-return]
    bounds = [expression or ast.Constant(None) for expression in (index.lower, index.upper, index.step)]
    return ast.Call(ast.Name(f'{_PREFIX}slice', ast.Load()), bounds, [])


def _wants(source: bytes, installed: bool) -> bool:
    return not installed or b'keras' in source or b'tensorflow' in source


def _changed(tree: ast.Module, installed: bool) -> bool:
    """Change the tree of a module; whether there was something to change."""
    imported = _imported(tree)
    if 'torch' in imported or (installed and not imported & {'keras', 'tensorflow', 'tf_keras'}):
        return False
    return _is_changed(tree, Change())


OF_PROGRAMS = rewriting.Change(_wants, _changed)


def _wants_values(source: bytes, installed: bool) -> bool:
    return not installed and b'numpy' in source


def _with_values(tree: ast.Module, installed: bool) -> bool:
    return 'jax' not in _imported(tree) and _is_changed(tree, Change(on_torch=False))


ON_JAX = rewriting.Change(_wants_values, _with_values)


def _is_changed(tree: ast.Module, change: Change) -> bool:
    change.visit(tree)
    if change.count:
        rewriting.import_at_start(tree, __name__, list(_CALLED), _PREFIX)
    return bool(change.count)


def _imported(tree: ast.AST) -> Set[str]:
    """The packages that code imports, and the names that it takes from its own package, such as `keras`."""
    names: Set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition('.')[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.name for alias in node.names} if node.level else {str(node.module).partition('.')[0]}
    return names


def watch() -> None:
    """Compile the modules that the program imports from now on, and what is typed into a notebook, from changed trees.

    What Keras runs on is not known before the program imports it, unless the variable says so.
    """
    backend = os.environ.get('KERAS_BACKEND', 'torch')
    if backend not in ('torch', 'jax'):
        return
    rewriting.watch([OF_PROGRAMS if backend == 'torch' else ON_JAX])
    get_shell = getattr(builtins, 'get_ipython', None)
    if get_shell is not None:
        shell = get_shell()
        shell.user_ns.update(NAMES)
        shell.ast_transformers.append(Change(backend == 'torch'))


def operators_in_place(keras: Any) -> str:
    """Let `x *= y` make a new tensor in the layers, losses and metrics of a program on PyTorch."""
    if keras.backend.backend() != 'torch':
        return ''
    import torch

    TENSORS.update([torch.Tensor, torch.nn.Parameter])
    mark_steps(keras)
    # A layer and `compile` are given functions of the program.
    keras.layers.Layer.__new__ = staticmethod(_after(keras.layers.Layer.__new__, change_main))
    # `load_model` does not compile a model of a class that replaces the inherited `compile`.
    put_around(keras.Model, ('compile',), _after, change_main)
    return 'the code of the program'


@around
def _after(original: Any, action: Callable[..., None], *args: Any, **kwargs: Any) -> Any:
    action(*args[1:], *kwargs.values())
    return original(*args, **kwargs)


class _Main:
    """The program where it was compiled before the launcher was imported: its changed code, and what has it already."""

    codes: Optional[Dict[Any, CodeType]] = None
    known: Set[int] = set()


def change_main(*values: Any) -> None:
    """Give the functions of `__main__`, and those among `values`, their changed code.

    It is called again when there may be new ones.
    """
    main = sys.modules.get('__main__')
    if main is None or (f'{_PREFIX}operate' in vars(main) and not _Main.codes):
        return
    if _Main.codes is None:
        _Main.codes = _codes_of(main)
        if _Main.codes:
            vars(main).update(NAMES)
    if _Main.codes:
        for function in [*_functions(vars(main), _Main.known), *[v for v in values if isinstance(v, FunctionType)]]:
            code = _Main.codes.get(_key(function.__code__))
            if code is not None and code.co_freevars == function.__code__.co_freevars:
                function.__code__ = code


def _codes_of(main: ModuleType) -> Dict[Any, CodeType]:
    path = getattr(main, '__file__', None)
    if path is None or not os.path.isfile(path):
        return {}
    with open(path, 'rb') as stream:
        code = rewriting.changed_code(stream.read(), path, False, [], [OF_PROGRAMS])
    return {} if code is None else {_key(inner): inner for inner in _inside(code)}


def _key(code: CodeType) -> Any:
    return os.path.basename(code.co_filename), code.co_name, code.co_firstlineno, code.co_varnames[: code.co_argcount]


def _inside(code: CodeType) -> Iterator[CodeType]:
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _inside(value)
            yield value


def _functions(names: Dict[str, Any], known: Set[int]) -> Iterator[FunctionType]:
    """Functions of a module or a class, and of the classes in it, that were not seen before."""
    for value in list(names.values()):
        value = getattr(value, '__func__', value)
        if id(value) in known or not isinstance(value, (FunctionType, type)):
            continue
        if value.__module__ != '__main__':
            continue
        known.add(id(value))
        if isinstance(value, type):
            yield from _functions(dict(vars(value)), known)
        else:
            # A cure may stand around the function.
            while isinstance(value, FunctionType):
                yield value
                value = vars(value).get('__wrapped__')
