"""The names that a program uses, in full, and the calls whose object is not known."""

import ast
import re
from typing import Any, Dict, Iterator, List, NamedTuple, Set, Tuple

from .rules import Call, Use

# Paths under which TensorFlow 1 had Keras.
TF_KERAS = re.compile(
    r'^tensorflow\.(?:python\.|contrib\.)?(?:_impl\.|_api\.v[12]\.)?keras(?:\.(?:api|python|_impl)\.keras)?(?=\.|$)'
)
# TensorFlow as a name of K: `K.tf.reduce_sum`.
OF_K = re.compile(r'^keras\.backend\.(?:tensorflow_backend\.)?tf(?=\.|$)')
# A condition with one of these words chooses between versions. Its branches may hold names that are missing here.
_CHOICE = re.compile(r'version|hasattr|backend\(|dim_ordering|data_format|PY2|PY3|Darwin|win32', re.I)
_MISSING = set('ImportError ModuleNotFoundError AttributeError Exception BaseException TypeError NameError'.split())


class Class(NamedTuple):
    """A class of the program: its bases in full, and its methods."""

    name: str
    line: int
    bases: Tuple[str, ...]
    methods: Tuple[Tuple[str, int, Tuple[str, ...]], ...]


class Uses(NamedTuple):
    """The names, calls and texts that a program uses.

    Attributes
    ----------
    names : list of Use
        Names of modules, in full.
    calls : list of Call
        Calls of methods of objects that are not known.
    attributes : list of (str, int, bool)
        Attributes of objects that are not known, with their lines, and whether there is another way.
    strings : list of (str, int)
        Texts, those in triple quotes left out.
    keys : list of (str, int)
        Texts in square brackets, and first arguments of `.get`.
    options : list of (str, str, int)
        Arguments that are texts, or lists of texts: ('monitor', 'val_acc', 12).
    classes : list of Class
        Classes.
    bare : list of (str, int, bool)
        Names that nothing binds: builtins, and what a star import brings along.
    divisions : list of int
        Lines where `/` divides in a size or an index.
    inner_weights : list of int
        Lines where a layer takes the weights of a layer that it holds for its own.
    """

    names: List[Use]
    calls: List[Call]
    attributes: List[Tuple[str, int, bool]]
    strings: List[Tuple[str, int]]
    keys: List[Tuple[str, int]]
    options: List[Tuple[str, str, int]]
    classes: List[Class]
    bare: List[Tuple[str, int, bool]]
    stars: List[Tuple[str, int]]
    divisions: List[int]
    inner_weights: List[int]
    local: Set[str]


def uses(tree: ast.Module) -> Uses:
    """The names, calls and texts that a tree uses."""
    reader = _Reader()
    reader.bind(tree)
    reader.visit(tree)
    return reader.found


def keras_name(name: str) -> str:
    """A name with every path of Keras inside TensorFlow replaced by 'keras'."""
    match = TF_KERAS.match(name)
    return 'keras' + name[match.end() :] if match else name


