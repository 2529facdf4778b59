"""The magics of a notebook: what each means where a notebook runs without IPython."""

import ast
import functools
import os
import re
import subprocess
import sys
import types
import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from ..launcher.check.reading import PYTHON_CELLS, without_magics

# Line magics whose rest of the line is Python.
_TIMED = re.compile(r'^(\s*)%(?:time|timeit|prun|memit)(?:\s+-\w+(?:\s+\d+)?)*\s+(?=\S)', re.M)
_ENVIRONMENT = re.compile(r'^(\s*)%(?:env|set_env)\s+(\w+)[=\s]\s*(.*)$', re.M)
_WRITEFILE = re.compile(r'^%%(?:writefile|file)\s+(?:(-a)\s+)?(\S+)\s*$')
# The functions that a cell calls in place of a magic.
SHELL_FUNCTION, MAGIC_FUNCTION = '_run_in_shell', '_run_magic'
_SHELLS = ('bash', 'sh')
# They change how a notebook looks, or what runs anyway.
QUIET = ('matplotlib', 'load_ext', 'reload_ext', 'autoreload', 'config', 'pylab', 'tensorflow_version', 'precision')


class Cell(NamedTuple):
    """A cell without its magics.

    Attributes
    ----------
    code : str
        Python, with as many lines as the cell.
    file : tuple of (str, str)
        The name and the mode of the file that the cell writes, 'w' or 'a'; ('', '') where it writes none.
    skipped : list of str
        The lines that do not run here.
    """

    code: str
    file: Tuple[str, str]
    skipped: List[str]


def cell(text: str, runs_shell: bool = False) -> Cell:
    """Read a cell. runs_shell: whether what a shell runs is to run here.

    `%time x = f()` is `x = f()`, `%env A=b` sets a variable, and `%%writefile name` writes the cell. Lines that begin
    with `!`, and other magics, are left out; those that only change how a notebook looks are not told.
    """
    first, _, rest = text.lstrip('\n').partition('\n')
    written = _WRITEFILE.match(first)
    if written is not None:
        return Cell(rest, (written.group(2), 'a' if written.group(1) else 'w'), [])
    name = first[2:].split(' ')[0] if first.startswith('%%') else ''
    if name in PYTHON_CELLS:
        text = text.replace(first, '', 1)
    if name in _SHELLS and runs_shell:
        return Cell(f'{SHELL_FUNCTION}({rest!r}, {name!r})', ('', ''), [])
    text = _TIMED.sub(r'\1', text)
    text = _ENVIRONMENT.sub(
        lambda match: f'{match.group(1)}import os; os.environ[{match.group(2)!r}] = {match.group(3)!r}', text
    )
    code, skipped = without_magics(text, functools.partial(_expression, runs_shell))
    return Cell(code, ('', ''), [line for line in skipped if not line.lstrip('%').startswith(QUIET)])


def _expression(runs_shell: bool, line: str, is_assigned: bool) -> str:
    """The Python that does what a magic does; '' where it does not run."""
    if line.startswith('!'):
        return f'{SHELL_FUNCTION}({line.lstrip("!")!r}, is_quiet={is_assigned})' if runs_shell else ''
    name, _, rest = line.lstrip('%').partition(' ')
    if line.startswith('%') and name in _OWN:
        return f'{MAGIC_FUNCTION}({name!r}, {rest!r})'
    if not line.startswith('%') or name in QUIET or _ipython() is None or _ipython().find_line_magic(name) is None:
        return ''
    return f'{MAGIC_FUNCTION}({name!r}, {rest!r})'


def is_of_shell(line: str) -> bool:
    """Whether a line is for a shell."""
    return bool(re.match(r'(?:[A-Za-z_][\w, ]*=\s*)?!', line)) or line.startswith(
        tuple(f'%%{name}' for name in _SHELLS)
    )


# -- what they run -----------------------------------------------------------------------------------------------------


def shell(namespace: Dict[str, Any], command: str, name: str = '', is_quiet: bool = False) -> Optional[List[str]]:
    """Run a command in a shell, as `!command` does.

    Parameters
    ----------
    namespace : dict
        The variables of the notebook: `{x}` and `$x` in the command are theirs.
    command : str
        The command.
    name : str
        The shell of a cell, whose text stays as it is; '' for that of the system.
    is_quiet : bool
        Whether the lines are returned, as `x = !command` does, and not shown.
    """
    arguments = [name, '-c', command] if name and os.name == 'posix' else _with_values(command, namespace)
    process = subprocess.Popen(
        arguments,
        shell=isinstance(arguments, str),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
    )
    lines = []
    for line in process.stdout or ():
        if not is_quiet:
            sys.stdout.write(line)
        lines.append(line.rstrip('\n'))
    process.wait()
    return lines if is_quiet else None


def _with_values(command: str, namespace: Dict[str, Any]) -> str:
    def value(match: 're.Match[str]') -> str:
        name = match.group(1) or match.group(2)
        return str(namespace[name]) if name in namespace else match.group(0)

    return re.sub(r'\{(\w+)\}|\$(\w+)', value, command)


def magic(namespace: Dict[str, Any], name: str, rest: str) -> Any:
    """Carry out a line magic with the variables of the notebook; IPython does those that are not known here."""
    if name in _OWN:
        return _OWN[name](_with_values(rest, namespace).strip())
    interpreter = _ipython()
    interpreter.user_ns = namespace
    return interpreter.run_line_magic(name, rest)


def _change_folder(folder: str) -> None:
    """`%cd FOLDER`. As in a notebook, the next cell runs where there is no such folder."""
    try:
        os.chdir(os.path.expanduser(folder.strip('"\'') or '~'))
    except OSError as error:
        sys.stderr.write(f'%cd {folder}: {error.strerror}; the notebook stays in {os.getcwd()}\n')
    else:
        sys.stdout.write(os.getcwd() + '\n')


def _folder(rest: str) -> str:
    """`%pwd`."""
    return os.getcwd()


_OWN: Dict[str, Callable[[str], Any]] = {'cd': _change_folder, 'pwd': _folder}


@functools.lru_cache(maxsize=None)
def _ipython() -> Any:
    """The shell of IPython; None where IPython is not there."""
    try:
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config
    except ImportError:
        return None
    config = Config()
    config.HistoryManager.enabled = False  # it would write into HOME
    hooks = sys.displayhook, sys.excepthook
    interpreter = InteractiveShell(config=config, user_module=types.ModuleType('notebook'))
    sys.displayhook, sys.excepthook = hooks
    return interpreter


def parsed(code: str) -> Optional[ast.Module]:
    """The tree of a text; None where Python 3 does not read it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            return ast.parse(code)
    except (SyntaxError, ValueError):  # the second is that of a text with a null byte
        return None


def is_python_3(text: str) -> bool:
    """Whether Python 3 reads a cell without its magics."""
    return parsed(cell(text).code) is not None
