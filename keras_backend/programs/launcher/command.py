"""The commands `python -m keras_backend.keras2` and `python -m keras_backend.keras3`."""

import os
import runpy
import shlex
import sys
import textwrap
from types import FrameType
from typing import Callable, List, NamedTuple, NoReturn, Optional, Sequence, Tuple

from ...basics import installed
from ...basics.exit_status import CANNOT, MEANING, readable
from ...errors import WrongKeras
from . import rewriting


class Door(NamedTuple):
    """The command of a launcher.

    Attributes
    ----------
    package : str
        The package whose command it is.
    programs : str
        The programs that it is for.
    options : tuple of (str, str)
        Its own options before the program, with what they do.
    check : str
        The usage of its `--check`.
    check_options : tuple of (str, str)
        The options of its `--check`, with what they do.
    """

    package: str
    programs: str
    options: Tuple[Tuple[str, str], ...]
    check: str
    check_options: Tuple[Tuple[str, str], ...]

    @property
    def usage(self) -> str:
        """How the command is called."""
        before = ''.join(f'[{option}] ' for option, _ in self.options)
        return (
            f'usage: python -m {self.package} {before}(PROGRAM.py | -m MODULE) [ARGUMENT ...]\n'
            f'       python -m {self.package} --explain\n'
            f'       {self.check.replace("usage: ", "")}'
        )

    @property
    def help(self) -> str:
        """The text of `--help`."""
        options = (
            *self.options,
            ('-m MODULE', 'run a module, as `python -m MODULE` does'),
            ('--check', 'say what would stop a program, and run nothing; --check --help has its options'),
            ('--explain', 'say what is done for such programs, what of it here, and which programs need it'),
            ('-h, --help', 'show this text'),
        )
        return '\n'.join(
            [
                self.usage,
                '',
                f'Run {self.programs}.',
                'Options stand before the program; what follows it are its own arguments.',
                '',
                *_table(options),
                '',
                textwrap.fill(f'The exit status of a program that runs is its own. {MEANING}', 110),
            ]
        )

    @property
    def check_help(self) -> str:
        """The text of `--check --help`."""
        options = (
            ('PATH', 'a program with the modules beside it that it imports, a notebook, or a folder'),
            *self.check_options,
            ('--json', 'print the report as JSON: one object for one path, a list for more'),
            ('-h, --help', 'show this text'),
        )
        about = 'Say what would stop a program on this launcher, and run nothing of it.'
        return '\n'.join([self.check, '', about, '', *_table(options), '', textwrap.fill(MEANING, 110)])

    def end(self, sentence: str, with_usage: bool = False) -> NoReturn:
        """End the process, because the command cannot be carried out."""
        sys.stderr.write(f'{self.package}: {sentence}\n' + (f'{self.usage}\n' if with_usage else ''))
        sys.exit(CANNOT)


def _table(options: Sequence[Tuple[str, str]]) -> List[str]:
    width = max(len(option) for option, _ in options)
    return [f'  {option:{width}}  {meaning}' for option, meaning in options]


def about_to_run(package: str) -> bool:
    """Whether this is an import of the command itself, at the start of `python -m PACKAGE`.

    The command prepares the process later, once it knows that there is a program to run.
    """
    frame: Optional[FrameType] = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == '_run_module_as_main':
            return frame.f_locals.get('mod_name') in (package, package + '.__main__')
        frame = frame.f_back
    return False


def answer(door: Door, arguments: List[str]) -> None:
    """End the process where the command line wants help, or names no program that can be run.

    Parameters
    ----------
    door : Door
        The command.
    arguments : list of str
        The command line without the options of the launcher's own.
    """
    if arguments[:1] in (['-h'], ['--help']):
        print(door.help)
        sys.exit()
    if not arguments:
        sys.stderr.write(door.usage + '\n')
        sys.exit(CANNOT)
    path = arguments[0]
    if arguments == ['-m']:
        door.end('-m needs the name of a module.', with_usage=True)
    if path in ('-m', '--explain'):
        return
    if path.startswith('-') and not os.path.exists(path):
        door.end(f'there is no option {path}.', with_usage=True)
    if not os.path.exists(path):
        door.end(f'it cannot find the program {path!r} in {os.getcwd()}; give the path of a .py file.', with_usage=True)
    whole = f'python -m keras_backend run {shlex.quote(path)}'
    if os.path.isdir(path) and not os.path.isfile(os.path.join(path, '__main__.py')):
        door.end(f'{path} is a folder; give the path of one of its .py files, or type: {whole}')
    if path.endswith('.ipynb'):
        door.end(f'{path} is a notebook, and a launcher runs .py files; type: {whole}')
    wrong = readable(path) if os.path.isfile(path) else ''  # a pipe can be read once
    if wrong:
        door.end(wrong)


def main(door: Door, arguments: List[str], prepare: Callable[[], None], explain: Callable[[], str]) -> None:
    """Prepare the process, and run a program as `python` would; or explain.

    Parameters
    ----------
    door : Door
        The command.
    arguments : list of str
        The command line that `answer` has let through: `--explain`, or a program or `-m MODULE` and its arguments.
    prepare : callable
        Prepares this process and its children.
    explain : callable
        Gives the text of `--explain`.
    """
    try:
        prepare()
    except WrongKeras as error:
        door.end(str(error))
    if arguments[0] == '--explain':
        print(_explanation(door, explain))
    elif arguments[0] == '-m':
        _run_module(door, arguments[1:])
    else:
        path = arguments[0]
        sys.argv = arguments
        # As `python PROGRAM` does.
        sys.path[0] = os.path.abspath(path) if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))
        if os.path.isdir(path):
            runpy.run_path(path, run_name='__main__')
        else:
            rewriting.run(path)


def _explanation(door: Door, explain: Callable[[], str]) -> str:
    try:
        return explain()
    except ImportError as error:
        library = (getattr(error, 'name', None) or '').partition('.')[0]
        more = f'; type: pip install {library}' if library else ''
        door.end(f'--explain imports Keras, which fails here: {error}{more}')


def _run_module(door: Door, arguments: List[str]) -> None:
    if installed.spec(arguments[0]) is None:
        door.end(f'there is no module {arguments[0]!r} on sys.path; give the name of a module, or a .py file.')
    sys.argv = arguments
    runpy.run_module(arguments[0], run_name='__main__', alter_sys=True)
