"""Programs under the launcher of Keras 2, in processes of their own."""

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import tempfile

from processes import ENGINE, LIMIT, environment, given_path, python


def launch(*arguments, **options):
    """Run `python -m keras_backend.keras2` on this engine, in a folder; returns what `python` returns.

    Options: `cwd`, and `home` for the settings. What is on PYTHONPATH here is there, too.
    """
    path = given_path()
    return python('-W', 'ignore', '-m', 'keras_backend.keras2', *arguments, backend=ENGINE, path=path, **options)


class _WarmStart:
    """The process that has imported the libraries of programs, and the forks that it makes: warm_start.py."""

    def __init__(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'warm_start.py')
        # CNTK, and Theano on newer Pythons, can be imported by their engines only.
        libraries = [ENGINE] if ENGINE in ('tensorflow', 'torch') else []
        modules = ['numpy', 'scipy.ndimage', 'scipy.linalg', 'h5py', 'yaml', 'PIL.Image', *libraries]
        self._folder = tempfile.TemporaryDirectory()
        self._process = subprocess.Popen(
            [sys.executable, '-W', 'ignore', script, *modules],
            env=environment(self._folder.name, path=given_path()),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        atexit.register(self._end)

    def _end(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._folder.cleanup()

    def run(self, arguments, cwd, variables):
        """(exit status, stdout, stderr) of a program."""
        files = [os.path.join(self._folder.name, name) for name in ('out', 'err')]
        request = dict(zip(('out', 'err'), files), arguments=arguments, cwd=cwd, environment=variables)
        self._process.stdin.write(json.dumps(request).encode() + b'\n')
        self._process.stdin.flush()
        # What is read is unbuffered: select would not see a line that is in a buffer.
        child = int(self._line())
        late = not select.select([self._process.stdout], [], [], LIMIT)[0]
        if late:
            os.kill(child, signal.SIGKILL)
        status = int(self._line())
        assert not late, f'{arguments} ran for more than {LIMIT} seconds'
        said = []
        for name in files:
            with open(name, 'rb') as stream:
                said.append(stream.read().decode('utf-8'))
        return (status, *said)

    def _line(self):
        line = b''
        while not line.endswith(b'\n'):
            more = os.read(self._process.stdout.fileno(), 1)
            assert more, 'the process that starts programs has ended'
            line += more
        return line


_warm_starts = []


def launch_program(*arguments, **options):
    """What `launch` does, in a fork of a process that has imported the engine's library, where there is `os.fork`.

    The program imports keras_backend and Keras itself. To import TensorFlow takes longer than most programs.
    """
    if not hasattr(os, 'fork'):
        return launch(*arguments, **options)
    if not _warm_starts:
        _warm_starts.append(_WarmStart())
    cwd = str(options.pop('cwd'))
    variables = environment(backend=ENGINE, path=given_path(), **options)
    return _warm_starts[0].run(arguments, cwd, variables)
