"""Writes what the programs of this folder give on TensorFlow 1.15.5: python record.py FILE, with that Python.

FILE is tensorflow_1_15.json of the folder above; Python 3.7 has the libraries: tensorflow==1.15.5 "protobuf<3.21"
"h5py<3" "numpy<1.19" "pandas<1.3".
"""

import json
import os
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))


def result(path):
    """What a program says in its last line."""
    with tempfile.TemporaryDirectory() as folder:
        out = subprocess.check_output([sys.executable, path], cwd=folder, stderr=subprocess.DEVNULL).decode()
    return json.loads(out.rpartition('RESULT ')[2])


files = set(os.listdir(FOLDER)) - {'__init__.py', 'record.py', '__pycache__'}
names = sorted(name[:-3] for name in files)
with open(sys.argv[1], 'w') as file:
    lines = ['"%s": %s' % (name, json.dumps(result(os.path.join(FOLDER, name + '.py')))) for name in names]
    file.write('{\n' + ',\n'.join(lines) + '\n}\n')
