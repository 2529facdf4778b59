"""The files of a program: one with the modules beside it that it imports, a notebook, or those of a folder."""

import itertools
import os
import time
from typing import Iterable, Iterator, List, NamedTuple, Set, Tuple

from . import own_folders, python_rules
from .reading import Source, programs, read
from .rules import Finding, Use, finding
from .syntax import Tree, parse
from .uses import Uses, uses

# So many files are followed from one program.
MOST_FILES = 200

TOO_DEEP = 'its expressions are nested too deeply'


class Read(NamedTuple):
    """A file: its text, its tree, the names that it uses, and what was found while it was read."""

    source: Source
    tree: Tree
    uses: Uses
    findings: List[Finding]


def uses_python_2(read: Read, folder: str) -> bool:
    """Whether a file has lines or names that only Python 2 knows. folder: where its own modules lie."""
    names = python_rules.judge(read.uses, read.tree, read.source.place, _local(folder or '.'))
    return any(finding.rule in ('python2', 'python2-name') for finding in [*read.findings, *names])


# Names of libraries that programs give to a folder or file of their own, while they mean the library.
_OF_OTHERS = {'tensorflow', 'numpy', 'scipy', 'sklearn', 'theano'}


def of_path(path: str) -> Tuple[List[Read], Set[str]]:
    """The files of a program, and the names of the modules that belong to it.

    Parameters
    ----------
    path : str
        A file, a notebook or a folder. It has to exist.
    """
    whole = os.path.isdir(path)
    local = _local(path if whole else os.path.dirname(path) or '.')
    files = [_file(file_path) for file_path in programs(path)] if whole else list(followed(path))
    if not whole:
        local |= set(own_folders.elsewhere(imported_names(files), os.path.dirname(path)))
    if whole:
        local |= {os.path.splitext(os.path.basename(file.source.path))[0] for file in files}
        local |= {folder for file in files for folder in os.path.dirname(file.source.path).split(os.sep)}
    return files, local - {'', 'keras'} - _OF_OTHERS


def imported_names(files: Iterable[Read]) -> List[str]:
    """The modules that files import without a `try` around it, and the names that they use of them."""
    used = [use.origin or use.name for file in files for use in file.uses.names if not use.guarded]
    return used + [module for file in files for module, _ in file.uses.stars]


def of_code(text: str) -> Tuple[List[Read], Set[str]]:
    """`of_path` for the code of a command line: it imports what lies in the folder of the process."""
    first = of_source(Source('-c', text))
    files = [first, *_followed(list(_imported(first, '', '')), '')]
    local = _local('.') | set(own_folders.elsewhere(imported_names(files), ''))
    return files, local - {'', 'keras'} - _OF_OTHERS


def _file(path: str) -> Read:
    return of_source(read(path, path))


def of_source(source: Source) -> Read:
    """A file that was read as text."""
    tree = parse(source.text)
    nothing = parse('').tree
    try:
        file_uses = uses(tree.tree or nothing)  # type: ignore[arg-type]
    except RecursionError:
        refused = finding('unreadable', source.place(1), reason=TOO_DEEP)
        source, tree = source._replace(findings=(*source.findings, refused)), Tree(None)
        file_uses = uses(nothing)  # type: ignore[arg-type]
    file_uses.names.extend(_named(tree.names))
    return Read(source, tree, file_uses, [*source.findings, *python_rules.judge_text(tree, source.place)])


def _named(names: Tuple[Tuple[str, int], ...]) -> Iterator[Use]:
    """The usual names of modules, in lines that could not be read."""
    usual = {'tf': 'tensorflow', 'K': 'keras.backend', 'keras': 'keras', 'np': 'numpy', 'tensorflow': 'tensorflow'}
    for name, line in names:
        first, _, rest = name.partition('.')
        if first in usual:
            yield Use(f'{usual[first]}.{rest}', line, guarded=first == 'K')


def followed(path: str, until: float = float('inf')) -> Iterator[Read]:
    """A file, and the files of the same program that it imports, as far as the time goes."""
    return _followed([path], os.path.dirname(path), until)


def _followed(todo: List[str], base: str, until: float = float('inf')) -> Iterator[Read]:
    done: Set[str] = set()
    while todo and len(done) < MOST_FILES and (not done or time.monotonic() < until):
        next_path = todo.pop(0)
        if os.path.realpath(next_path) in done:
            continue
        done.add(os.path.realpath(next_path))
        file = _file(next_path)
        yield file
        todo += _imported(file, base, os.path.dirname(next_path))


def _imported(read: Read, base: str, beside: str) -> Iterator[str]:
    found = read.uses
    names = [use.origin or use.name for use in found.names] + [module for module, _ in found.stars]
    tried: Set[str] = set()
    yield from _paths(names, base, tried)
    yield from _paths(sorted(found.local), beside, tried)
    for first, folder in own_folders.elsewhere(imported_names([read]), base).items():
        yield from _paths([name for name in names if name.split('.')[0] == first], folder, tried)


def _paths(names: Iterable[str], folder: str, tried: Set[str]) -> Iterator[str]:
    """The files of modules in a folder. tried: the paths that were looked for, which are added."""
    for name in names:
        words = name.split('.')
        for count in range(1, min(len(words), 5) + 1):
            stem = os.path.join(folder, *words[:count])
            if stem in tried:
                continue
            tried.add(stem)
            for path in stem + '.py', os.path.join(stem, '__init__.py'):
                if os.path.isfile(path):
                    yield path


def _local(folder: str) -> Set[str]:
    """The names of modules that lie in a folder, in the one above it, and in the folders of both."""
    modules: Set[str] = set()
    above = os.path.join(folder, os.pardir)
    for directory in [folder, above, *_folders(folder), *_folders(above)]:
        entries = _listed(directory)
        modules |= {entry.name[:-3] for entry in entries if entry.name.endswith('.py')}
        modules |= {entry.name for entry in entries if _is_folder(entry) and _holds_modules(entry.path)}
    return modules


def _listed(folder: str) -> 'List[os.DirEntry[str]]':
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)[:2000]
    except OSError:
        return []


def _folders(folder: str) -> List[str]:
    """The first folders in a folder: programs put them on `sys.path`."""
    found = (entry.path for entry in _listed(folder) if not entry.name.startswith('.') and _is_folder(entry))
    return list(itertools.islice(found, 50))


def _is_folder(entry: 'os.DirEntry[str]') -> bool:
    """Whether it is one, or a link to one. The system has said so of most with the name, which is quicker to ask."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _holds_modules(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(entry.name.endswith('.py') for entry in entries)
    except OSError:
        return False
