"""A notebook with the outputs of a run, as `--save-as` writes it: nbformat 4."""

import base64
import json
import sys
import traceback
from typing import Any, Dict, List, TextIO

from ..launcher.check.reading import decoded


class Outputs:
    """What the cells of a notebook write and show.

    Parameters
    ----------
    path : str
        The notebook that runs.
    """

    def __init__(self, path: str) -> None:
        with open(path, 'rb') as stream:
            self.book = _format_4(json.loads(decoded(stream.read())[0]))
        self.cells = [cell for cell in self.book['cells'] if cell['cell_type'] == 'code']
        for cell in self.cells:
            cell.update(outputs=[], execution_count=None)
        self.cell: Dict[str, Any] = {'outputs': []}

    def begin(self, number: int) -> None:
        """From now on, all belongs to this cell of code; the first one is 1."""
        self.cell = self.cells[number - 1]
        self.cell['execution_count'] = number

    def write(self, name: str, text: str) -> None:
        """Add what was written to 'stdout' or 'stderr'."""
        outputs = self.cell['outputs']
        if not outputs or outputs[-1].get('name') != name:
            outputs.append({'output_type': 'stream', 'name': name, 'text': []})
        outputs[-1]['text'].append(text)

    def show(self, text: str, is_result: bool) -> None:
        """Add a value that was shown, as text. is_result: whether it is that of the last expression."""
        shown: Dict[str, Any] = {'data': {'text/plain': text}, 'metadata': {}}
        if is_result:
            shown.update(output_type='execute_result', execution_count=self.cell.get('execution_count'))
        else:
            shown['output_type'] = 'display_data'
        self.cell['outputs'].append(shown)

    def picture(self, path: str) -> None:
        """Add a PNG file."""
        with open(path, 'rb') as stream:
            data = base64.b64encode(stream.read()).decode('ascii')
        self.cell['outputs'].append({'output_type': 'display_data', 'data': {'image/png': data}, 'metadata': {}})

    def error(self, error: BaseException, lines: List[str]) -> None:
        """Add the error that ended the run, with the lines of its traceback."""
        said = ''.join(traceback.format_exception_only(type(error), error)).strip()
        self.cell['outputs'].append(
            {
                'output_type': 'error',
                'ename': type(error).__name__,
                'evalue': said.partition(': ')[2],
                'traceback': [line.rstrip('\n') for line in lines],
            }
        )

    def save(self, path: str) -> None:
        """Write the notebook."""
        with open(path, 'w', encoding='utf-8') as stream:
            json.dump(self.book, stream, indent=1, ensure_ascii=False)
            stream.write('\n')


class Copied:
    """A stream that a notebook writes to; its text goes into the outputs, too."""

    def __init__(self, stream: TextIO, name: str, outputs: Outputs) -> None:
        self._stream, self._name, self._outputs = stream, name, outputs

    def write(self, text: str) -> int:
        """Write text to both."""
        self._outputs.write(self._name, text)
        return self._stream.write(text)

    def writelines(self, lines: Any) -> None:
        """Write each of some texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def copy_streams(outputs: Outputs) -> None:
    """From now on, what this process writes goes into the outputs, too."""
    sys.stdout = Copied(sys.stdout, 'stdout', outputs)
    sys.stderr = Copied(sys.stderr, 'stderr', outputs)


def _format_4(book: Dict[str, Any]) -> Dict[str, Any]:
    """A notebook in format 4. In format 3, cells lie in worksheets, and code is called input."""
    if 'cells' in book:
        return {'nbformat': 4, 'nbformat_minor': 2, 'metadata': {}, **book}
    cells = [cell for sheet in book.get('worksheets') or [] for cell in sheet.get('cells') or []]
    return {'nbformat': 4, 'nbformat_minor': 2, 'metadata': {}, 'cells': [_cell_of_format_3(cell) for cell in cells]}


def _cell_of_format_3(cell: Dict[str, Any]) -> Dict[str, Any]:
    kind = cell.get('cell_type')
    source = cell.get('input' if kind == 'code' else 'source', '')
    if kind == 'heading':
        text = source if isinstance(source, str) else ''.join(source)
        return {'cell_type': 'markdown', 'metadata': {}, 'source': '#' * int(cell.get('level', 1)) + ' ' + text}
    return {'cell_type': kind, 'metadata': cell.get('metadata') or {}, 'source': source}
