"""Print how much of the grid is read: each layer and argument as the file of a version of Keras.

    python tools/grid_of_files.py             the table by version
    python tools/grid_of_files.py --reasons   and each case that is refused or differs

`tests/files/record_grid.py` wrote the files with what Keras predicted. `keras_backend.files.function` reads each
of them on the engine that `import keras_backend` has.
"""

import glob
import json
import os
import sys
import tempfile
from collections import Counter
from typing import List

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [ROOT, os.path.join(ROOT, 'tests', 'tools')]

import layer_models  # noqa: E402

# How far predictions may be from those of the version.
_NEAR = {'rtol': 2e-5, 'atol': 1e-5}


def grids():
    """The paths of the grids by the words for their versions."""
    paths = sorted(glob.glob(os.path.join(ROOT, 'tests', 'files', 'grid_*.npz')))
    names = [os.path.basename(path)[len('grid_') : -len('.npz')].replace('tf_', 'tf.') for path in paths]
    return {name.replace('_', ' '): path for name, path in zip(names, paths)}


def cases(path):
    """Each case: its description, the bytes of its file, and the predictions."""
    with np.load(path) as data:
        for number, case in enumerate(json.loads(data['cases'].tobytes().decode())):
            count = len([key for key in data.files if key.startswith(f'{number}_')]) - 1
            yield case, data[f'{number}_file'].tobytes(), [data[f'{number}_{place}'] for place in range(count)]


def inputs(case):
    """The arrays that the model of a case gets."""
    numbers = layer_models.random(case['name'])
    return [layer_models.array(spec, numbers) for spec in case['inputs']]


def outcome(case, content, expected, K):
    """'' where the file predicts what its version did, else the reason. Result: the reason, whether it is a refusal."""
    from keras_backend import files
    from keras_backend.errors import KerasBackendError

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'model.h5')
        with open(path, 'wb') as stream:
            stream.write(content)
        try:
            function = files.function(path, K=K)
            results = [function(inputs(case)) for _ in range(case['times'])][-1]
        except KerasBackendError as error:
            return str(error), True
    results = results if isinstance(results, list) else [results]
    try:
        assert len(results) == len(expected)
        for result, wanted in zip(results, expected):
            np.testing.assert_allclose(result, wanted, **_NEAR)
    except AssertionError as error:
        return f'differs: {" ".join(str(error).split())[:200]}', False
    return '', False


def main(arguments):
    """Print the table; returns the exit status, 1 where a file differs."""
    import keras_backend as K

    print('| version | files | equal | refused | differ |\n|---|---|---|---|---|')
    reasons: List[str] = []
    for version, path in grids().items():
        counts: Counter = Counter()
        for case, content, expected in cases(path):
            reason, is_refused = outcome(case, content, expected, K)
            counts['refused' if is_refused else 'differ' if reason else 'equal'] += 1
            reasons += [f'{version}: {case["name"]}: {reason}'] if reason else []
        total = sum(counts.values())
        share = 100 * counts['equal'] / total
        print(f'| {version} | {total} | {share:.1f} % | {counts["refused"]} | {counts["differ"]} |')
    print('\n'.join(reasons if '--reasons' in arguments else []))
    return 1 if any([': differs: ' in reason for reason in reasons]) else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
