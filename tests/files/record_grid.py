"""Writes grid_VERSION.npz: every case of `record_layers` as the file that a Keras saves, with what it predicts.

    python tests/files/record_grid.py keras       with Keras 2.3.1 on TensorFlow 1.15
    python tests/files/record_grid.py tf.keras    with any tf.keras before Keras 3

The file of a case is `NUMBER_file`, and its outputs are `NUMBER_0`, `NUMBER_1` ...; `cases` is JSON. What a version
cannot make is not there. `tools/grid_of_files.py` reads the files.
"""

import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), 'tools')]

import layer_cases  # noqa: E402
import layer_cases_of_tf_keras  # noqa: E402
import numpy as np  # noqa: E402
import record_layers  # noqa: E402


def content(model):
    """The bytes of the file of a model."""
    path = os.path.join(tempfile.mkdtemp(), 'model.h5')
    model.save(path, include_optimizer=False)
    with open(path, 'rb') as stream:
        return np.frombuffer(stream.read(), 'uint8')


def main():
    """Write the file of this version."""
    of_tensorflow = record_layers.OF == 'tf.keras'
    modules = [layer_cases, layer_cases_of_tf_keras] if of_tensorflow else [layer_cases]
    cases, arrays, lacks = [], {}, []
    for name, build in sorted({n: b for module in modules for n, b in record_layers.builds_of(module).items()}.items()):
        try:
            model, case, predictions = record_layers.made(name, build)
            arrays[f'{len(cases)}_file'] = content(model)
        except Exception as error:  # what an older version says to a case of a newer one
            lacks.append(name)
            print(name[:60], type(error).__name__, str(error).splitlines()[:1])
            continue
        arrays.update({f'{len(cases)}_{place}': value for place, value in enumerate(predictions)})
        cases.append({key: case[key] for key in ('name', 'inputs', 'times')})
    library = 'tf_keras' if of_tensorflow else 'keras'
    version = record_layers.tensorflow.__version__ if of_tensorflow else record_layers.keras.__version__
    path = os.path.join(HERE, f'grid_{library}_{version}.npz')
    np.savez_compressed(path, cases=np.frombuffer(json.dumps(cases).encode(), 'uint8'), **arrays)
    print(len(cases), 'written', len(lacks), 'not there', os.path.getsize(path))


if __name__ == '__main__':
    main()
