"""The forms in which a program says what it needs: lines of pip and of conda, YAML, TOML, setup.py, setup.cfg."""

import ast
import configparser
import json
import re
import warnings
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

Bounds = Tuple[Tuple[str, str], ...]


class Wanted(NamedTuple):
    """One thing that a program needs.

    Attributes
    ----------
    name : str
        Its name for pip or conda, as it is written there.
    bounds : tuple of (str, str)
        The signs and numbers of its version, such as ('>=', '2.0'). The sign '=' is that of conda: all versions that
        begin so.
    """

    name: str
    bounds: Bounds = ()


_NAME = r'[A-Za-z0-9][\w.-]*'
_LINE = re.compile(rf'^(?:[\w./-]+::)?({_NAME})\s*(?:\[[^\]]*\])?\s*(.*)$')
_BOUND = r'(===|==|~=|!=|<=|>=|<|>|=|~|\^)\s*v?(\d+(?:\.\d+)*(?:\.\*)?)[\w.]*'
_BOUNDS = re.compile(rf'^{_BOUND}(?:\s*,\s*{_BOUND})*$')
_OF_CONDA = re.compile(r'^={0,2}\s*(\d+(?:\.\d+)*(?:\.\*)?)\*?(?:[\s=]+[\w*]+)?$')
_AT_GIT = re.compile(r'/([\w.-]+?)(?:\.git)?(?:@v?([\w.]+))?(?:#.*?(?:egg=([\w.-]+).*)?)?$')
_ARCHIVE = re.compile(r'/([A-Za-z0-9_.]+?)-(\d+(?:\.\d+)+)[^/]*\.(?:whl|zip|tar\.gz)$')
_OF_GITHUB = re.compile(r'/([\w.-]+)/archive/(?:refs/tags/)?v?(\d+(?:\.\d+)+)\.(?:zip|tar\.gz)$')
_INCLUDED = re.compile(r'^(?:-r|--requirement|-c|--constraint)[\s=]*(\S+)$')
_QUOTED = re.compile(r'"([^"]*)"|\'([^\']*)\'')
Include = Callable[[str], None]


def bounds_of(text: str) -> Bounds:
    """The signs and numbers of a version: '>=2.0,<2.2', '2.2.4=py36_0' of conda. () for any version."""
    text = text.strip().strip('()').strip()
    if _BOUNDS.match(text):
        return tuple((sign, number) for sign, number in re.findall(_BOUND, text))
    of_conda = _OF_CONDA.match(text)
    return (('=', of_conda.group(1)),) if of_conda else ()


def spelled(bounds: Bounds) -> str:
    """A version as a person reads it: '2.2.4' or '>=2.0,<2.2'. '' where it tells no version."""
    signs = {sign for sign, _ in bounds}
    if not signs & {'==', '===', '=', '~=', '<=', '<', '~', '^'}:
        return ''
    sign, number = bounds[0]
    if len(bounds) == 1 and (sign in ('==', '===') or (sign == '=' and number.count('.') > 1)):
        return number
    return ','.join(sign + number for sign, number in bounds)


def fits(version: str, bounds: Bounds) -> bool:
    """Whether a version such as '2.2.4' lies within bounds."""
    return all(_fits(_numbers(version), sign, number) for sign, number in bounds)


def _fits(version: Tuple[int, ...], sign: str, number: str) -> bool:
    bound = _numbers(number)
    # So many numbers have to agree. `~=2.2.0` and `~2.2.4` take 2.2, `^2.2.4` takes 2.
    agree = {'=': len(bound), '~=': len(bound) - 1, '~': min(len(bound), 2), '^': 1}.get(sign, 0)
    if sign in ('==', '===', '!='):
        count = len(bound) if number.endswith('*') else max(len(bound), len(version))
        return (_padded(version, count) == _padded(bound, count)) != (sign == '!=')
    if sign.startswith('<'):
        return version < bound or (sign == '<=' and _padded(version, len(bound)) == bound)
    if sign == '>':
        return version > bound
    return version[:agree] == bound[:agree] and (sign == '=' or version >= bound)


def _numbers(version: str) -> Tuple[int, ...]:
    return tuple(int(word) for word in version.split('.') if word.isdigit())


def _padded(version: Tuple[int, ...], count: int) -> Tuple[int, ...]:
    return (*version, *[0] * count)[:count]


def of_line(text: str) -> Optional[Wanted]:
    """A line of requirements.txt, or an item of conda's list. None for a line that is neither."""
    line = re.sub(r'(?:^|\s)#.*', '', text).split(';')[0].strip().strip('"\'').strip()
    line = re.sub(r'\s--\w.*', '', line)
    if '://' in line:
        return _of_address(line.split(' @ ')[-1].split()[-1], line)
    match = _LINE.match(line)
    if match is None:
        return None
    name, rest = match.groups()
    bounds = bounds_of(rest)
    return Wanted(name, bounds) if bounds or not rest else None


def _of_address(address: str, line: str) -> Optional[Wanted]:
    match = _OF_GITHUB.search(address) or _ARCHIVE.search(address)
    if match:
        return Wanted(match.group(1), (('==', match.group(2)),))
    at_git = _AT_GIT.search(address)
    if at_git is None or 'git' not in line:
        return None
    number = re.match(r'\d+(?:\.\d+)+$', at_git.group(2) or '')
    return Wanted(at_git.group(3) or at_git.group(1), (('==', number.group(0)),) if number else ())


def of_requirements(text: str, include: Include) -> Iterator[Wanted]:
    """requirements.txt, and what `conda list --export` writes. include: is given the names of further files."""
    for line in re.sub(r'\\\n', ' ', text).split('\n'):
        yield from _of_item(re.sub(r'^\s*(?:-e|--editable)[\s=]+', '', line), include)


