"""The tests that every engine passes, runnable by anyone on any engine.

    python -m keras_backend check my_package.my_engine

runs them and prints, per K function, whether it is the engine's own, a composite or missing, and how many tests
passed and failed. The same tests run under pytest itself: `pytest keras_backend/conformance --engine NAME`.
"""

import contextlib
import importlib.util
import os
import sys
import tempfile

__all__ = ['run']

HERE = os.path.dirname(os.path.abspath(__file__))
USAGE = 2


def run(engine, extra_args=(), expected=None, stream=None):
    """Runs the conformance tests on `engine`.

    Parameters
    ----------
    engine : str
        A built-in engine name, an entry point or a dotted module: what `keras_backend.load` accepts.
    extra_args : sequence of str
        Further arguments for pytest, e.g. ('-k', 'conv2d', '--tb=short').
    expected : str, optional
        A file of expected failures, one `test id: reason` a line. The built-in engines have their own.
    stream : file, optional
        Where the report goes; standard output if None.

    Returns
    -------
    int
        0 if all tests passed, failed as expected or covered a function that the engine says it lacks.
    """
    stream = stream or sys.stdout
    absent = [name for name in ('pytest', 'hypothesis') if importlib.util.find_spec(name) is None]
    if absent:
        stream.write(f'The conformance tests need {" and ".join(absent)}; type: pip install "keras_backend[test]"\n')
        return USAGE
    import pytest

    from ..errors import KerasBackendError
    from ..loader import load

    try:
        load(engine)
    except KerasBackendError as error:
        stream.write(f'{error}\n')
        return USAGE
    args = [
        HERE,
        '-c',
        os.path.join(HERE, 'pytest.ini'),
        '--rootdir',
        HERE,
        '-p',
        'no:cacheprovider',
        '-q',
        '-rN',
        '--tb=no',
        '--no-header',
        '--disable-warnings',
        '--engine=' + engine,
    ]
    if expected is not None:
        # One argument: before it knows the option, pytest would take the path for a place with a conftest of its own.
        args.append('--expected=' + expected)
    with _throwaway_storage(), contextlib.redirect_stdout(stream):
        return int(pytest.main(args + list(extra_args)))


@contextlib.contextmanager
def _throwaway_storage():
    """Keeps hypothesis from leaving a `.hypothesis` folder where the user happens to stand."""
    from hypothesis import configuration

    with tempfile.TemporaryDirectory() as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(None)
