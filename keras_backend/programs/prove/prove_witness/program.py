"""Runs the program in this process, with the patches of its kind of Keras."""

import io
import json
import os
import random
import runpy
import sys
import traceback

import numpy as np

from . import draws, keras2, keras3, models, record
from .calls import Functions, Trace
from .draws import Draws
from .record import Record, Stop


class Witness(object):
    """All that the patches share: the settings, the record, the draws, the models."""

    def __init__(self, settings):
        self.settings = settings
        self.record = Record(settings['record'], settings['steps'], settings['stop'])
        self.draws = Draws(settings['seed'], self.record, settings['control'])
        self.models = models.Models(self.record, settings['control'])
        self.variables = models.Variables(self.record)
        self.trace = Trace(settings['trace'], settings['program'], settings['record'])
        self.functions = Functions(self.record, self.models, self.trace, settings['control'])
        self.initializers = draws.Initializers(self.draws, repeat=settings['kind'] == 'keras3')


def run(path):
    """Run the program of a file of settings, and end the process with its status."""
    with io.open(path, encoding='utf-8') as stream:
        settings = json.load(stream)
    if settings['original'] and settings['kind'] == 'keras3' and _is_installed('tf_keras'):
        os.environ['TF_USE_LEGACY_KERAS'] = '1'  # newer TensorFlow has Keras 3 as tf.keras
    witness = Witness(settings)
    patch = {'keras2': keras2.patch, 'plain': keras2.patch_plain, 'keras3': keras3.patch}[settings['kind']]
    record.after_imports(lambda: patch(witness))
    random.seed(settings['seed'])
    np.random.seed(settings['seed'])
    status, error = _status(settings)
    try:
        witness.models.snapshot('at the end')
        witness.variables.snapshot('at the end')
    except Exception as problem:  # noqa: BLE001 - of any library
        witness.record.note('The weights at the end could not be read: %s' % problem)
    witness.record.end(status, error)
    sys.stdout.flush()
    sys.exit(status)


def _is_installed(name):
    return any(os.path.isdir(os.path.join(folder, name)) for folder in sys.path)


def _status(settings):
    """(0 and an empty text, or 1 and the error) of the program."""
    try:
        _run(settings)
    except Stop:
        return 0, ''
    except SystemExit as end:
        if end.code in (None, 0):
            return 0, ''
        return 1, 'SystemExit: %s' % end.code
    except BaseException as error:  # noqa: BLE001 - also KeyboardInterrupt: the record has to be complete
        traceback.print_exc()
        return 1, '%s: %s' % (type(error).__name__, error)
    return 0, ''


def _run(settings):
    program, launched = settings['program'], settings['launcher']
    sys.path.append(settings['home'])  # a notebook runs as a file of another folder
    if launched:
        sys.argv = ['-m'] + launched[1:] + [program] + settings['arguments']
        runpy._run_module_as_main(launched[0])  # what `python -m` calls: the launcher knows its own start by it
    else:
        sys.argv = [program] + settings['arguments']
        sys.path[0] = os.path.dirname(program)
        runpy.run_path(program, run_name='__main__')
