"""The command.

python -m keras_backend                  which engine would run and why, what is installed, what is wrong
python -m keras_backend use ENGINE       choose the engine in keras.json
python -m keras_backend check MODULE     run the conformance tests on an engine
python -m keras_backend demo             train a network that reads digits
python -m keras_backend model FILE       look into a file of Keras, predict with it, write it for Keras 3
python -m keras_backend prove PROGRAM    compare the numbers of an old program, engine by engine
python -m keras_backend run PROGRAM      run an old program or notebook as it is
python -m keras_backend migrate PROGRAM  say how an old program runs today, and make a patch for it
"""

import argparse
import json
import os
import sys
from typing import Any, Callable, List, Optional, Sequence, TextIO

from . import __version__
from .basics.exit_status import CANNOT, MEANING, STOPPED, in_words
from .basics.installed import spec
from .errors import ArgumentError, ConfigError, EngineNotFound, EngineRecursion, KerasBackendError, UnreadableFileError

# Errors that say that a question cannot be answered. All others of ours are an answer.
_NO_QUESTION = (ArgumentError, ConfigError, EngineNotFound, EngineRecursion, UnreadableFileError)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Carry out a command line; returns the exit status, see `basics.exit_status`."""
    if spec('numpy') is None:
        _say(f'Each command needs NumPy, which is not installed in {sys.prefix}; type: pip install numpy', sys.stderr)
        return CANNOT
    from .programs.migrate import command as migrate

    parser = argparse.ArgumentParser(
        prog='python -m keras_backend',
        description='Without a command: which engine `import keras_backend` would use and why, each setting with its '
        'source, which engines are installed, and what is wrong with the configuration.',
        epilog='`run` takes one of two launchers, which are commands, too. python -m keras_backend.keras2 PROGRAM is '
        'for Keras 2, of 2015 to 2019. python -m keras_backend.keras3 PROGRAM is for tf.keras, of 2019 to 2023, inside '
        f'Keras 3. Each has its own --help. {MEANING}',
    )
    parser.add_argument('--version', action='version', version=f'keras_backend {__version__}')
    parser.add_argument('--json', action='store_true', help='without a command: print the same as one JSON object')
    commands = parser.add_subparsers(dest='command', metavar='COMMAND')
    named = 'a built-in engine, an entry point, or the dotted name of a module'
    use = commands.add_parser(
        'use', help='choose the engine in keras.json; all else in the file stays as it is', epilog=MEANING
    )
    use.add_argument('engine', metavar='ENGINE', help=named)
    use.add_argument('--force', action='store_true', help='also an engine that is not installed here')
    check = commands.add_parser(
        'check',
        help='run the conformance tests on an engine; print a table of what it can do',
        epilog=f'All other options are for pytest, such as -k test_dot. {MEANING}',
    )
    check.add_argument('module', metavar='MODULE', help=named)
    check.add_argument('--expected', metavar='FILE', help='expected failures, one "test id: reason" a line')
    check.add_argument(
        '--write-expected', metavar='FILE', help='write the tests that fail to this file, with the reasons that it has'
    )
    check.add_argument('--through', metavar='FORMAT', help='run each function as the file that it becomes, e.g. onnx')
    check.add_argument('--report', metavar='FILE', help='also write the counts by topic to this file, as JSON')
    demo = commands.add_parser(
        'demo', help='train a network that reads digits: a first look, in some ten seconds', epilog=MEANING
    )
    demo.add_argument('--engines', nargs='+', metavar='ENGINE', help='train on each of these, and compare them')
    demo.add_argument('--seed', type=int, default=1, help='the same seed gives the same numbers (default: %(default)s)')
    demo.add_argument('--picture', metavar='PATH', default='', help='where the picture goes (default: digits.png)')
    _add_model(commands)
    migrate.add_to(commands)
    # What follows `prove` is read by its own parser: a program has options of its own.
    commands.add_parser('prove', add_help=False, help='run an old program on engines, and compare their numbers')
    commands.add_parser('run', add_help=False, help='run a program of Keras 1, Keras 2 or tf.keras as it is')
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ['run']:
        return _run(given[1:])
    if given[:1] == ['prove']:
        return _prove(given[1:])
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != 'check':
        asked = commands.choices.get(options.command, parser)
        asked.error(f'unrecognized arguments: {" ".join(rest)}')
    if options.command == 'demo' and options.engines and options.picture:
        demo.error('--picture is for one engine, and --engines is for a comparison')
    return _stoppable(lambda: _carry_out(options, rest))


def _carry_out(options: argparse.Namespace, rest: List[str]) -> int:
    if options.command == 'use':
        return _use(options.engine, options.force)
    if options.command == 'check':
        from .conformance import run

        known = {'expected': options.expected, 'through': options.through, 'report': options.report}
        known['write_expected'] = options.write_expected
        return int(run(options.module, extra_args=rest, **known))
    if options.command == 'demo':
        return _demo(options.engines or [], options.seed, options.picture)
    if options.command == 'model':
        return _model(options)
    if options.command == 'migrate':
        from .programs.migrate import command as migrate

        return migrate.run(options, _say, lambda line: _say(line, sys.stderr))
    return _report(options.json)


def _stoppable(work: Callable[[], int]) -> int:
    """The exit status of a command, with a sentence for what goes wrong. It is 1 if nobody reads on."""
    try:
        return work()
    except KeyboardInterrupt:
        _say('Stopped.', sys.stderr)
        return STOPPED
    except BrokenPipeError:
        _stop_writing()
        return 1
    except KerasBackendError as error:
        _say(str(error), sys.stderr)
        return CANNOT if isinstance(error, _NO_QUESTION) else 1
    except OSError as error:
        _say(in_words(error), sys.stderr)
        return CANNOT


def _report(as_json: bool) -> int:
    from .commands.report import Report

    report = Report()
    try:
        for line in [json.dumps(report.data(), indent=4)] if as_json else report.lines():
            _say(line)
        sys.stdout.flush()
    except BrokenPipeError:  # a reader that has seen enough is no failure
        _stop_writing()
    return 1 if report.problems else 0


def _stop_writing() -> None:
    # The reader, such as `head`, is gone. Python would complain when it closes the stream at its end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _use(engine: str, force: bool) -> int:
    from .commands.report import use

    for line in use(engine, force):
        _say(line)
    return 0


def _add_model(commands: Any) -> None:
    model = commands.add_parser(
        'model',
        help='look into a model file of Keras 1, 2 or 3, predict with it, or write it for Keras 3, as ONNX or TFLite',
        description='Print who wrote a model file of Keras, its layers, and its functions as readable source. Nothing '
        'of the file is run.',
        epilog=MEANING,
    )
    model.add_argument(
        'file', metavar='FILE', help='.h5, .keras, .json, .yaml, the folder of a SavedModel, or a frozen graph, .pb'
    )
    model.add_argument('--weights', metavar='FILE', help='a file of weights beside a configuration')
    model.add_argument('--engine', choices=['theano', 'tensorflow'], help='the engine of Keras 1, which its files omit')
    model.add_argument(
        '--predict',
        nargs=2,
        metavar=('IN', 'OUT'),
        help='predict with K: .npy, or .npz with an array for each input, by the names of the inputs or in their order',
    )
    model.add_argument(
        '--batch', type=int, metavar='N', help='rows that are predicted at once; 32, or what the model takes'
    )
    model.add_argument(
        '--save', metavar='NEW', help='write .keras (needs Keras 3), .onnx, .tflite, .mlir, .pt2, or a SavedModel'
    )
    model.add_argument(
        '--example',
        metavar='FILE',
        help='inputs, as of --predict, that NEW is checked with. A .tflite becomes one of int8: weights, and what is '
        'computed where the model has no loop; inputs and outputs keep their dtypes',
    )
    model.add_argument(
        '--lambda',
        dest='values',
        action='append',
        metavar='NAME=VALUE',
        help='a value of a name that functions of the file use: --lambda SIZE=224',
    )
    model.add_argument(
        '--custom',
        metavar='FILE.py',
        help='a program of yours, which is run: its functions and classes are in the model',
    )
    model.add_argument('--json', action='store_true', help='print the summary as one JSON object')
    model.add_argument(
        '--limit', type=float, metavar='SECONDS', help='read the file in a process of its own first, for so long'
    )


def _model(options: argparse.Namespace) -> int:
    from .commands import graph as of_graph
    from .commands import model as command
    from .commands.model_options import given as of_options
    from .files.graphs.function import is_graph
    from .files.graphs.saved import is_class

    try:
        given = (options.file, options.weights, options.engine, options.predict, options.save, options.json)
        own = of_options(options.values, options.custom)
        if is_graph(options.file) or is_class(options.file):
            return of_graph.run(
                options.file, options.predict, options.save, options.json, _say, options.batch, options.example
            )
        return command.run(*given, _say, options.limit, own, options.batch, options.example)
    except KerasBackendError:
        raise
    except ImportError as error:  # no h5py
        _say(str(error), sys.stderr)
        return 1


def _prove(arguments: Sequence[str]) -> int:
    from .programs.prove.command import main as prove

    return _stoppable(lambda: prove(arguments, _say))


def _run(arguments: Sequence[str]) -> int:
    from .programs.run.command import main as run

    return _stoppable(lambda: run(list(arguments), _say, lambda line: _say(line, sys.stderr)))


def _demo(engines: Sequence[str], seed: int, picture: str) -> int:
    # The matrices are small: a second thread of the BLAS costs more than it gains. NumPy is not imported yet.
    os.environ.setdefault('OMP_NUM_THREADS', '1')
    os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')  # TensorFlow tells much about itself
    from .commands.demo.command import run

    def say(line: str) -> None:
        _say(line)
        sys.stdout.flush()  # a line at a time, also into a pipe

    return run(engines, seed, picture, say)


def _say(line: str, stream: Optional[TextIO] = None) -> None:
    # Paths may hold letters that the terminal cannot show.
    stream = stream or sys.stdout
    encoding = stream.encoding or 'ascii'
    stream.write(line.encode(encoding, 'backslashreplace').decode(encoding) + '\n')


if __name__ == '__main__':
    sys.exit(main())
