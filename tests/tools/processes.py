"""Fresh interpreters for the tests: what an import does can only be seen in a process that has not done it yet."""

import os
import socket
import subprocess
import sys

import keras_backend.config

# The folder that the tested keras_backend lies in.
IMPORTED_FROM = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(keras_backend.config.__file__))))

# Whether compiled modules go to a folder of their own, as in tox: then a process compiles nothing that another has
# compiled. Where they would lie beside their sources, processes write none.
COMPILED_ELSEWHERE = sys.version_info >= (3, 8) and bool(os.environ.get('PYTHONPYCACHEPREFIX'))


def environment(home, backend=None, path=(), **variables):
    """The environment of a process whose settings live in `home`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith('KERAS_')}
    kept.update(
        KERAS_HOME=str(home),
        PYTHONIOENCODING='utf-8',
        PYTHONDONTWRITEBYTECODE=None if COMPILED_ELSEWHERE else '1',
        PYTHONPATH=os.pathsep.join([str(place) for place in path] + [IMPORTED_FROM]),
    )
    if backend is not None:
        kept['KERAS_BACKEND'] = backend
    kept.update(variables)
    return {name: value for name, value in kept.items() if value is not None}


# Seconds after which a process is ended.
LIMIT = 300


def python(*arguments, **options):
    """Run Python; returns (exit status, stdout, stderr). Options: those of `environment`, and `cwd`."""
    cwd = options.pop('cwd', None)
    process = subprocess.Popen(
        [sys.executable] + list(arguments),
        env=environment(**options),
        cwd=cwd and str(cwd),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = process.communicate(timeout=LIMIT)
    return process.returncode, out.decode('utf-8'), err.decode('utf-8')


def run(code, **options):
    """Run code that has to succeed; returns what it printed."""
    status, out, err = python('-c', code, **options)
    assert status == 0, err
    return out


def fail(code, **options):
    """Run code that has to fail; returns the last line of its traceback."""
    status, out, err = python('-c', code, **options)
    assert status == 1, (status, out, err)
    return err.strip().splitlines()[-1]


def free_port():
    """A port of this machine that nobody listens at."""
    with socket.socket() as place:
        place.bind(('127.0.0.1', 0))
        return place.getsockname()[1]


# The engine that KERAS_BACKEND names: a client names it by its module.
ENGINE = os.environ['KERAS_BACKEND'].rpartition('.')[2].replace('_backend', '')


def given_path():
    """What is on PYTHONPATH here."""
    return [place for place in os.environ.get('PYTHONPATH', '').split(os.pathsep) if place]
