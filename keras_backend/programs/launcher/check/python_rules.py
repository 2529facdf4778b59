"""Python in a program: names of Python 2, and names that Python 3 has removed."""

from typing import Callable, Iterator, List, Set

from .rules import DIFFERS, Finding, Place, finding
from .syntax import Tree
from .uses import Uses

# A builtin name of Python 2 -> the name of today.
BUILTINS = {
    'xrange': 'range',
    'raw_input': 'input',
    'unicode': 'str',
    'basestring': 'str',
    'long': 'int',
    'unichr': 'chr',
    'reduce': 'functools.reduce',
    'reload': 'importlib.reload',
    'file': 'open',
    'cmp': '(a > b) - (a < b)',
    'execfile': 'exec(open(path).read())',
    'buffer': 'memoryview',
    'apply': 'function(*arguments)',
    'StandardError': 'Exception',
}
METHODS = {'iteritems': 'items', 'itervalues': 'values', 'iterkeys': 'keys', 'has_key': 'in', 'viewitems': 'items'}
# A module or name of Python 2 -> the name of today.
MODULES = {
    'cPickle': 'pickle',
    'cStringIO': 'io',
    'StringIO': 'io',
    'ConfigParser': 'configparser',
    'Queue': 'queue',
    'urllib2': 'urllib.request',
    'urlparse': 'urllib.parse',
    'urllib.urlopen': 'urllib.request.urlopen',
    'urllib.urlretrieve': 'urllib.request.urlretrieve',
    'urllib.URLopener': 'urllib.request.URLopener',
    'urllib.FancyURLopener': 'urllib.request.FancyURLopener',
    'urllib.urlencode': 'urllib.parse.urlencode',
    'urllib.quote': 'urllib.parse.quote',
    'urllib.unquote': 'urllib.parse.unquote',
    'HTMLParser': 'html.parser',
    'httplib': 'http.client',
    'cookielib': 'http.cookiejar',
    'BaseHTTPServer': 'http.server',
    'SimpleHTTPServer': 'http.server',
    'SocketServer': 'socketserver',
    'Tkinter': 'tkinter',
    'tkMessageBox': 'tkinter.messagebox',
    'tkFileDialog': 'tkinter.filedialog',
    '__builtin__': 'builtins',
    'copy_reg': 'copyreg',
    'commands': 'subprocess',
    'thread': 'threading',
    'dummy_thread': 'threading',
    'xmlrpclib': 'xmlrpc.client',
    'sets': 'set',
    'md5': 'hashlib.md5',
    'exceptions': 'Exception',
    'itertools.izip': 'zip',
    'itertools.imap': 'map',
    'itertools.ifilter': 'filter',
    'itertools.izip_longest': 'itertools.zip_longest',
    'string.letters': 'string.ascii_letters',
    'string.lowercase': 'string.ascii_lowercase',
    'string.uppercase': 'string.ascii_uppercase',
    'string.maketrans': 'str.maketrans',
    'string.join': 'str.join',
    'string.split': 'str.split',
    'string.replace': 'str.replace',
    'string.strip': 'str.strip',
    'sys.maxint': 'sys.maxsize',
    'os.getcwdu': 'os.getcwd',
    'types.StringType': 'str',
    'types.ListType': 'list',
    'types.DictType': 'dict',
    'types.IntType': 'int',
}
# A name that Python 3 removed and `keras_backend.keras2` does not give back -> the name of today.
REMOVED = {
    'asyncio.async': 'asyncio.ensure_future',
    'asyncore': 'asyncio',
    'asynchat': 'asyncio',
    'telnetlib': 'the package telnetlib3',
    'parser': 'ast',
    'symbol': 'ast',
    'configparser.SafeConfigParser': 'configparser.ConfigParser',
    'locale.format': 'locale.format_string',
    'inspect.formatargspec': 'inspect.signature',
    'string.atoi': 'int',
    'string.atof': 'float',
    'unittest.makeSuite': 'unittest.TestLoader().loadTestsFromTestCase',
}

At = Callable[[int], Place]


def judge_text(tree: Tree, place: At) -> List[Finding]:
    """The lines that Python 3 cannot read."""
    findings = []
    if tree.python2:
        others = len(tree.python2) - 1
        more = f', in this line and {others} other{"s"[: others != 1]}' if others else ''
        where = place(tree.python2[0])
        advice = f'pip install fissix, then python -m fissix -w {where.path}' if not where.cell else None
        findings.append(finding('python2', where, f'the program is written in Python 2{more}', advice))
    findings += [finding('broken-syntax', place(line)) for line in tree.broken[:5]]
    findings += [finding('magic', place(1), f'{command} is a command of notebooks') for command in tree.commands[:3]]
    return findings


def judge(found: Uses, tree: Tree, place: At, local: Set[str]) -> Iterator[Finding]:
    """Names that Python does not have.

    Parameters
    ----------
    found : Uses
        What the program uses.
    tree : Tree
        How it was read.
    place : callable
        The place of a line.
    local : set of str
        Modules of the program itself.
    """
    seen: Set[str] = set()
    for name, line, guarded in found.bare:
        if name in BUILTINS and not guarded and name not in seen and not (name == 'reduce' and found.stars):
            seen.add(name)
            yield finding('python2-name', place(line), f'{name} is a name of Python 2', f'write {BUILTINS[name]}')
    for name, line, guarded in found.attributes:
        if name in METHODS and not guarded and name not in seen:
            seen.add(name)
            yield finding('python2-name', place(line), f'.{name}() is of Python 2', f'write {METHODS[name]}')
    for use in found.names:
        if use.guarded or use.name.split('.')[0] in local:
            continue
        for rule, table in ('python2-name', MODULES), ('python-removed', REMOVED):
            name = _longest(use.name, table)
            if name and name not in seen:
                seen.add(name)
                reason = 'is of Python 2' if rule == 'python2-name' else 'is gone from Python'
                yield finding(rule, place(use.line), f'{name} {reason}', f'write {table[name]}')
    if tree.python2 and found.divisions:
        lines = sorted(set(found.divisions))
        yield finding('python2-division', place(lines[0]), severity=DIFFERS)


def _longest(name: str, table: object) -> str:
    """The longest part of a name, from its start, that is in a table; '' if there is none."""
    words = name.split('.')
    for count in range(len(words), 0, -1):
        prefix = '.'.join(words[:count])
        if prefix in table:  # type: ignore[operator]
            return prefix
    return ''
