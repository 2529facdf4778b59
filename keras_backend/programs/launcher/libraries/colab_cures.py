"""A stand-in for `google.colab`, which lies in notebooks of Colab alone. Each function says what it did instead."""

import importlib
import os
import sys
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, Optional

from .giving import give, made_up, of_functions

_PROGRAMS = '.py', '.ipynb'


def modules(sys: ModuleType) -> str:
    """Give `google.colab` where it is not installed: drives, files, secrets and pictures are those of this machine."""
    made_up('google', _namespace)
    made_up('google.colab', _colab)
    for name, fill in _PARTS.items():
        made_up(f'google.colab.{name}', fill)
    return 'google.colab'


def _say(text: str) -> None:
    sys.stderr.write(f'google.colab: {text}\n')


def _namespace(module: ModuleType) -> None:
    """`google`: packages of several distributions lie in it."""
    vars(module)['__path__'] = []


def _colab(module: ModuleType) -> None:
    """`google.colab`: its parts are modules of their own."""
    _namespace(module)
    vars(module)['__getattr__'] = _part


def _part(name: str) -> ModuleType:
    """A part that was not imported by its name: `google.colab.drive` after `import google.colab`."""
    if name not in _PARTS:
        raise AttributeError(f'google.colab has no {name} here; it has {", ".join(_PARTS)}')
    return importlib.import_module(f'google.colab.{name}')


# -- drives and files --------------------------------------------------------------------------------------------------


def mount(mountpoint: str, *args: Any, **kwargs: Any) -> None:
    """`drive.mount`: there is no drive to mount."""
    there = 'it is a folder here' if os.path.isdir(mountpoint) else 'put what the program reads there beside it'
    _say(f'drive.mount({mountpoint!r}) mounts nothing; {there}.')


def flush_and_unmount(*args: Any, **kwargs: Any) -> None:
    """`drive.flush_and_unmount`: nothing was mounted."""


class Uploaded(Dict[str, bytes]):
    """What `files.upload` gives: name -> bytes. A file is read when its bytes are asked for."""

    def __init__(self) -> None:
        names = sorted(os.listdir('.'))
        super().__init__((name, b'') for name in names if _is_data(name))

    def __getitem__(self, name: str) -> bytes:
        try:
            with open(name, 'rb') as stream:
                return stream.read()
        except OSError as error:
            raise KeyError(f'{name} was to be uploaded; put it into {os.getcwd()}') from error

    def get(self, name: str, default: Any = None) -> Any:
        """The bytes of a file, or the default."""
        return self[name] if os.path.isfile(name) else default

    def values(self) -> Any:
        """The bytes of all files."""
        return [self[name] for name in self]

    def items(self) -> Any:
        """The names and the bytes of all files."""
        return [(name, self[name]) for name in self]


def _is_data(name: str) -> bool:
    return os.path.isfile(name) and not name.startswith('.') and not name.endswith(_PROGRAMS)


def upload(*args: Any, **kwargs: Any) -> Uploaded:
    """`files.upload`: the files that lie in the folder of the run, without programs."""
    uploaded = Uploaded()
    _say(f'files.upload() takes what lies in {os.getcwd()}: {", ".join(uploaded) or "no file"}.')
    return uploaded


def upload_file(filename: str, *args: Any, **kwargs: Any) -> str:
    """`files.upload_file`: the file lies in the folder of the run."""
    _say(f'files.upload_file({filename!r}) takes the one in {os.getcwd()}.')
    return filename


def download(filename: str) -> None:
    """`files.download`: the file stays where it is."""
    if not os.path.exists(filename):
        raise FileNotFoundError(f'Cannot find file: {filename}')
    _say(f'files.download({filename!r}): it lies at {os.path.abspath(filename)}.')


def view(filepath: str) -> None:
    """`files.view`: the path is said."""
    _say(f'files.view({filepath!r}): it lies at {os.path.abspath(filepath)}.')


# -- users and pictures ------------------------------------------------------------------------------------------------


def authenticate_user(*args: Any, **kwargs: Any) -> None:
    """`auth.authenticate_user`: nobody is asked."""
    _say('auth.authenticate_user() does nothing; services of Google need credentials of this machine.')


class SecretNotFoundError(Exception):
    """A secret that is no environment variable."""


class NotebookAccessError(Exception):
    """The notebook may not read a secret. It is never raised here."""


def get(key: str) -> str:
    """`userdata.get`: the environment variable of this name."""
    if key not in os.environ:
        raise SecretNotFoundError(f'Secret {key} does not exist; set the environment variable {key}.')
    return os.environ[key]


def cv2_imshow(a: Any) -> None:
    """`patches.cv2_imshow`: the picture is written into a file."""
    import cv2  # the program has it from the same package

    number = 1
    while os.path.exists(f'cv2_imshow-{number}.png'):
        number += 1
    cv2.imwrite(f'cv2_imshow-{number}.png', a)
    _say(f'cv2_imshow writes {os.path.abspath(f"cv2_imshow-{number}.png")}.')


def _nothing(name: str) -> Callable[..., None]:
    def called(*args: Any, **kwargs: Any) -> None:
        return None

    called.__name__ = called.__qualname__ = name
    called.__doc__ = f'`{name}` of Colab: it changes the page of the notebook, and there is none.'
    return called


class _Widget:
    """A part of the page of a notebook, which is not there: any method does nothing, and it can stand in `with`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.value = kwargs.get('value')

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith('__'):
            raise AttributeError(name)
        return _nothing(name)

    def __enter__(self) -> '_Widget':
        return self

    def __exit__(self, *args: Any) -> None:
        return None

    def __iter__(self) -> Iterator[Any]:
        return iter(())


def _table(dataframe: Any, *args: Any, **kwargs: Any) -> Any:
    """`data_table.DataTable`: the table itself."""
    return dataframe


def _filled(names: Dict[str, Any], doc: str) -> Callable[[ModuleType], Any]:
    def fill(module: ModuleType) -> str:
        return give(module, names)

    fill.__doc__ = doc
    return fill


def _silent(*names: str) -> Dict[str, Any]:
    return {name: _nothing(name) for name in names}


_Fill = Callable[[ModuleType], Optional[str]]
_PARTS: Dict[str, _Fill] = {
    'drive': _filled(of_functions(mount, flush_and_unmount), 'The drive of a user of Colab.'),
    'files': _filled(of_functions(upload, upload_file, download, view), 'Files of the browser of a user of Colab.'),
    'auth': _filled(of_functions(authenticate_user), 'Credentials of a user of Colab.'),
    'userdata': _filled(
        {**of_functions(get), 'SecretNotFoundError': SecretNotFoundError, 'NotebookAccessError': NotebookAccessError},
        'Secrets of a user of Colab.',
    ),
    'patches': _filled(of_functions(cv2_imshow), 'Pictures of OpenCV in Colab.'),
    'output': _filled(
        _silent('clear', 'eval_js', 'register_callback', 'enable_custom_widget_manager', 'serve_kernel_port_as_iframe'),
        'The page of a notebook of Colab.',
    ),
    'runtime': _filled(_silent('unassign'), 'The machine of Colab.'),
    'widgets': _filled(dict.fromkeys(('Grid', 'TabBar', 'Tab'), _Widget), 'Parts of the page of a notebook.'),
    'data_table': _filled(
        {'DataTable': _table, **_silent('enable_dataframe_formatter', 'disable_dataframe_formatter')},
        'Tables in Colab.',
    ),
}
