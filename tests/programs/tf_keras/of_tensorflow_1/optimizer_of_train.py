"""The first tutorial of TensorFlow 1.12: tf.train.AdamOptimizer in compile, a dataset in fit, Flatten of vectors."""
import json

import numpy as np
import tensorflow as tf
from tensorflow import keras

tf.logging.set_verbosity(tf.logging.ERROR)
tf.set_random_seed(2)
values = np.random.RandomState(0)
x = values.rand(64, 6).astype('float32')
y = values.randint(0, 3, 64)


def build_model():
    model = keras.Sequential([
        keras.layers.Flatten(input_shape=(6,)),
        keras.layers.Dense(8, activation=tf.nn.relu, kernel_regularizer=keras.regularizers.l2(0.01)),
        keras.layers.Dense(3, activation=tf.nn.softmax)
    ])
    model.compile(optimizer=tf.train.AdamOptimizer(0.01), loss='sparse_categorical_crossentropy', metrics=['accuracy'])
    rng = np.random.RandomState(1)
    model.set_weights([rng.uniform(-.5, .5, w.shape) for w in model.get_weights()])
    return model


class PrintDot(keras.callbacks.Callback):
    seen = []

    def on_epoch_end(self, epoch, logs):
        self.seen.append(sorted(logs))


model = build_model()
history = model.fit(x, y, epochs=3, batch_size=16, shuffle=False, verbose=0, validation_split=0.25,
                    callbacks=[PrintDot(), keras.callbacks.EarlyStopping(monitor='val_loss', patience=10)])
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(32).repeat()
more = model.fit(dataset, epochs=2, steps_per_epoch=2, verbose=0, validation_data=dataset, validation_steps=2)
test_loss, test_acc = model.evaluate(x, y, verbose=0)
model.save_weights('./my_checkpoint')
model = build_model()
model.load_weights('./my_checkpoint')
print('RESULT ' + json.dumps({
    'keys': [sorted(history.history), sorted(more.history)],
    'seen': PrintDot.seen,
    'history': [[float(v) for v in history.history[k]] for k in ('loss', 'acc', 'val_loss', 'val_acc')],
    'more': [[float(v) for v in more.history[k]] for k in ('loss', 'acc', 'val_loss', 'val_acc')],
    'test': [float(test_loss), float(test_acc)],
    'predictions': model.predict(x[:3]).tolist(),
    'classes': model.predict_classes(x[:5]).tolist(),
}))
