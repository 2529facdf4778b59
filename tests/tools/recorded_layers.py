"""The cases that `record_layers.py` recorded, as models of `files.structure`.

The reader of files reads their configurations, as those of any other file.
"""

import json
import os

import layer_models
import numpy as np

from keras_backend.files.dialects import dialect
from keras_backend.files.reading.limits import Budget
from keras_backend.files.structure import File, Weight

HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'files')
FILES = {
    'keras': ('layers.npz', '2.3.1'),
    'tf.keras': ('layers_of_tf_keras.npz', '2.15.0'),
    'keras 3': ('layers_of_keras3.npz', '3.15.1'),
}


def _recorded():
    found = {}
    for library, (name, _) in FILES.items():
        if not os.path.exists(os.path.join(HERE, name)):
            continue
        with np.load(os.path.join(HERE, name)) as data:
            for number, case in enumerate(json.loads(data['cases'].tobytes().decode())):
                count = len([key for key in data.files if key.startswith(f'{number}_')])
                # Both libraries have some of the cases.
                name_of_case = case['name'] + (f' of {library}' if case['name'] in found else '')
                found[name_of_case] = (library, case, [data[f'{number}_{place}'] for place in range(count)])
    return found


RECORDED = _recorded()


def model_and_inputs(library, case):
    """The model of a case with its weights, and the arrays that it gets. library: the one that wrote it."""
    file = File(case['name'], 'json', *dialect.writer(FILES[library][1], case['config']), 'tensorflow')
    assert file.library == library
    kind = 'Functional' if 'input_layers' in case['config'] else 'Sequential'
    model = dialect.model(file, {'class_name': kind, 'config': case['config']}, Budget(file.path, 1000))
    numbers = layer_models.random(case['name'])
    arrays = [layer_models.array(spec, numbers) for spec in case['inputs']]
    assert len(case['weights']) == len(model.layers)
    for layer, named in zip(model.layers, case['weights']):
        layer.weights = [Weight(name, layer_models.weight(name, tuple(shape), numbers)) for name, shape in named]
    return model, arrays
