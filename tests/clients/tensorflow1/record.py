"""Write `values.json`: what the programs of `cases_*.py` compute on TensorFlow 1.15 itself.

python3.7 -m pip install tensorflow==1.15.5 "protobuf<3.21"
python3.7 tests/clients/tensorflow1/record.py
"""

import json
import os

from running import CASES, run

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'values.json')

if __name__ == '__main__':
    values = {name: run(function) for name, function in sorted(CASES.items())}
    with open(FILE, 'w') as stream:
        stream.write('{\n')
        stream.write(',\n'.join(f'{json.dumps(name)}: {json.dumps(value)}' for name, value in values.items()))
        stream.write('\n}\n')
