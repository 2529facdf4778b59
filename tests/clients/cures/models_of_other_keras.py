# keras: 2.0.8 2.1.6 2.2.2 2.2.4 2.2.5 2.3.0 2.3.1
"""`load_model` of what each Keras wrote: the model predicts as it did, and is saved and opened again."""
import os
import sys
import warnings

import numpy as np
from keras import backend as K
from keras.models import load_model

warnings.simplefilter('ignore')
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), '..', '..', 'tools'))
from files_of_models import INDEX, LAMBDAS, arguments, of_models, recorded, recorded_again  # noqa: E402


def check(model, inputs, wanted):
    found = model.predict(inputs if len(inputs) > 1 else inputs[0], batch_size=len(inputs[0]))
    found = found if isinstance(found, list) else [found]
    assert [x.shape for x in found] == [x.shape for x in wanted]
    for x, y in zip(found, wanted):
        np.testing.assert_allclose(x, y, atol=1e-5, rtol=1e-5)


count = 0
for name in of_models() + LAMBDAS:
    given = arguments(name)
    if 'weights' in given:
        continue
    inputs, wanted = recorded(name)
    try:
        model = load_model(given['path'], **{key: given[key] for key in given if key == 'engine'})
        check(model, inputs, wanted)
        if recorded_again(name):
            check(model, inputs, recorded_again(name))
        # Before 2.3, Keras cannot save two weights of one name, which RNN has there on engines other than TensorFlow.
        if not name.endswith(('_cells', '_masked_states', '_masked_states_archive', '_archive_numbers')):
            model.save('again.h5')
            check(load_model('again.h5'), inputs, wanted)
    except Exception:
        print('This is in the model ' + name)
        raise
    count += 1
    K.clear_session()
assert count > 70, count
assert {INDEX[name]['version'][0] for name in of_models()} == set('123')
print('cured')
