"""The commands `python -m keras_backend.keras2` and `python -m keras_backend.keras3`."""

import os
import runpy
import sys
from types import FrameType
from typing import Callable, List, Optional, Sequence

from . import rewriting


def usage(package: str, options: str = '', more: Sequence[str] = ()) -> str:
    """How the command of a package is called. `more` has the usages of other commands of the package."""
    lines = [f'python -m {package} {options}(PROGRAM.py | -m MODULE) [ARGUMENT ...]', f'python -m {package} --explain']
    return 'usage: ' + '\n       '.join(lines + [line.replace('usage: ', '') for line in more])


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


def main(
    package: str,
    arguments: List[str],
    prepare: Callable[[], None],
    explain: Callable[[], str],
    options: str = '',
    more: Sequence[str] = (),
) -> None:
    """Prepare the process, and run a program as `python` would; or explain.

    Parameters
    ----------
    package : str
        The package whose command this is, for messages.
    arguments : list of str
        The command line: `--explain`, or a program or `-m MODULE` and its arguments.
    prepare : callable
        Prepares this process and its children.
    explain : callable
        Gives the text of `--explain`.
    options : str
        The text before the program in the usage.
    more : sequence of str
        The usages of other commands of the package.
    """
    if not arguments or arguments[0] in ('-h', '--help') or arguments == ['-m']:
        sys.exit(usage(package, options, more))
    prepare()
    if arguments == ['--explain']:
        print(explain())
    elif arguments[0] == '-m':
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name='__main__', alter_sys=True)
    else:
        if not os.path.exists(arguments[0]):
            sys.exit(
                f'{package} cannot find the program {arguments[0]!r} in {os.getcwd()}.\n{usage(package, options, more)}'
            )
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))  # as `python PROGRAM` does
        rewriting.run(arguments[0])
