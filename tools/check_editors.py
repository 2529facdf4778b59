"""Check what editors and type checkers say of K: they lead from a name to the contract, and refuse wrong calls.

python tools/check_editors.py     exits with 1 and names what is wrong; it needs mypy and basedpyright

Hovering over `K.conv2d` in an editor with pyright has to show the docstring of the contract, "go to definition" has to
end in its file. mypy has the latter alone, and takes a while: one name in five is asked.
"""

import json
import os
import subprocess
import sys
import tempfile
from typing import Any, Dict, Iterable, Iterator, List

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)
from keras_backend.contract import CONTRACT  # noqa: E402

# Where an import of the stub leads for names that are none of the contract.
OTHERS = {'load': 'loader.py', 'compare': 'comparison.py', 'export': os.path.join('exporting', 'export.py')}
WRONG = """\
import keras_backend as K
x = K.ones((2, 3))
K.conv2d(x, x, border_mode='same')
K.conv2d(x, x, 1, 'same', None, 1, 7)
K.conv1d(x, x, stride=2)
K.dot(x)
K.reshape(x, shape='ab', size=3)
K.foo
K.export(x, 3)
"""
RIGHT = """\
import keras_backend as K
def layer(x: K.Tensor, size: int = 3) -> K.Tensor:
    return K.relu(K.dot(x, K.ones((size, 2)))) * 2 + 1
x = K.placeholder((None, 3))
f = K.function([x], [layer(x)])
f([[[1.0, 2.0, 3.0]]])
K.conv2d(x, x, (2, 2), padding='same', data_format='channels_last')
K.load('numpy').ones((2,))
K.supports('ctc_decode')
K.export(f, 'f.onnx', check=False)
"""


class Pyright:
    """The language server of pyright, asked about one file."""

    def __init__(self, folder: str) -> None:
        self.number, self.uri = 0, f'file://{folder}/user.py'
        command = os.path.join(os.path.dirname(sys.executable), 'basedpyright-langserver')
        self.process = subprocess.Popen([command, '--stdio'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        root = {'uri': f'file://{folder}', 'name': 'user'}
        self.ask('initialize', processId=None, rootUri=root['uri'], workspaceFolders=[root], capabilities={})
        self.say('initialized')

    def say(self, method: str, **parameters: Any) -> None:
        """Tell it something."""
        self._send({'jsonrpc': '2.0', 'method': method, 'params': parameters})

    def ask(self, method: str, **parameters: Any) -> Any:
        """Its answer. What it asks meanwhile gets an empty answer for each item."""
        self.number += 1
        self._send({'jsonrpc': '2.0', 'id': self.number, 'method': method, 'params': parameters})
        while True:
            message = self._receive()
            if message.get('id') == self.number and 'method' not in message:
                return message.get('result')
            if 'method' in message and 'id' in message:
                items = message.get('params', {}).get('items', [])
                self._send({'jsonrpc': '2.0', 'id': message['id'], 'result': [{} for _ in items]})

    def at(self, method: str, line: int, column: int) -> Any:
        """What it says about a place of the file."""
        place = {'line': line, 'character': column}
        return self.ask(f'textDocument/{method}', textDocument={'uri': self.uri}, position=place)

    def _send(self, message: Dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b'Content-Length: %d\r\n\r\n' % len(body) + body)
        self.process.stdin.flush()

    def _receive(self) -> Dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        for line in iter(self.process.stdout.readline, b'\r\n'):
            if not line:
                raise SystemExit('pyright has ended')
            if line.lower().startswith(b'content-length:'):
                length = int(line.split(b':')[1])
        message: Dict[str, Any] = json.loads(self.process.stdout.read(length))
        return message


def files() -> Dict[str, str]:
    """The file in which each name is defined."""
    places = {name: os.path.join('contract', f'{entry.topic}.py') for name, entry in CONTRACT.items()}
    return {name: os.path.join(ROOT, 'keras_backend', path) for name, path in {**places, **OTHERS}.items()}


def using(names: Iterable[str]) -> str:
    """A program that says each name, the first on its second line."""
    return 'import keras_backend as K\n' + ''.join(f'K.{name}\n' for name in names)


def of_pyright(folder: str) -> Iterator[str]:
    """What its editor shows that it should not."""
    paths = files()
    program = dict(languageId='python', version=1, text=using(paths))
    editor = Pyright(folder)
    editor.say('textDocument/didOpen', textDocument={'uri': editor.uri, **program})
    for number, (name, path) in enumerate(paths.items(), 1):
        if name in CONTRACT:
            # Editors show Markdown, in which some characters have a backslash.
            shown = editor.at('hover', number, 3)['contents']['value'].replace('\\', '')
            if (CONTRACT[name].doc or '').strip().splitlines()[0].split('`')[0] not in shown:
                yield f'pyright does not show the docstring of K.{name}'
        places = [place['uri'] for place in editor.at('definition', number, 3)]
        if places != [f'file://{path}']:
            yield f'pyright leads from K.{name} to {places}'
    editor.process.kill()


def of_mypy(folder: str) -> Iterator[str]:
    """Where mypy leads, for one name in five."""
    paths = dict(list(files().items())[::5])
    with open(os.path.join(folder, 'ways.py'), 'w', encoding='utf-8') as file:
        file.write(using(paths))

    def daemon(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, '-m', 'mypy.dmypy', '--status-file', 'status.json', *arguments],
            cwd=folder,
            env={**os.environ, 'MYPYPATH': ROOT},
            stdout=subprocess.PIPE,
        )
        return done.stdout.decode()

    daemon('start', '--', '--implicit-optional')
    daemon('check', '--export-types', 'ways.py')
    for number, (name, path) in enumerate(paths.items(), 2):
        said = daemon('inspect', '--show', 'definition', f'ways.py:{number}:3')
        if not said.startswith(f'{path}:') or not said.rstrip().endswith(f':{name}'):
            yield f'mypy leads from K.{name} to {said!r}'
    daemon('stop')


def errors(folder: str, text: str, command: List[str]) -> List[int]:
    """The lines in which a checker finds errors."""
    path = os.path.join(folder, 'checked.py')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    environment = {**os.environ, 'MYPYPATH': ROOT}
    done = subprocess.run([*command, path], cwd=folder, env=environment, stdout=subprocess.PIPE)
    found = [line.split('checked.py:')[1] for line in done.stdout.decode().splitlines() if 'checked.py:' in line]
    return sorted({int(rest.split(':')[0]) for rest in found if ' error' in rest})


def of_calls(folder: str) -> Iterator[str]:
    """Calls that a checker judges wrongly."""
    checkers = {
        'mypy': [sys.executable, '-m', 'mypy', '--implicit-optional'],
        'pyright': [os.path.join(os.path.dirname(sys.executable), 'basedpyright'), '--level', 'error'],
    }
    # All lines but the first two.
    programs = [(RIGHT, []), (WRONG, list(range(3, len(WRONG.splitlines()) + 1)))]
    for name, command in checkers.items():
        for text, wanted in programs:
            found = errors(folder, text, command)
            if found != wanted:
                yield f'{name} finds errors in the lines {found}, and they are in {wanted}, of:\n{text}'


def main() -> int:
    """Check all of it; return 1 if something is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        with open(os.path.join(folder, 'pyrightconfig.json'), 'w', encoding='utf-8') as file:
            json.dump({'extraPaths': [ROOT], 'typeCheckingMode': 'standard'}, file)
        wrong = [*of_pyright(folder), *of_mypy(folder), *of_calls(folder)]
    print('\n'.join([*wrong, f'{len(wrong)} wrong']))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
