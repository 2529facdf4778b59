"""Writes lambdas/X.Y.json: the functions of the sources as Keras stores them, by the Python that runs this.

    python2.7 tests/files/record_lambdas.py

Run it with Python 2.7 and 3.6 to 3.13. {name: [code, defaults, values of the closure]}
"""

import base64
import json
import marshal
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import python_sources  # noqa: E402, F401
import syntax_sources  # noqa: E402, F401
import tensorflow_sources  # noqa: E402, F401
from lambda_sources import CASES  # noqa: E402


def recorded(text):
    """What Keras stores of the function `f` of a text."""
    space = {}
    exec(compile(text, 'train.py', 'exec'), space)
    function = space['f']
    code = base64.b64encode(marshal.dumps(function.__code__)).decode('ascii')
    closure = function.__closure__
    return [code, function.__defaults__, None if closure is None else [cell.cell_contents for cell in closure]]


def main():
    """Write the file of this Python."""
    python = sys.version_info[:2]
    rows = []
    for name in sorted(CASES):
        _, text, options = CASES[name]
        if options.get('since', python) <= python <= options.get('until', python):
            rows.append(json.dumps(name) + ': ' + json.dumps(recorded(text), sort_keys=True))
    with open(os.path.join(HERE, 'lambdas', '{}.{}.json'.format(*python)), 'wb') as stream:
        stream.write(('{\n' + ',\n'.join(rows) + '\n}\n').encode('ascii'))


if __name__ == '__main__':
    main()
