"""Child processes with the same Python that import Keras, and such that do not."""
import os
import subprocess
import sys

CHILD = '''
import sys
before = set(sys.modules)
from keras_backend.engines.table import ENGINES
assert not before & {'keras'}.union(library.module for engine in ENGINES.values() for library in engine.libraries)
from collections import Iterable
import numpy as np
np.float
if sys.argv[1:] == ['keras']:
    import keras.backend as K
    print(K.backend(), isinstance([], Iterable))
elif sys.argv[1:]:
    grandchild = subprocess = __import__('subprocess')
    print(subprocess.check_output([sys.executable] + sys.argv[1:], universal_newlines=True).strip())
'''
with open('child.py', 'w') as stream:
    stream.write(CHILD)
name = os.environ['KERAS_BACKEND'].split('.')[-1].replace('_backend', '')


def run(*arguments, **variables):
    return subprocess.check_output([sys.executable, '-W', 'ignore', 'child.py'] + list(arguments),
                                   universal_newlines=True, env=dict(os.environ, **variables)).strip()


assert run('keras') == name + ' True'
assert run() == ''
assert run('child.py', 'keras') == name + ' True'
# A site's own customisation still runs.
os.makedirs('site')
with open(os.path.join('site', 'sitecustomize.py'), 'w') as stream:
    stream.write('import os\nos.environ["SITE"] = "mine"\n')
path = os.environ['PYTHONPATH'] + os.pathsep + os.path.abspath('site')
shown = subprocess.check_output([sys.executable, '-c', 'import os; print(os.environ.get("SITE"))'],
                                universal_newlines=True, env=dict(os.environ, PYTHONPATH=path))
assert shown.strip() == 'mine', shown
print('cured')
