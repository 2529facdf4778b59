"""A notebook, cell by cell, in the process of a launcher: `-m keras_backend.programs.run.cells NOTEBOOK`.

Each cell is a file of its own, named after the notebook and its number, so that a traceback tells both. The value of
the last expression of a cell is shown. Pictures of Matplotlib that are open after a cell go into a folder.
"""

import ast
import os
import sys
import tempfile
import traceback
import warnings
from functools import partial
from types import ModuleType
from typing import Any, Dict, Iterator, List

from ..launcher import rewriting
from ..launcher.check import translation
from ..launcher.check.reading import cells_of
from ..launcher.own_modules import python2
from .magics import MAGIC_FUNCTION, SHELL_FUNCTION, cell, is_of_shell, is_python_3, magic, parsed, shell
from .outputs import Outputs, copy_streams

_SHOW = '_show_value_of_cell'
# The variables by which `run` hands its options --save-as and --shell to this module.
SAVE_AS, SHELL = 'KERAS_BACKEND_SAVE_AS', 'KERAS_BACKEND_SHELL'


class Notebook:
    """A notebook that runs.

    Parameters
    ----------
    path : str
        The file.
    folder : str
        A folder for the files of its cells, which is emptied afterwards.
    save_as : str
        The file that gets the notebook with its outputs; '' for none.
    runs_shell : bool
        Whether lines that begin with `!` and cells of a shell run.
    """

    def __init__(self, path: str, folder: str, save_as: str = '', runs_shell: bool = False) -> None:
        self.path, self.folder, self.save_as = os.path.abspath(path), folder, save_as
        self.runs_shell = runs_shell
        self.outputs = Outputs(self.path) if save_as else None
        self.main = ModuleType('__main__')
        names = vars(self.main)
        names.update({_SHOW: self.show, 'display': self.display})
        names.update({SHELL_FUNCTION: partial(shell, names), MAGIC_FUNCTION: partial(magic, names)})
        self.pictures, self.has_true_division = 0, True
        self.lines: Dict[str, List[str]] = {}

    def run(self) -> int:
        """Run all cells up to the first error. Returns the exit status."""
        streams = sys.stdout, sys.stderr
        if self.outputs is not None:
            copy_streams(self.outputs)
        try:
            return self.run_cells()
        finally:
            sys.stdout, sys.stderr = streams
            if self.outputs is not None:
                self.outputs.save(self.save_as)

    def run_cells(self) -> int:
        """`run` without the outputs."""
        texts = [(number, text) for number, text in cells_of(self.path) if text.strip()]
        old = not all(is_python_3(text) for _, text in texts)
        self.has_true_division = any(python2.has_true_division(text) for _, text in texts)
        before, sys.modules['__main__'] = sys.modules['__main__'], self.main
        try:
            for number, text in texts:
                self.run_cell(number, text, old)
        except SystemExit as stop:
            return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        except Exception:  # noqa: BLE001 - whatever the notebook raises is told as Python does
            self.tell()
            return 1
        finally:
            sys.modules['__main__'] = before
        return 0

    def run_cell(self, number: int, text: str, old: bool) -> None:
        """Run one cell. old: whether the notebook is written in Python 2."""
        if self.outputs is not None:
            self.outputs.begin(number)
        read = cell(text, self.runs_shell)
        for line in read.skipped:
            hint = '; --shell before the notebook runs it' if is_of_shell(line) else ''
            sys.stderr.write(f'cell {number}: {line} is not run{hint}\n')
        if read.file[0]:
            with open(read.file[0], read.file[1], encoding='utf-8') as stream:
                stream.write(read.code if read.code.endswith('\n') else read.code + '\n')
            return
        code = (translation.translated(read.code) or read.code) if old else read.code
        self.lines[self._name(number)] = code.split('\n')
        for place, part in enumerate(parts(code)):
            exec(self._compiled(number, place, part, old), vars(self.main))
        self._save_pictures(number)

    def _name(self, number: int) -> str:
        return f'{os.path.basename(self.path)}, cell {number}'

    def _compiled(self, number: int, place: int, text: str, old: bool) -> Any:
        """The code of a part of a cell, changed as the launcher changes the files of a program."""
        folder = os.path.join(self.folder, str(place))
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, self._name(number))
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(text + '\n')
        if old:
            python2.note_translated(path, self.has_true_division)
        return rewriting.code_of(path) or compile(text, path, 'exec', dont_inherit=True)

    def show(self, value: Any) -> None:
        """Show the value of the last expression of a cell, which is `_` then."""
        if value is not None:
            vars(self.main)['_'] = value
            self.display(value, is_result=True)

    def display(self, *values: Any, is_result: bool = False) -> None:
        """Show values as a notebook does, as text."""
        for value in values:
            text = value if isinstance(value, str) and not is_result else repr(value)
            if self.outputs is not None:
                self.outputs.show(text, is_result)
                _stream_of(sys.stdout).write(text + '\n')
            else:
                print(text)

    def _save_pictures(self, number: int) -> None:
        plt: Any = sys.modules.get('matplotlib.pyplot')
        if plt is None or os.environ.get('MPLBACKEND') != 'Agg':
            return
        folder = os.path.splitext(self.path)[0] + '_pictures'
        for figure in plt.get_fignums():
            os.makedirs(folder, exist_ok=True)
            self.pictures += 1
            path = os.path.join(folder, f'cell-{number}-{self.pictures}.png')
            plt.figure(figure).savefig(path)
            plt.close(figure)
            print(f'cell {number}: picture {path}')
            if self.outputs is not None:
                self.outputs.picture(path)

    def tell(self) -> None:
        """Print the error that is handled now, from the cell on, with the name of the notebook for its files."""
        error = sys.exc_info()[1]
        if error is None:
            return
        frames = traceback.extract_tb(error.__traceback__)
        first = next((place for place, one in enumerate(frames) if one.filename.startswith(self.folder)), len(frames))
        lines = traceback.format_list([self._as_in_notebook(one) for one in frames[first:]])
        if isinstance(error, SyntaxError) and (error.filename or '').startswith(self.folder):
            error.filename = os.path.basename(error.filename or '')
        lines += traceback.format_exception_only(type(error), error)
        sys.stdout.flush()
        lines = ['Traceback (most recent call last):\n', *lines]
        if self.outputs is not None:
            self.outputs.error(error, lines)
        _stream_of(sys.stderr).write(''.join(lines))

    def _as_in_notebook(self, frame: traceback.FrameSummary) -> traceback.FrameSummary:
        """A frame of a cell with the name and the line of the cell, as the notebook has them."""
        if not frame.filename.startswith(self.folder) or frame.lineno is None:
            return frame
        name = os.path.basename(frame.filename)
        line = self.lines.get(name, [''] * frame.lineno)[frame.lineno - 1].strip()
        return traceback.FrameSummary(name, frame.lineno, frame.name, lookup_line=False, line=line)