class _Reader(ast.NodeVisitor):
    def __init__(self) -> None:
        self.found = Uses([], [], [], [], [], [], [], [], [], [], [], set())
        self._names: Dict[str, List[Tuple[int, str]]] = {}
        self._others: Set[str] = set()
        self._assigned: Dict[str, List[ast.AST]] = {}
        self._guarded = 0
        self._sizes = 0

    # -- what names stand for ------------------------------------------------------------------------------------------

    def bind(self, tree: ast.Module) -> None:
        """Find what each name of the program stands for."""
        assigns = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self._name(alias.asname or alias.name.split('.')[0], node, alias.name, not alias.asname)
            elif isinstance(node, ast.ImportFrom):
                self._from(node)
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                assigns.append(node)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) or type(node).__name__ == 'AsyncFunctionDef':
                self._others.add(node.name)  # type: ignore[attr-defined]
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._assigned.setdefault(node.id, []).append(node)
            elif isinstance(node, ast.arg):
                self._others.add('' if node.arg in self._names else node.arg)
            elif isinstance(node, ast.ExceptHandler) and node.name:
                self._others.add(node.name)
        for node in sorted(assigns, key=lambda node: node.lineno):
            target = node.targets[0]
            written = self.dotted(node.value)
            if written and isinstance(target, ast.Name) and len(self._assigned.get(target.id, ())) == 1:
                self._names.setdefault(target.id, []).append((node.lineno, written))
                del self._assigned[target.id]
        self._others |= set(self._assigned)

    def _name(self, name: str, node: Any, path: str, plain: bool) -> None:
        self._names.setdefault(name, []).append((node.lineno, path.split('.')[0] if plain else path))

    def _from(self, node: ast.ImportFrom) -> None:
        base = node.module or ''
        for alias in node.names:
            if node.level:
                self._others.add(alias.asname or alias.name)
                self.found.local.add((base or alias.name).split('.')[0])
            elif alias.name == '*':
                self.found.stars.append((keras_name(base), node.lineno))
            else:
                self._name(alias.asname or alias.name, node, f'{base}.{alias.name}', False)

    def dotted(self, node: Any) -> str:
        """The full name of an expression, '' if it is none of a module."""
        names: List[str] = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ''
        base = self._stands_for(node)
        return '.'.join([base] + names[::-1]) if base else ''

    def _stands_for(self, node: ast.Name) -> str:
        bound = self._names.get(node.id)
        if not bound or node.id in self._assigned or (node.id in self._others and node.id not in _KEPT):
            return ''
        before = [path for line, path in bound if line <= node.lineno]
        return before[-1] if before else bound[0][1]

    def _has_another_way(self, node: Any) -> bool:
        """Whether the program imports the same name from two places: `try: import cPickle as pickle`."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and len({path for _, path in self._names.get(node.id, ())}) > 1

    # -- what is used --------------------------------------------------------------------------------------------------

    def _use(self, name: str, line: int, node: Any = None, **more: Any) -> None:
        inside = OF_K.match(name)
        name = 'tensorflow' + name[inside.end() :] if inside else name
        resolved = keras_name(name)
        origin = name if resolved != name else ''
        guarded = self._guarded > 0 or self._has_another_way(node)
        self.found.names.append(Use(resolved, line, guarded, origin=origin, **more))

    def visit_Import(self, node: ast.Import) -> None:
        """A module."""
        for alias in node.names:
            self._use(alias.name, node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Names of a module."""
        for alias in node.names:
            if not node.level:
                self._use(node.module or '' if alias.name == '*' else f'{node.module}.{alias.name}', node.lineno)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """A name of a module, or an attribute of an object."""
        name = self.dotted(node)
        if name:
            self._use(name, node.lineno, node)
            return
        self.found.attributes.append((node.attr, node.lineno, self._guarded > 0))
        self.visit(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        """A name that an import binds, or none."""
        name = self._stands_for(node)
        if name:
            if '.' in name and isinstance(node.ctx, ast.Load):
                self._use(name, node.lineno, node)
        elif node.id not in self._others and isinstance(node.ctx, ast.Load):
            self.found.bare.append((node.id, node.lineno, self._guarded > 0))

    def visit_Call(self, node: ast.Call) -> None:
        """A call: its arguments count, too."""
        keywords = tuple(argument.arg for argument in node.keywords if argument.arg)
        positional = -1 if any(isinstance(argument, ast.Starred) for argument in node.args) else len(node.args)
        name = self.dotted(node.func)
        if name:
            axes = _axes(node) if name.endswith('.batch_dot') else ()
            self._use(name, node.lineno, node.func, call=True, keywords=keywords, positional=positional, axes=axes)
        else:
            self._method(node, keywords, positional)
            self.visit(node.func)
        short = name or getattr(node.func, 'id', '') or getattr(node.func, 'attr', '')
        options = [(argument.arg or '', argument.value) for argument in node.keywords]
        if short.endswith('EarlyStopping') and node.args:
            options.append(('monitor', node.args[0]))
        self.found.options.extend((name, text, node.lineno) for name, value in options for text in _texts(value))
        sizes = short.rpartition('.')[2] in _SIZES
        self._sizes += sizes
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            self.visit(argument)
        self._sizes -= sizes

    def _method(self, node: ast.Call, keywords: Tuple[str, ...], positional: int) -> None:
        name = getattr(node.func, 'attr', '') or getattr(node.func, 'id', '')
        first = node.args[0] if node.args else None
        if name == 'get' and first is not None:
            self.found.keys.extend((text, node.lineno) for text in _texts(first))
        kind = (
            'text' if first is not None and list(_texts(first)) else type(first).__name__ if first is not None else ''
        )
        if kind == 'Name' and 'shape' in getattr(first, 'id', ''):
            kind = 'Tuple'
        self.found.calls.append(Call(name, node.lineno, keywords, positional, self._guarded > 0, kind))

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """A key, or an index."""
        key: Any = getattr(node.slice, 'value', None) if type(node.slice).__name__ == 'Index' else node.slice
        self.found.keys.extend((text, node.lineno) for text in _texts(key))
        self.visit(node.value)
        self._sizes += 1
        self.visit(node.slice)
        self._sizes -= 1

    def visit_Assign(self, node: ast.Assign) -> None:
        """`self.trainable_weights = self.inner.trainable_weights`."""
        self._inner_weights(node.targets[0], node.value)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """`self.trainable_weights += self.inner.trainable_weights`."""
        self._inner_weights(node.target, node.value)
        self.generic_visit(node)

    def _inner_weights(self, target: ast.expr, value: ast.expr) -> None:
        read = (part for part in ast.walk(value) if isinstance(part, ast.Attribute) and part.attr == _WEIGHTS)
        of_another = any(isinstance(part.value, ast.Attribute) for part in read)
        if of_another and getattr(target, 'attr', '') == _WEIGHTS:
            self.found.inner_weights.append(target.lineno)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """A division of whole numbers in Python 2."""
        if isinstance(node.op, ast.Div) and self._sizes:
            self.found.divisions.append(node.lineno)
        self.generic_visit(node)

    def visit_Constant(self, node: Any) -> None:
        """A text."""
        if isinstance(node.value, str) and len(node.value) < 200:
            self.found.strings.append((node.value, node.lineno))

    def visit_Str(self, node: Any) -> None:
        """A text, before Python 3.8."""
        if len(node.s) < 200:
            self.found.strings.append((node.s, node.lineno))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A class: its bases and methods count."""
        methods = tuple(
            (method.name, method.lineno, tuple(arg.arg for arg in method.args.args))
            for method in node.body
            if isinstance(method, ast.FunctionDef)
        )
        bases = tuple(filter(None, (keras_name(self.dotted(base)) or getattr(base, 'id', '') for base in node.bases)))
        self.found.classes.append(Class(node.name, node.lineno, bases, methods))
        self.generic_visit(node)

    def visit_Try(self, node: Any) -> None:
        """Names in a `try` may be missing, and those in its handlers may, too."""
        guards = any(_catches(handler) for handler in node.handlers)
        self._guarded += guards
        for child in [*node.body, *node.handlers, *node.orelse]:
            self.visit(child)
        self._guarded -= guards
        for child in node.finalbody:
            self.visit(child)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """A function: the lines after `if hasattr(...): return ...` are a branch, too."""
        before = self._guarded
        for field, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST):
                    continue
                self.visit(child)
                if field == 'body' and _leaves(child):
                    self._guarded += 1
        self._guarded = before

    def visit_If(self, node: ast.If) -> None:
        """Names in a branch that depends on a version may be missing."""
        self.visit(node.test)
        guards = _chooses(node)
        self._guarded += guards
        for statement in [*node.body, *node.orelse]:
            self.visit(statement)
        self._guarded -= guards


# Arguments are often called like these modules, and modules are used in the same file.
_KEPT = {'K', 'tf', 'np', 'keras', 'layers', 'initializers', 'regularizers', 'constraints', 'activations', 'backend'}
_WEIGHTS = 'trainable_weights'
_SIZES = {'range', 'xrange', 'zeros', 'ones', 'empty', 'reshape', 'Dense', 'resize', 'Reshape', 'RepeatVector'}


def _chooses(node: ast.If) -> bool:
    return bool(_CHOICE.search(ast.dump(node.test)))


def _leaves(node: ast.AST) -> bool:
    """Whether a statement is a choice whose branch leaves the function."""
    return isinstance(node, ast.If) and _chooses(node) and isinstance(node.body[-1], (ast.Return, ast.Raise))


def _catches(handler: Any) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(getattr(kind, 'id', '') in _MISSING for kind in kinds)


def _axes(node: ast.Call) -> Tuple[int, ...]:
    """The numbers of the third argument of a call, or of `axes=`."""
    given = [*node.args[2:3], *(keyword.value for keyword in node.keywords if keyword.arg == 'axes')]
    # Python 3.7 and before have another class for numbers.
    values = (getattr(part, 'value', getattr(part, 'n', None)) for value in given for part in ast.walk(value))
    return tuple(value for value in values if type(value) is int)


def _texts(node: Any) -> Iterator[str]:
    """The texts of a literal: one, or those of a list."""
    if isinstance(node, (ast.List, ast.Tuple)):
        for element in node.elts:
            yield from _texts(element)
        return
    value = node.s if type(node).__name__ == 'Str' else getattr(node, 'value', None)  # Str: before Python 3.8
    if isinstance(value, str):
        yield value
