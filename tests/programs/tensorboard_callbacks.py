"""A classifier that is watched by TensorBoard: scalars, histograms and gradients, a callback of its own that writes
images and learning rates, and the files read back."""
# engines: tensorflow
import datetime
import glob
import json
import os
import shutil

import keras
import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.callbacks import (Callback, CSVLogger, EarlyStopping, LearningRateScheduler, ModelCheckpoint,
                             ReduceLROnPlateau, TensorBoard)
from keras.layers import Activation, Conv2D, Dense, Flatten
from keras.models import Sequential, load_model

tf.logging.set_verbosity(tf.logging.ERROR)
np.random.seed(7)
log_dir = os.path.join('logs', datetime.datetime.now().strftime('run_%Y%m%d'))
if os.path.exists(log_dir):
    shutil.rmtree(log_dir)


class LRTensorBoard(TensorBoard):
    """TensorBoard with the learning rate among the scalars."""

    def on_epoch_end(self, epoch, logs=None):
        logs = dict(logs or {})
        logs.update({'lr_of_step': np.float64(K.eval(self.model.optimizer.lr))})
        super(LRTensorBoard, self).on_epoch_end(epoch, logs)


class KernelImages(Callback):
    """Writes the kernels of a layer as images and text by tf.Summary."""

    def __init__(self, folder, layer_name):
        super(KernelImages, self).__init__()
        self.folder, self.layer_name = folder, layer_name

    def on_train_begin(self, logs=None):
        self.writer = tf.summary.FileWriter(self.folder, K.get_session().graph)

    def on_epoch_end(self, epoch, logs=None):
        kernel = self.model.get_layer(self.layer_name).get_weights()[0]
        summary = tf.Summary()
        summary.value.add(tag='kernel_norm', simple_value=float(np.linalg.norm(kernel)))
        summary.value.add(tag='loss_again', simple_value=logs.get('loss'))
        self.writer.add_summary(summary, epoch)
        self.writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='epoch', simple_value=epoch)]), epoch)
        self.writer.flush()

    def on_train_end(self, logs=None):
        self.writer.close()


def build():
    model = Sequential()
    model.add(Conv2D(4, (3, 3), input_shape=(8, 8, 1), name='conv'))
    model.add(Activation('relu'))
    model.add(Flatten())
    model.add(Dense(3, activation='softmax', name='probabilities'))
    model.compile(loss='categorical_crossentropy', optimizer=keras.optimizers.SGD(lr=.05, momentum=.9),
                  metrics=['accuracy'])
    return model


y = np.arange(96) % 3
x = np.random.rand(96, 8, 8, 1) * .5
for k in range(96):
    x[k, 2 * y[k]:2 * y[k] + 3] += .7
y = keras.utils.to_categorical(y, 3)
model = build()
rs = np.random.RandomState(0)
model.set_weights([rs.normal(0, .2, w.shape) if w.ndim > 1 else w for w in model.get_weights()])

callbacks = [
    LRTensorBoard(log_dir=log_dir, histogram_freq=1, write_graph=True, write_grads=True, write_images=True,
                  batch_size=32),
    KernelImages(os.path.join(log_dir, 'kernels'), 'conv'),
    ModelCheckpoint(os.path.join(log_dir, 'weights.{epoch:02d}-{val_loss:.2f}.hdf5'), monitor='val_loss',
                    save_best_only=True, verbose=0),
    ModelCheckpoint('best.h5', monitor='val_acc' if 'val_acc' in model.metrics_names else 'val_loss',
                    save_best_only=True),
    ReduceLROnPlateau(monitor='val_loss', factor=0.2, patience=2, min_lr=1e-5),
    LearningRateScheduler(lambda epoch, lr=None: .05 if epoch < 2 else .02),
    EarlyStopping(monitor='val_loss', min_delta=0, patience=5),
    CSVLogger('history.csv'),
]
history = model.fit(x[:64], y[:64], batch_size=32, epochs=5, validation_data=(x[64:], y[64:]), shuffle=False,
                    callbacks=callbacks, verbose=0)
epochs = len(history.history['loss'])
assert history.history['loss'][-1] < .6 * history.history['loss'][0]

# The files of events, as tensorboard reads them.
scalars, histograms, images, graphs = {}, {}, set(), 0
for event_file in sorted(glob.glob(os.path.join(log_dir, 'events.out.tfevents.*'))):
    for event in tf.train.summary_iterator(event_file):
        graphs += bool(event.graph_def)
        for value in event.summary.value:
            if value.HasField('simple_value'):
                scalars.setdefault(value.tag, {})[event.step] = value.simple_value
            elif value.HasField('histo'):
                histograms.setdefault(value.tag, {})[event.step] = value.histo
            elif value.HasField('image'):
                images.add(value.tag)
assert graphs == 1
for tag in ('loss', 'val_loss', 'lr_of_step'):
    assert sorted(scalars[tag]) == list(range(epochs)), scalars
assert np.allclose([scalars['loss'][i] for i in range(epochs)], history.history['loss'], rtol=1e-5)
assert any('acc' in tag for tag in scalars)
gradients = [tag for tag in histograms if 'grad' in tag]
kernels = [tag for tag in histograms if 'kernel' in tag and 'grad' not in tag]
assert len(gradients) >= 4 and len(kernels) == 2, sorted(histograms)
assert any('conv_out' in tag for tag in histograms), sorted(histograms)
assert all(len(steps) == epochs and steps[0].num > 0 for steps in histograms.values())
last = [histograms[tag][epochs - 1] for tag in sorted(kernels)]
conv = model.get_layer('conv').get_weights()[0]
assert abs(last[0].max - conv.max()) < 1e-5 and last[0].num == conv.size
assert images and all('kernel' in tag or 'bias' in tag or 'gamma' in tag or 'beta' in tag or 'moving' in tag
                      for tag in images), images
own = [value for name in glob.glob(os.path.join(log_dir, 'kernels', '*'))
       for event in tf.train.summary_iterator(name) for value in event.summary.value]
assert [v.tag for v in own].count('kernel_norm') == epochs

best = load_model('best.h5')
assert best.predict(x).shape == (96, 3)
with open('history.csv') as f:
    assert len(f.read().strip().splitlines()) == epochs + 1
assert glob.glob(os.path.join(log_dir, 'weights.01-*.hdf5'))
print('RESULT ' + json.dumps({'loss': [float(v) for v in history.history['loss'][:3]],
                              'val_loss': [float(v) for v in history.history['val_loss'][:3]],
                              'lr': [scalars['lr_of_step'][i] for i in range(3)],
                              'first_histogram': [histograms[sorted(kernels)[1]][0].min,
                                                  histograms[sorted(kernels)[1]][0].max]}))