def _stream_of(stream: Any) -> Any:
    """The stream without its copy: a value that is shown is no output of print."""
    return getattr(stream, '_stream', stream)


def parts(code: str) -> Iterator[str]:
    """A cell without its last expression, and that expression alone, where it has one: lines stay where they are."""
    tree = parsed(code)
    last = tree.body[-1] if tree is not None and tree.body else None
    lines = code.split('\n')
    if not isinstance(last, ast.Expr) or last.col_offset < 0:
        yield code
        return
    row = last.lineno - 1
    column = len(lines[row].encode('utf-8')[: last.col_offset].decode('utf-8'))
    # A comment may follow.
    shown = '\n'.join([''] * row + [f'{_SHOW}((' + lines[row][column:], *lines[row + 1 :], '))'])
    if parsed(shown) is None:  # a semicolon follows: it is not to be shown
        yield code
        return
    before = '\n'.join([*lines[:row], lines[row][:column].rstrip().rstrip(';')])
    if before.strip():
        yield before
    yield shown


def main(arguments: List[str]) -> int:
    """Run a notebook as `jupyter` does, in its own folder. Returns the exit status."""
    path = os.path.abspath(arguments[0])
    sys.argv = [path, *arguments[1:]]
    os.chdir(os.path.dirname(path))
    sys.path.insert(0, os.path.dirname(path))
    # A picture is saved after its cell, so there is nothing to be said of a window.
    warnings.filterwarnings('ignore', message='.*non-interactive.*cannot be shown')
    with tempfile.TemporaryDirectory() as folder:
        return Notebook(path, folder, os.environ.pop(SAVE_AS, ''), bool(os.environ.pop(SHELL, ''))).run()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
