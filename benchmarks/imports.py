"""What `import keras_backend` costs beyond the library of its engine: seconds of the processor and modules of ours.

python benchmarks/imports.py                          the engines that are installed here
python benchmarks/imports.py --engines numpy torch

Each engine is imported several times, in processes of their own, after its library and NumPy. A row has the median.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

LIBRARIES = {
    'numpy': 'numpy',
    'torch': 'torch',
    'jax': 'jax',
    'tensorflow': 'tensorflow',
    'theano': 'theano',
    'cntk': 'cntk',
}
TARGET = 0.05  # seconds, for NumPy, whose own import takes about as long
PROGRAM = """
import json, sys, time
import numpy
try:
    import {library}
except ImportError:
    sys.exit(3)
before, started = set(sys.modules), time.process_time()
import keras_backend
seconds = time.process_time() - started
new = set(sys.modules) - before
ours = [name for name in new if name.split('.')[0] == 'keras_backend']
print(json.dumps([seconds, len(ours), len(new)]))
"""


def measured(engine, rounds):
    """Medians of (seconds, modules of ours, all modules that are new), or None where the library is missing."""
    variables = dict(os.environ, KERAS_BACKEND=engine, KERAS_BACKEND_QUIET='1', TF_CPP_MIN_LOG_LEVEL='3')
    variables['PYTHONPATH'] = os.pathsep.join(path for path in (sys.path[0], os.environ.get('PYTHONPATH')) if path)
    found = []
    for _ in range(rounds + 1):  # the first run compiles
        command = [sys.executable, '-c', PROGRAM.format(library=LIBRARIES[engine])]
        done = subprocess.run(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            return None
        found.append(json.loads(done.stdout.decode().splitlines()[-1]))
    return [statistics.median(column) for column in zip(*found[1:])]


def main(arguments=None):
    """Print a row for each engine."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--engines', nargs='+', choices=LIBRARIES, default=list(LIBRARIES))
    parser.add_argument('--rounds', type=int, default=7)
    options = parser.parse_args(arguments)
    print('| engine | seconds of the processor | modules of ours | all new modules |\n|---|---|---|---|')
    for engine in options.engines:
        found = measured(engine, options.rounds)
        if found is not None:
            said = f'{found[0]:.3f}' + (f' (at most {TARGET})' if engine == 'numpy' else '')
            print(f'| {engine} | {said} | {found[1]:.0f} | {found[2]:.0f} |', flush=True)


if __name__ == '__main__':
    main()
