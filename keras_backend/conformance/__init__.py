"""The tests that every engine passes. Anyone can run them on any engine.

    python -m keras_backend check my_package.my_engine

This runs the tests and prints a table of all K functions: whether a function is present, composed or missing, and how
many tests passed and failed. pytest runs the same tests: `pytest keras_backend/conformance --engine NAME`.
`--report FILE.json` also writes the counts by topic to a file, which others can read and compare. `--write-expected
FILE` writes the list of the tests that fail on an engine.
"""

import contextlib
import importlib.util
import io
import os
import sys
import tempfile

from ..basics.exit_status import in_words
from ..basics.installed import requirement

__all__ = ['run', 'support']

HERE = os.path.dirname(os.path.abspath(__file__))
USAGE = 2
STOPPED = 130
# The statuses of pytest -> ours. 4 is wrong usage, 5 is that no test was chosen.
STATUSES = {2: STOPPED, 3: 1, 4: USAGE, 5: USAGE}


def run(engine, extra_args=(), expected=None, stream=None, plugins=(), through=None, report=None, write_expected=None):
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
    plugins : sequence
        Further plugins of pytest, which see the run.
    through : str, optional
        The name of a format of `keras_backend.export`, e.g. 'onnx'. Each function of a case becomes a file, and the
        file runs in its place.
    report : str, optional
        The file that the counts by topic are written to, as JSON. docs/engine-reports.md says what is in it.
    write_expected : str, optional
        The file that a new list of expected failures is written to: those of `expected`, else of the file itself, that
        still fail, with their reasons, and those that the run finds.

    Returns
    -------
    int
        0 if each test passed, failed as expected, or covers a function that the engine says it lacks, or if the list of
        expected failures was written. 1 if not, 2 if the tests cannot be run, 130 after Ctrl-C.
    """
    stream = stream or sys.stdout
    absent = [name for name in ('pytest', 'hypothesis') if importlib.util.find_spec(name) is None]
    if absent:
        command = f'pip install "{requirement("test")}"'
        stream.write(f'The conformance tests need {" and ".join(absent)}; type: {command}\n')
        return USAGE
    import pytest

    from ..errors import KerasBackendError
    from ..exporting.export import module_of
    from ..loader import load
    from ._results import Results, refuse_list, refuse_place
    from ._writing import Writing

    try:
        namespace = load(engine)
        if through is not None:
            module_of(through)
            _need_graph(namespace, through)
        if report is not None:
            refuse_place(report)
        if write_expected is not None:
            refuse_place(write_expected, '--write-expected', 'expected.txt')
            if expected is None and os.path.exists(write_expected):
                expected = write_expected
        if expected is not None:
            refuse_list(expected)
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
        '--override-ini=console_output_style=classic',
        '--engine=' + engine,
    ]
    if expected is not None:
        # One argument. pytest does not know the option yet, and would look for a conftest in a separate path.
        args.append('--expected=' + expected)
    if through is not None:
        args.append('--through=' + through)
    results = None if report is None else Results(report, namespace, engine, extra_args, through)
    writing = None if write_expected is None else Writing(write_expected, expected)
    seen = list(plugins) + [plugin for plugin in (results, writing) if plugin is not None]
    with _throwaway_storage(), contextlib.redirect_stdout(stream):
        status = int(pytest.main(args + list(extra_args), plugins=seen))
    if results is not None:
        try:
            stream.write(results.finish(status) + '\n')
        except OSError as error:
            stream.write(f'{in_words(error, report)}\n')
            return USAGE
    if writing is not None:
        try:
            stream.writelines(f'{line}\n' for line in writing.finish(status))
        except OSError as error:
            stream.write(f'{in_words(error, write_expected)}\n')
            return USAGE
        status = 0 if status in (0, 1) else status
    return STATUSES.get(status, status)


def support(engine):
    """What an engine supports, and which failures are expected. No test runs: they are collected only.

    Parameters
    ----------
    engine : str
        As for `run`.

    Returns
    -------
    dict
        `engine` and `title`, the names of the engine; `functions`, a dict from each K function to its `origin`
        ('engine', 'composed', 'setting' or 'missing') and `expected`, the number of tests that are known to fail.

    Raises
    ------
    RuntimeError
        If the tests cannot be collected. The message is what pytest said.
    """
    from ..loader import load
    from ._report import Support

    info = load(engine)._engine
    plugin, output = Support(), io.StringIO()
    if run(engine, ['--collect-only'], stream=output, plugins=[plugin]):
        raise RuntimeError(output.getvalue())
    functions = {
        name: {'origin': origin, 'expected': plugin.expected.get(name, 0)} for name, origin in info.origins.items()
    }
    return {'engine': info.name, 'title': info.title, 'functions': functions}


def _need_graph(namespace, through):
    """Refuse an engine whose functions are no K graphs: nothing else becomes a file of every format."""
    from ..errors import ArgumentValueError

    if not hasattr(namespace, '_graph'):
        raise ArgumentValueError(
            f'--through {through} runs functions of the K graph, and the {namespace._engine.title} engine has graphs '
            f'of its own; type: python -m keras_backend check numpy --through {through}'
        )


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
