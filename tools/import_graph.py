"""What the modules of the package import, as a graph: for tests about it, and to know what a change can reach."""

import ast
import functools
import os
import re
from typing import Dict, Iterable, Iterator, List, Mapping, Set, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = 'keras_backend'
FOLDER = os.path.join(ROOT, PACKAGE)
# A module of the package in the text of a program: also one that a test starts, or that stands in a string.
_NAMED = re.compile(rf'\b{PACKAGE}(?:\.\w+)*')
# The command: `python -m keras_backend`, or a list of its words.
_COMMAND = re.compile(rf"""-m['"]?,?\s+['"]?{PACKAGE}\b(?!\.)""")


def modules(package: str) -> Dict[str, str]:
    """The files of the package by module. The conformance tests are tests."""
    found = {}
    for folder, folders, files in os.walk(package):
        folders[:] = [name for name in folders if name not in ('conformance', '__pycache__')]
        for file in files:
            if file.endswith('.py'):
                path = os.path.relpath(os.path.join(folder, file[:-3]), os.path.dirname(package))
                found[path.replace(os.sep, '.').replace('.__init__', '')] = os.path.join(folder, file)
    return found


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements of a module. Expressions, of which there are ten times as many, import nothing."""
    todo = [tree]
    while todo:
        node = todo.pop()
        for field in ('body', 'orelse', 'finalbody', 'handlers', 'cases'):
            todo += getattr(node, field, ())
        yield node


def imports(module: str, path: str, known: Mapping[str, str]) -> Iterator[str]:
    """The modules among `known` that a file imports anywhere. A package is imported with its modules only by name."""
    with open(path, encoding='utf-8') as file:
        tree = ast.parse(file.read())
    package = module.split('.') if os.path.basename(path) == '__init__.py' else module.split('.')[:-1]
    for node in statements(tree):
        if isinstance(node, ast.Import):
            names = [[alias.name] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) + 1 - node.level] if node.level else []
            base = '.'.join(start + ([node.module] if node.module else []))
            names = [[f'{base}.{alias.name}', base] for alias in node.names]
        else:
            continue
        for candidates in names:
            found = next((name for name in candidates if name in known), None)
            if found not in (None, module):
                yield str(found)


def graph(known: Mapping[str, str]) -> Dict[str, Set[str]]:
    """The modules that each module imports."""
    return {module: set(imports(module, path, known)) for module, path in known.items()}


@functools.lru_cache(maxsize=None)
def of_package(package: str) -> Tuple[Dict[str, str], Dict[str, Set[str]]]:
    """The files of the package by module, and the modules that each imports."""
    known = modules(package)
    return known, graph(known)


def named(text: str, known: Mapping[str, str]) -> Set[str]:
    """The modules that a text names. `keras_backend.load` names the package alone."""
    found = {f'{PACKAGE}.__main__'} if _COMMAND.search(text) else set()
    for name in set(_NAMED.findall(text)):
        parts: List[str] = name.split('.')
        while '.'.join(parts) not in known:
            parts.pop()
        module = '.'.join(parts)
        found.add(module)
        # A package that is named may be started, as `python -m keras_backend.keras3` is.
        if module != PACKAGE and f'{module}.__main__' in known:
            found.add(f'{module}.__main__')
    return found


def reached(edges: Mapping[str, Set[str]], starts: Iterable[str]) -> Set[str]:
    """All that some modules import, and what that imports. The import of a module runs the packages around it."""
    seen: Set[str] = set()
    todo = list(starts)
    while todo:
        module = todo.pop()
        if module in seen or module not in edges:
            continue
        seen.add(module)
        todo += [*edges[module], module.rpartition('.')[0]]
    return seen
