"""The record of a run: a folder with `events.jsonl`, arrays as .npz, and `end.json`."""

import io
import json
import os
import sys
import threading

import numpy as np

# Of a larger array, a sample is kept: it tells a difference as well, and the record stays small.
LARGEST = 200000


class Stop(BaseException):
    """Ends a program that has made its steps. It is no Exception, so that programs do not catch it."""


def kept(value):
    """An array for the record, or None for what is no array of numbers."""
    try:
        array = np.asarray(value)
    except Exception:  # noqa: BLE001 - of any library: an iterator, a sparse matrix
        return None
    if array.dtype.kind not in 'fiub':
        if array.dtype.name != 'bfloat16':
            return None
        array = array.astype('float32')
    if array.size > LARGEST:
        array = array.ravel()[:: array.size // LARGEST]
    return array


def changed(value, control):
    """A float array with the last digit of float32 changed in two thirds of the places; other values as they are.

    control: the number of the run with changed digits, from 1; 0 changes nothing.
    """
    if not control or not isinstance(value, (np.ndarray, np.floating)) or value.dtype.kind != 'f':
        return value
    signs = np.random.RandomState(value.size % 1000 + 1000 * control).randint(-1, 2, 1009)
    signs = np.resize(signs, value.size).reshape(value.shape)  # NumPy before 1.20 resizes to no shape of a scalar
    return (value * (1 + 1.2e-7 * signs)).astype(value.dtype)


class Record(object):
    """Writes events into a folder. Each process that is forked from this one writes nothing."""

    def __init__(self, folder, steps, stop):
        self.folder, self.steps, self._stop = folder, steps, stop
        self._owner, self._lock, self._number, self._notes = os.getpid(), threading.Lock(), 0, []
        self._stream = io.open(os.path.join(folder, 'events.jsonl'), 'w', encoding='utf-8')

    def note(self, text):
        """Keep a sentence for the report."""
        if text not in self._notes:
            self._notes.append(text)

    def event(self, kind, name, call, outputs, inputs=(), step=False):
        """Write an event.

        kind: 'call', 'weights' or 'draw'. name: of the function or model. call: its number, from 1. outputs, inputs:
        pairs of a name and a value. step: whether variables change.
        """
        if os.getpid() != self._owner:
            return
        with self._lock:
            number = self._number = self._number + 1
            line = {'number': number, 'kind': kind, 'name': name, 'call': call, 'step': step}
            arrays = {}
            for side, pairs in ('outputs', outputs), ('inputs', inputs):
                line[side] = []
                for label, value in pairs:
                    array = kept(value)
                    if array is not None:
                        arrays['%s%d' % (side, len(line[side]))] = array
                        line[side].append(label)
            np.savez(os.path.join(self.folder, '%06d.npz' % number), **arrays)
            self._write(line)

    def _write(self, line):
        text = json.dumps(line)
        self._stream.write(text if isinstance(text, type('')) else text.decode('ascii'))
        self._stream.write('\n')
        self._stream.flush()

    def after_step(self, call):
        """Stop the program if it was asked for, and this was the last step that is recorded."""
        if self._stop and call >= self.steps:
            raise Stop('the program was stopped after %d steps' % call)

    def end(self, status, error):
        """Write how the program ended."""
        if os.getpid() != self._owner:
            return
        with open(os.path.join(self.folder, 'end.json'), 'w') as stream:
            json.dump({'status': status, 'error': error, 'notes': self._notes, 'versions': versions()}, stream)


def versions():
    """The versions of Python and of the libraries that were imported."""
    library_versions = {'Python': '%d.%d.%d' % sys.version_info[:3]}
    for name in ('numpy', 'keras', 'tf_keras', 'tensorflow', 'jax', 'torch', 'theano', 'pytensor', 'keras_backend'):
        version = getattr(sys.modules.get(name), '__version__', None)
        if isinstance(version, str):
            # A launcher may tell programs an older version of TensorFlow.
            library_versions[name] = (name == 'tensorflow' and _installed('tensorflow', 'tensorflow-cpu')) or version
    return library_versions


def _installed(*packages):
    """The version of the first of these packages that is installed, or ''."""
    try:
        from importlib import metadata
    except ImportError:  # before Python 3.8
        return ''
    for package in packages:
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return ''


# -- imports of the program --------------------------------------------------------------------------------------------
# Calls an action after each import of the program that is complete, on Python 2 and 3.


try:
    import builtins
except ImportError:  # Python 2
    import __builtin__ as builtins


def after_imports(action):
    """Call an action after each import statement that is not inside of another."""
    original = builtins.__import__
    inside = threading.local()

    def importing(*args, **kwargs):
        inside.depth = getattr(inside, 'depth', 0) + 1
        try:
            return original(*args, **kwargs)
        finally:
            inside.depth -= 1
            if not inside.depth and sys.exc_info()[0] is None:
                inside.depth += 1
                try:
                    action()
                finally:
                    inside.depth -= 1

    builtins.__import__ = importing


def complete(name):
    """The module of this name if its import has ended, else None."""
    module = sys.modules.get(name)
    spec = getattr(module, '__spec__', None)
    return None if module is None or getattr(spec, '_initializing', False) else module
