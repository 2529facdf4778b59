"""A training script of 2019: generators with workers, weights for layers, checkpoints each second epoch, files of weights
and models under the names of the time."""
import json
import os

import numpy as np
from tensorflow.keras.callbacks import ModelCheckpoint
from tensorflow.keras.layers import Dense, Embedding, Flatten, Input
from tensorflow.keras.models import Model, Sequential, load_model
from tensorflow.keras.optimizers import SGD
from tensorflow.keras.utils import Sequence

rs = np.random.RandomState(5)
words, targets = rs.randint(0, 7, (12, 4)), rs.normal(0, 1, (12, 2)).astype('float32')
vectors = rs.normal(0, 1, (7, 3)).astype('float32')
kernel, bias = rs.normal(0, 1, (12, 2)).astype('float32'), rs.normal(0, 1, 2).astype('float32')


class Batches(Sequence):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        rows = slice(4 * index, 4 * index + 4)
        return words[rows], targets[rows]


def build():
    inputs = Input((4,), dtype='int32')
    x = Embedding(7, 3, weights=[vectors], name='block/vectors')(inputs)
    model = Model(inputs, Dense(2, weights=[kernel, bias], name='scores')(Flatten()(x)))
    model.compile(SGD(0.1), 'mse', sample_weight_mode=None)
    return model


model = build()
np.testing.assert_array_equal(model.get_layer('block/vectors').get_weights()[0], vectors)
checkpoint = ModelCheckpoint('w_{epoch}.h5', monitor='loss', save_weights_only=True, period=2)
history = model.fit(
    Batches(), epochs=4, shuffle=False, verbose=0, callbacks=[checkpoint], workers=2, max_queue_size=4,
    use_multiprocessing=False,
)  # fmt: skip
assert sorted(name for name in os.listdir('.') if name.startswith('w_')) == ['w_2.h5', 'w_4.h5']
expected = model.predict(words, verbose=0, workers=1)
result = {'losses': history.history['loss'], 'predictions': expected.tolist()}
result['evaluated'] = float(model.evaluate(words, targets, verbose=0, workers=1))

again = build()
again.load_weights('w_4.h5')
np.testing.assert_allclose(again.predict(words, verbose=0), expected, rtol=1e-5)
model.save_weights('all.h5')
os.makedirs('checkpoints', exist_ok=True)
model.save_weights(os.path.join('checkpoints', 'last'))
for path in 'all.h5', os.path.join('checkpoints', 'last'):
    again = build()
    status = again.load_weights(path)
    if status is not None:
        status.expect_partial()
    np.testing.assert_allclose(again.predict(words, verbose=0), expected, rtol=1e-5)
model.save('folder')
assert os.path.isdir('folder')
opened = load_model('folder')
np.testing.assert_allclose(opened.predict(words, verbose=0), expected, rtol=1e-5)
losses = opened.train_on_batch(words, targets, reset_metrics=True)
result['one more batch'] = float(losses)

classes = Sequential([Dense(3, batch_input_shape=(4, 4), weights=[kernel[:4, [0, 1, 0]], np.zeros(3)])])
assert classes.input_shape == (4, 4)
result['fixed batch'] = classes.predict(np.ones((4, 4)), verbose=0, batch_size=4).tolist()
print('RESULT', json.dumps(result))
