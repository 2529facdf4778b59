"""Data that comes from the graph: tf.data iterators and queue runners as Input(tensor=...), target_tensors, training
without arrays, and evaluation of the same weights on arrays."""
# engines: tensorflow
import json
import os
import tempfile

import numpy as np
import tensorflow as tf
from keras import backend as K
from keras import layers
import keras
from keras.callbacks import Callback
from keras.models import Model

if K.backend() != 'tensorflow':
    raise RuntimeError('This example can only run with the TensorFlow backend, because it requires the Dataset API.')

batch_size = 16
batches = 6
num_classes = 3
np.random.seed(0)
labels = np.arange(batch_size * batches) % num_classes
pictures = np.random.rand(len(labels), 8, 8, 1) * .5
pictures[np.arange(len(labels)), 2 * labels + 1] += .7
pictures[np.arange(len(labels)), 2 * labels] += .7


def cnn_layers(inputs):
    x = layers.Conv2D(6, (3, 3), activation='relu', padding='valid')(inputs)
    x = layers.MaxPooling2D(pool_size=(2, 2))(x)
    x = layers.Flatten()(x)
    x = layers.Dense(12, activation='relu')(x)
    x = layers.Dropout(0.25)(x)
    return layers.Dense(num_classes, activation='softmax', name='x_train_out')(x)


def known_weights(model):
    rs = np.random.RandomState(1)
    model.set_weights([rs.normal(0, .2, w.shape) for w in model.get_weights()])


class EvaluateInputTensor(Callback):
    """Validates a model whose inputs are tensors."""

    def __init__(self, model, steps, metrics_prefix='val'):
        super(EvaluateInputTensor, self).__init__()
        self.val_model, self.num_steps, self.metrics_prefix = model, steps, metrics_prefix

    def on_epoch_end(self, epoch, logs={}):
        self.val_model.set_weights(self.model.get_weights())
        results = self.val_model.evaluate(None, None, steps=int(self.num_steps), verbose=0)
        for result, name in zip(results, self.val_model.metrics_names):
            logs[self.metrics_prefix + '_' + name] = result


# The Dataset API.
sess = K.get_session()
dataset = tf.data.Dataset.from_tensor_slices((pictures.astype('float32'), labels))
dataset = dataset.map(lambda x, y: (x, tf.one_hot(y, num_classes)))
dataset = dataset.repeat()
dataset = dataset.batch(batch_size, drop_remainder=True).prefetch(1)
iterator = dataset.make_one_shot_iterator()
inputs, targets = iterator.get_next()
model_input = layers.Input(tensor=inputs)
train_model = Model(inputs=model_input, outputs=cnn_layers(model_input))
train_model.compile(optimizer=keras.optimizers.RMSprop(lr=2e-3, decay=1e-5), loss='categorical_crossentropy',
                    metrics=['accuracy'], target_tensors=[targets])
known_weights(train_model)
first = train_model.evaluate(None, None, steps=batches, verbose=0)

validation = tf.data.Dataset.from_tensor_slices((pictures.astype('float32'), np.eye(3, dtype='float32')[labels]))
validation = validation.shuffle(100, seed=1).repeat().batch(batch_size, drop_remainder=True)
val_iterator = validation.make_initializable_iterator()
sess.run(val_iterator.initializer)
val_inputs, val_targets = val_iterator.get_next()
val_input = layers.Input(tensor=val_inputs)
val_model = Model(val_input, cnn_layers(val_input))
val_model.compile(optimizer='rmsprop', loss='categorical_crossentropy', metrics=['acc'], target_tensors=[val_targets])
history = train_model.fit(epochs=8, steps_per_epoch=batches, verbose=0,
                          callbacks=[EvaluateInputTensor(val_model, steps=batches)])
assert history.history['loss'][-1] < .6 * history.history['loss'][0]
assert len(history.history['val_loss']) == 8 and history.history['val_loss'][-1] < first[0]

# Afterwards the same weights, fed with arrays.
weights = os.path.join(tempfile.gettempdir(), 'saved_wt_%d.h5' % os.getpid())
train_model.save_weights(weights)
x_test_inp = layers.Input(shape=pictures.shape[1:])
test_model = Model(inputs=x_test_inp, outputs=cnn_layers(x_test_inp))
test_model.load_weights(weights)
os.remove(weights)
test_model.compile(optimizer='rmsprop', loss='categorical_crossentropy', metrics=['accuracy'])
loss, acc = test_model.evaluate(pictures, keras.utils.to_categorical(labels, num_classes), verbose=0)
assert acc > .9, acc
# Keras 2.3.1 sums and divides otherwise where there are no arrays.
if keras.__version__ < '2.3':
    assert abs(loss - history.history['val_loss'][-1]) < 1e-3, (loss, history.history['val_loss'])
    assert abs(acc - history.history['val_acc'][-1]) < 1e-6
known_weights(test_model)
again = test_model.evaluate(pictures, keras.utils.to_categorical(labels, num_classes), verbose=0)
assert keras.__version__ >= '2.3' or np.allclose(first, again, atol=1e-4), (first, again)

# Queue runners.
K.clear_session()
sess = K.get_session()
x_train_batch, y_train_batch = tf.train.shuffle_batch(
    tensors=[pictures.astype('float32'), labels.astype('int32')], batch_size=batch_size, capacity=64,
    min_after_dequeue=32, enqueue_many=True, num_threads=1, seed=2)
y_train_batch = tf.one_hot(tf.cast(y_train_batch, tf.int32), num_classes)
x_train_input = layers.Input(tensor=x_train_batch)
assert K.int_shape(x_train_input) == (batch_size, 8, 8, 1)
queue_model = Model(inputs=x_train_input, outputs=cnn_layers(x_train_input))
queue_model.compile(optimizer=keras.optimizers.RMSprop(lr=2e-3), loss='categorical_crossentropy', metrics=['accuracy'],
                    target_tensors=[y_train_batch])
known_weights(queue_model)
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess, coord)
queued = queue_model.fit(epochs=8, steps_per_epoch=batches, verbose=0).history['loss']
assert queued[-1] < .6 * queued[0], queued
coord.request_stop()
coord.join(threads)
print('RESULT ' + json.dumps({'first': [float(v) for v in first], 'again': [float(v) for v in again]}))
