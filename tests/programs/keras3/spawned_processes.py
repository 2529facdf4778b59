"""A search over learning rates in processes of their own, as Windows starts them, and batches made by processes."""
# backends: torch tf_keras
# slow: yes
import json
import multiprocessing

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.optimizers import Adam
from tensorflow.keras.utils import Sequence

x = np.cos(np.arange(60.)).reshape(20, 3)
y = np.sin(np.arange(20.))[:, None]


class Batches(Sequence):
    def __len__(self):
        return 5

    def __getitem__(self, index):
        rows = slice(4 * index, 4 * index + 4)
        return x[rows], y[rows]


def build(rate):
    model = keras.Sequential([layers.Dense(4, activation='tanh', input_shape=(3,)), layers.Dense(1)])
    model.set_weights([np.cos(np.arange(w.size)).reshape(w.shape) for w in model.get_weights()])
    model.compile(Adam(lr=rate, decay=.01), 'mse')
    return model


def losses(rate, data=(x, y), **options):
    history = build(rate).fit(*data, epochs=2, shuffle=False, verbose=0, **options).history['loss']
    return [float(loss) for loss in history]


if __name__ == '__main__':
    with multiprocessing.get_context('spawn').Pool(1) as pool:
        results = {'spawned': pool.map(losses, [.05, .1])}
    results['threads'] = losses(.05, (Batches(),), workers=3)
    results['processes'] = losses(.05, (Batches(),), workers=2, use_multiprocessing=True, max_queue_size=4)
    model = build(.05)
    results['evaluated'] = float(model.evaluate(Batches(), verbose=0, workers=2, use_multiprocessing=True))
    results['predicted'] = model.predict(Batches(), workers=2, use_multiprocessing=True).tolist()
    print('RESULT ' + json.dumps(results))
