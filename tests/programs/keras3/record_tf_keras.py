"""Runs the programs on tf_keras, the last Keras with all names of K, and writes what they print into tf_keras.json.

    python record_tf_keras.py [--check] [PROGRAM.py ...]

By hand, with a Python that has tensorflow and tf_keras; --check writes nothing and tells what differs from the record.
Programs of `tf.keras` may be recorded with TensorFlow 2.10 alone, whose tf.keras is Keras 2.
`tf.keras` is tf_keras there by TF_USE_LEGACY_KERAS=1. In programs of the other style the lines of import are changed:
`import keras_backend.keras3 as K` to `from tf_keras import backend as K`, `keras` to `tf_keras`. K.logsumexp, which tf.keras
never had, becomes the function of TensorFlow. Nothing else is changed.

The first lines of a program say what it needs:

    # original: graph               tf_keras runs it without eager execution, as K.gradients and K.function need there
    # original: no                  tf_keras cannot run it; a sentence in the program says why
    # needs: tensorflow             tf.data or the like, which is there where TensorFlow is installed
    # backends: tensorflow          only on these backends of Keras 3; without the line, on every one; tf_keras: on none
    # slow: yes                     a test of it is slow
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(FOLDER, 'tf_keras.json')
sys.path.insert(0, os.path.join(FOLDER, os.pardir, os.pardir, 'tools'))

from program_records import differences, headers, programs, recorded, result, write  # noqa: E402

KEYS = 'original', 'backends', 'slow', 'needs'
# The optimizers of the time; their successors need eager execution.
GRAPH = '''
import tensorflow.keras.optimizers
tensorflow.compat.v1.disable_eager_execution()
vars(tensorflow.keras.optimizers).update(vars(tensorflow.keras.optimizers.legacy))
'''
CHANGES = (
    (r'^import keras_backend\.keras3 as K$', 'from tf_keras import backend as K'),
    (r'^import keras$', 'import tf_keras as keras'),
    (r'^from keras(\.\w+)* import', r'from tf_keras\1 import'),
    (r'\bK\.logsumexp\b', '__import__("tensorflow").reduce_logsumexp'),
)


def path_of(name):
    """The file of a program."""
    return os.path.join(FOLDER, name + '.py')


def for_tf_keras(name):
    """The text of a program as tf_keras can run it."""
    with open(path_of(name), encoding='utf-8') as stream:
        text = stream.read()
    for pattern, replacement in CHANGES:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return (GRAPH if headers(path_of(name), KEYS).get('original') == ['graph'] else '') + text


def run(name):
    """What a program prints on tf_keras; None if it fails."""
    variables = {key: value for key, value in os.environ.items() if not key.startswith(('KERAS_', 'PYTHON'))}
    variables.update(TF_USE_LEGACY_KERAS='1', OMP_NUM_THREADS='1', TF_CPP_MIN_LOG_LEVEL='3', PYTHONDONTWRITEBYTECODE='1')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + '.py')
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(for_tf_keras(name))
        variables['KERAS_HOME'] = os.path.join(folder, 'keras')
        done = subprocess.run([sys.executable, path], env=variables, cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode:
        print(f'{name} failed\n{done.stdout}\n{done.stderr}', flush=True)
        return None
    return result(done.stdout)


def version():
    """The version of tf_keras, or of the TensorFlow whose tf.keras is Keras 2 itself."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return 'tf_keras ' + version('tf_keras')
    except PackageNotFoundError:
        return 'tf.keras ' + __import__('tensorflow').__version__


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1].strip())
    parser.add_argument('--check', action='store_true')
    parser.add_argument('programs', nargs='*')
    arguments = parser.parse_args()
    names = [os.path.splitext(os.path.basename(name))[0] for name in arguments.programs] or programs(FOLDER)
    bad = []
    for name in names:
        if headers(path_of(name), KEYS).get('original') == ['no']:
            continue
        start = time.time()
        found = run(name)
        record = recorded(RECORD)
        old = record.get(name)
        told = ['failed'] if found is None else differences(found, next(iter(old.values()))) if old else []
        if found is None or (arguments.check and (told or not old)):
            bad.append(name)
        if found is not None and not arguments.check:
            record[name] = {version(): found}
            write(record, RECORD)
        print('{}, {:.0f} s{}'.format(name, time.time() - start, ''.join('\n  ' + line for line in told)), flush=True)
    if bad:
        sys.exit('Failed: ' + ', '.join(bad))
    print(f'{len(names)} programs give what is recorded' if arguments.check else f'{len(names)} programs are recorded')


if __name__ == '__main__':
    main()
