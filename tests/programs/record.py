"""Runs the programs on the original, Keras on TensorFlow 1, and writes what they print into original.json.

    python record.py [--keras VERSION=FOLDER ...] [PROGRAM.py ...]

By hand, with a Python 3.7 that has keras==2.3.1, tensorflow==1.15.5, scikit-learn and pillow, and no keras_backend in
use. FOLDER has another version (pip install --no-deps --target FOLDER keras==2.2.4); the records of versions without a
folder stay as they are. Numbers that differ from those recorded before are told: a program whose numbers change from
run to run is no record.

Keras before 2.3 is recorded with the resource variables of TensorFlow 1.15, which 2.3 always has. With the older kind
of variables the gradients of a step may read weights that the same step has already changed, and no run is like
another. Keras 1 asks variables whether they are true, and multiplies them in place: CUSTOMIZE lets resource variables
do both as the older kind did.
No record can have more than the first step of an optimizer that counts its steps, such as Adam: the original reads the
count and raises it in no order.

The first lines of a program say what it needs:

    # engines: tensorflow           only on these engines; without the line, on every engine
    # keras: 2.2.4                  only with these versions of Keras; without the line, with 2.2.4 and 2.3.1
    # original: no                  not on the original, which needs GPUs for it
    # arguments: --epochs 2         the command line

Its last line of output is `RESULT ` and a JSON object of numbers and lists of numbers.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(FOLDER, 'original.json')
VERSIONS = '1.2.2', '2.0.8', '2.1.6', '2.2.2', '2.2.4', '2.2.5', '2.3.0', '2.3.1'
DEFAULT = ['2.2.4', '2.3.1']
sys.path.insert(0, os.path.join(FOLDER, os.pardir, 'tools'))

import program_records
from program_records import differences, recorded, result, write


def programs():
    """The names of all programs."""
    return program_records.programs(FOLDER)


def path_of(name):
    """The file of a program."""
    return os.path.join(FOLDER, name + '.py')


def headers(name):
    """What a program says that it needs: a dict of lists of words."""
    said = program_records.headers(path_of(name), ('engines', 'keras', 'original', 'arguments'))
    assert said.get('original', ['no']) == ['no'], name + ': # original: can only be no'
    said.setdefault('keras', DEFAULT)
    assert set(said['keras']) <= set(VERSIONS), name + ': # keras: of other versions'
    return said


# What Python runs when it starts, its children included.
CUSTOMIZE = """
import sys
import tensorflow
from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable
tensorflow.enable_resource_variables()
BaseResourceVariable.__bool__ = lambda self: True
BaseResourceVariable.__imul__ = lambda self, other: self * other
BaseResourceVariable.__itruediv__ = lambda self, other: self / other
# TensorFlow needs newer ones than Keras 2.2.2 does.
for name in [name for name in sys.modules if name.startswith('keras_')]:
    del sys.modules[name]
sys.path.insert(0, %r)
"""


def run(name, folder_of_keras):
    """What a program prints on the original."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(('KERAS_', 'PYTHON'))}
    with tempfile.TemporaryDirectory() as home:
        folder, customized = os.path.join(home, 'folder'), os.path.join(home, 'customized')
        os.mkdir(folder)
        os.mkdir(customized)
        places = []
        if folder_of_keras:
            with open(os.path.join(customized, 'sitecustomize.py'), 'w') as stream:
                stream.write(CUSTOMIZE % folder_of_keras)
            places = [customized]
        environment.update(KERAS_BACKEND='tensorflow', KERAS_HOME=os.path.join(home, 'keras'), OMP_NUM_THREADS='1',
                           PYTHONDONTWRITEBYTECODE='1', PYTHONPATH=os.pathsep.join(places))
        arguments = [sys.executable, path_of(name)] + headers(name).get('arguments', [])
        done = subprocess.run(arguments, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode:
        print('%s failed\n%s\n%s' % (name, done.stdout, done.stderr), flush=True)
        return None
    return result(done.stdout)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1].strip())
    parser.add_argument('--keras', action='append', default=[])
    parser.add_argument('programs', nargs='*')
    arguments = parser.parse_args()
    names = [os.path.splitext(os.path.basename(name))[0] for name in arguments.programs] or programs()
    places = {'2.3.1': ''}
    places.update((version, os.path.abspath(folder)) for version, folder in (n.split('=') for n in arguments.keras))
    failed = []
    for name in names:
        said = headers(name)
        for version in sorted(said['keras']):
            if version not in places or 'original' in said:
                continue
            start = time.time()
            found = run(name, places[version])
            if found is None:
                failed.append(name + ' ' + version)
                continue
            record = recorded(RECORD)
            old = record.get(name, {}).get(version)
            told = differences(found, old) if old is not None else []
            record.setdefault(name, {})[version] = found
            write(record, RECORD)
            print('%s, Keras %s, %.0f s%s' % (name, version, time.time() - start, ''.join('\n  ' + t for t in told)),
                  flush=True)
    if failed:
        sys.exit('Failed: ' + ', '.join(failed))


if __name__ == '__main__':
    main()
