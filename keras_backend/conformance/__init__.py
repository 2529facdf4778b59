"""The tests that every engine passes. Anyone can run them on any engine.

    python -m keras_backend check my_package.my_engine

This runs the tests and prints a table of all K functions: whether a function is present, composed or missing, and how
many tests passed and failed. pytest runs the same tests: `pytest keras_backend/conformance --engine NAME`.
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
    """Run the conformance tests on `engine`.

    Parameters
    ----------
    engine : str
        The name of a built-in engine, an entry point or a dotted module, as for `keras_backend.load`.
    extra_args : sequence of str
        Further arguments for pytest, e.g. ('-k', 'conv2d', '--tb=short').
    expected : str, optional
        A file of expected failures, one `test id: reason` a line. Built-in engines have their own files.
    stream : file, optional
        The file that the report is written to. None means standard output.

    Returns
    -------
    int
        0 if each test passed, failed as expected, or covers a function that the engine says it lacks.
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
        # One argument. pytest does not know the option yet, and would look for a conftest in a separate path.
        args.append('--expected=' + expected)
    with _throwaway_storage(), contextlib.redirect_stdout(stream):
        return int(pytest.main(args + list(extra_args)))


@contextlib.contextmanager
def _throwaway_storage():
    """Keep hypothesis from making a `.hypothesis` folder in the working folder of the user."""
    from hypothesis import configuration

    with tempfile.TemporaryDirectory() as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(None)
