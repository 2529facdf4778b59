"""A program that reads model files, and prints what Python's audit hooks see: what was run, imported, written, sent.

    python audited.py FOLDER WAY [WAY ...]

FOLDER: `harmless` and `hostile`, two folders of files, and `out`, into which a way may write. The harmless ones are
read first, so that all modules are there which a reading needs. WAY: a name of `ways`.
"""

import contextlib
import io
import json
import os
import sys
import warnings

# What a reading has no reason for. `exec` and `compile` are watched apart: libraries compile code of their own.
_RUNS = (
    'import', 'pickle.find_class', 'marshal.load', 'os.system', 'os.exec', 'os.posix_spawn', 'os.spawn', 'os.fork',
    'os.mkdir', 'os.remove', 'os.rename', 'os.rmdir', 'os.chmod', 'shutil.', 'subprocess.', 'socket.', 'ctypes.dlopen',
    'code.__new__', 'function.__new__', 'urllib.Request', 'webbrowser.open',
)  # fmt: skip
# What writes files, as `save` does on purpose.
_WRITES = ('os.mkdir', 'os.remove', 'os.rename', 'os.rmdir', 'os.chmod', 'shutil.', 'open')
# Parts of libraries that are read already, which none of the harmless files needs. No file says which.
_OF_THE_READER = ('keras_backend.', 'keras.')
# PyTorch gives a name to each function that it decorates, those of the parts of Keras, too.
_DECORATED = os.path.join('torch', 'utils', '_contextlib.py')
# What reads the compiled files of modules.
_IMPORTING = '<frozen importlib._bootstrap_external>'
_seen = []
_watching = _writing = False
_allowed = ''


def hook(event, arguments):
    """Note an event while a file is read."""
    if not _watching or (_writing and event.startswith(_WRITES)):
        return
    if event == 'open':
        path, mode, flags = arguments
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) if isinstance(flags, int) else 'r' not in str(mode)
        if writes and not str(path).startswith(_allowed):
            _seen.append(['open for writing', repr(path)[:100]])
    elif event in ('exec', 'compile'):
        name = arguments[0].co_filename if event == 'exec' else str(arguments[1])
        if not os.path.exists(name) and not name.startswith('<'):
            _seen.append([event, name[:100]])
    elif event == 'import' and str(arguments[0]).startswith(_OF_THE_READER):
        return
    elif event == 'marshal.loads' and sys._getframe(1).f_code.co_filename == _IMPORTING:
        # The compiled file of a module. That it is imported is an event of its own.
        return
    elif event == 'code.__new__' and str(arguments[1]).endswith(_DECORATED):
        return
    elif event.startswith(_RUNS):
        _seen.append([event, repr(arguments)[:150]])


def _summary(path, out):
    from keras_backend.commands import model as command

    command.run(path, None, 'theano', None, None, False, lambda line: None)


def _function(path, out):
    from keras_backend import files

    files.function(path, engine='theano')


def _predict(path, out):
    import numpy as np

    from keras_backend import files
    from keras_backend.commands import model as command

    file = files.read(path, engine='theano')
    inputs = command._examples(file)
    np.savez(os.path.join(out, 'x.npz'), **{f'x{number}': one for number, one in enumerate(inputs)})
    command.run(path, None, 'theano', [os.path.join(out, 'x.npz'), os.path.join(out, 'y.npz')], None, False, str)


def _load(path, out):
    import keras_backend.files

    keras_backend.files.load(path, engine='theano')


def _save(path, out):
    from keras_backend.commands import model as command

    command.run(path, None, 'theano', None, os.path.join(out, 'saved.keras'), False, lambda line: None)


def _load_model(path, out):
    from keras.models import load_model

    from keras_backend.programs.on_keras3.saved_models import is_older

    # Keras opens its own files itself.
    if is_older(path):
        load_model(path)


ways = {
    'summary': _summary, 'function': _function, 'predict': _predict, 'load': _load, 'save': _save,
    'load_model': _load_model,
}  # fmt: skip


def read(way, path, out):
    """Read a file. Result: the kind of error, '' for none."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter('ignore')
        try:
            way(path, out)
        except Exception as error:
            return type(error).__name__
    return ''


def main(folder, names):
    """Read all files by all ways, and print what was seen as JSON."""
    global _watching, _writing, _allowed
    sys.addaudithook(hook)
    out = os.path.join(folder, 'out')
    _allowed = out
    found = {'events': [], 'read': 0, 'opened': 0}
    for name in names:
        _writing = name == 'save'
        for kind in ('harmless', 'hostile'):
            for part in sorted(os.listdir(os.path.join(folder, kind))):
                path = os.path.join(folder, kind, part)
                _watching = kind == 'hostile'
                error = read(ways[name], path, out)
                _watching = False
                found['read'] += kind == 'hostile'
                found['opened'] += kind == 'hostile' and not error
                if _seen:
                    found['events'].append([name, part, error, list(_seen)])
                    _seen.clear()
    print('seen:', json.dumps(found))


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])