def _of_item(text: str, include: Include) -> Iterator[Wanted]:
    included = _INCLUDED.match(text.strip().strip('"\''))
    if included:
        include(included.group(1))
        return
    wanted = of_line(text)
    if wanted:
        yield wanted


def of_yaml(text: str, include: Include) -> Iterator[Wanted]:
    """environment.yml of conda, with the list of pip in it. Only what its forms need of YAML is read."""
    is_inside = False
    for line in text.split('\n'):
        line = re.sub(r'(?:^|\s)#.*', '', line)
        if re.match(r'^[\w"\']', line):
            is_inside = line.startswith('dependencies')
            items = re.split(r'[\[\],{}]', line)[1:]  # dependencies: [python=3.6, keras=2.2.4, {pip: [h5py]}]
        else:
            listed = re.match(r'^\s*-\s+(.*)$', line)
            items = [listed.group(1)] if listed else []
        for item in items if is_inside else []:
            plain = re.sub(r'^\s*["\']?pip["\']?\s*:', '', item).strip()
            if plain:
                yield from _of_item(plain, include)


def of_toml(text: str, include: Include) -> Iterator[Wanted]:
    """Pipfile and pyproject.toml, of any tool: its tables and lists of dependencies."""
    section, is_list = '', False
    for line in text.split('\n'):
        heading = re.match(r'^\s*\[+\s*([^\[\]"\']+?)\s*\]+\s*(?:#.*)?$', line)
        if heading and not is_list:
            section = heading.group(1)
            continue
        of_lists = section in ('project.optional-dependencies', 'dependency-groups')
        starts = re.match(r'^\s*[\w-]+\s*=\s*\[' if of_lists else r'^\s*dependencies\s*=\s*\[', line)
        if starts and (of_lists or section == 'project'):
            is_list = True
        if is_list:
            for quoted in _QUOTED.findall(line[starts.end() :] if starts else line):
                yield from _of_item(quoted[0] or quoted[1], include)
            is_list = ']' not in _QUOTED.sub('', line[starts.end() :] if starts else line)
        elif re.search(r'(?:^|[.-])(?:packages|dependencies)$', section):
            yield from _of_assignment(line)


def _of_assignment(line: str) -> Iterator[Wanted]:
    """A line such as `keras = "==2.2.4"` or `keras = {version = "^2.2", extras = ["tests"]}`."""
    match = re.match(rf'^\s*["\']?({_NAME})["\']?\s*=\s*(.*)$', line)
    if match is None:
        return
    version = re.search(r'version\s*=\s*["\']([^"\']*)', match.group(2)) or re.match(r'["\']([^"\']*)', match.group(2))
    text = version.group(1) if version else ''
    # A number alone is that very version.
    yield Wanted(match.group(1), bounds_of(f'=={text}' if text[:1].isdigit() else text))


def of_lock(text: str, include: Include) -> Iterator[Wanted]:
    """Pipfile.lock, which is JSON, and poetry.lock."""
    if not text.lstrip().startswith('{'):
        for name, number in re.findall(r'\[\[package\]\]\s*name = "([^"]*)"\s*version = "([^"]*)"', text):
            yield Wanted(name, bounds_of('==' + number))
        return
    try:
        book = json.loads(text)
        for name, row in [*book.get('default', {}).items(), *book.get('develop', {}).items()]:
            yield Wanted(name, bounds_of(str(row.get('version', ''))))
    except (ValueError, AttributeError, RecursionError):  # JSON of another form than this file has
        return


def of_setup_cfg(text: str, include: Include) -> Iterator[Wanted]:
    """The lists of setup.cfg."""
    reader = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        reader.read_string(text)
    except configparser.Error:
        return
    lists = [reader.get('options', name, fallback='') for name in ('install_requires', 'setup_requires')]
    if reader.has_section('options.extras_require'):
        lists += [value for _, value in reader.items('options.extras_require')]
    for line in '\n'.join(lists).split('\n'):
        yield from _of_item(line, include)


# -- setup.py ----------------------------------------------------------------------------------------------------------

_LISTS = ('install_requires', 'setup_requires', 'extras_require', 'tests_require')


def of_setup(text: str, include: Include) -> Iterator[Wanted]:
    """The lists of a setup.py, where they are written in the call or assigned to a name before."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # Python 2: any text in quotes may be one
        found = (of_line(first or second) for first, second in _QUOTED.findall(text))
        yield from (wanted for wanted in found if wanted and wanted.bounds)
        return
    assigned: Dict[str, ast.AST] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            assigned.update((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
    given = [node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg in _LISTS]
    for line in _texts(given, assigned):
        yield from _of_item(line, include)


def _texts(nodes: List[ast.expr], assigned: Dict[str, ast.AST]) -> Iterator[str]:
    """The texts in expressions; a name stands for what was assigned to it last."""
    todo: List[ast.AST] = list(nodes)
    seen: Set[str] = set()
    while todo:
        node = todo.pop(0)
        if isinstance(node, ast.Dict):  # the keys of extras_require are no requirements
            todo[:0] = node.values
        elif isinstance(node, ast.Name):
            if node.id in assigned and node.id not in seen:
                seen.add(node.id)
                todo.insert(0, assigned[node.id])
        else:
            # Python 3.7 and before have other classes for texts.
            value = node.value if isinstance(node, ast.Constant) else getattr(node, 's', None)
            if isinstance(value, str):
                yield from value.split('\n')
            todo[:0] = ast.iter_child_nodes(node)
