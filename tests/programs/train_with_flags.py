"""A training script for a cluster: tf.app.flags, tf.gfile, a session by ConfigProto, checkpoints and a history in a
folder of the job, run by tf.app.run."""
# engines: tensorflow
# arguments: --epochs 6 --batch_size=16 --job_dir out/job1 --hidden 12 --nolog_device_placement
from __future__ import absolute_import, division, print_function

import json
import os
import sys

import numpy as np
import tensorflow as tf
import keras
from keras import backend as K
from keras.backend.tensorflow_backend import get_session, set_session
from keras.callbacks import Callback, ModelCheckpoint, TerminateOnNaN
from keras.layers import Activation, Dense, Dropout
from keras.models import Sequential, load_model, model_from_json

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_integer('epochs', 50, 'How long to train.')
flags.DEFINE_integer('batch_size', 256, 'The batch size.')
flags.DEFINE_float('learning_rate', .1, 'The learning rate.')
tf.app.flags.DEFINE_string('job_dir', '/tmp/job', 'Where to write.')
tf.app.flags.DEFINE_string('hidden', '32', 'Sizes of hidden layers.')
tf.app.flags.DEFINE_boolean('log_device_placement', True, 'Whether devices are told.')
tf.app.flags.DEFINE_bool('resume', False, 'Go on.')
tf.logging.set_verbosity(tf.logging.INFO)


def config():
    config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=FLAGS.log_device_placement)
    config.gpu_options.allow_growth = True
    config.gpu_options.visible_device_list = ''
    config.intra_op_parallelism_threads = 1
    config.inter_op_parallelism_threads = 1
    config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.OFF
    return config


class Eval(Callback):
    """Evaluates now and then, and copies what there is to the folder of the job."""

    def __init__(self, data, job_dir, every=2):
        super(Eval, self).__init__()
        self.data, self.job_dir, self.every = data, job_dir, every

    def on_epoch_begin(self, epoch, logs={}):
        if epoch and epoch % self.every == 0:
            loss, acc = self.model.evaluate(*self.data, verbose=0)
            tf.logging.info('Evaluation epoch[%d] metrics[%.2f, %.2f]', epoch, loss, acc)
            with tf.gfile.Open(os.path.join(self.job_dir, 'eval-%d.json' % epoch), mode='w') as f:
                f.write(json.dumps([float(loss), float(acc)]))


def write_records(path, x, y):
    writer = tf.python_io.TFRecordWriter(path)
    for row, label in zip(x, y):
        example = tf.train.Example(features=tf.train.Features(feature={
            'x': tf.train.Feature(float_list=tf.train.FloatList(value=row)),
            'y': tf.train.Feature(int64_list=tf.train.Int64List(value=[label]))}))
        writer.write(example.SerializeToString())
    writer.close()


def read_records(path):
    x, y = [], []
    for record in tf.python_io.tf_record_iterator(path):
        example = tf.train.Example.FromString(record)
        x.append(example.features.feature['x'].float_list.value)
        y.append(example.features.feature['y'].int64_list.value[0])
    return np.array(x), np.array(y)


def build(sizes):
    model = Sequential(name='classifier')
    for i, size in enumerate(sizes):
        model.add(Dense(size, **({'input_shape': (6,)} if i == 0 else {})))
        model.add(Activation('tanh'))
    model.add(Dropout(.1))
    model.add(Dense(3, activation='softmax'))
    rs = np.random.RandomState(4)
    model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
    return model


def main(argv=None):
    assert len(argv) == 1 and FLAGS.epochs == 6 and not FLAGS.resume, argv
    set_session(tf.Session(config=config()))
    assert get_session() is K.get_session()
    if tf.gfile.Exists(FLAGS.job_dir):
        tf.gfile.DeleteRecursively(FLAGS.job_dir)
    tf.gfile.MakeDirs(FLAGS.job_dir)
    rs = np.random.RandomState(0)
    y = np.arange(120) % 3
    x = rs.normal(0, .6, (120, 6)) + 1.5 * np.eye(3, 6)[y]
    write_records(os.path.join(FLAGS.job_dir, 'train.tfrecord'), x, y)
    x, labels = read_records(tf.gfile.Glob(os.path.join(FLAGS.job_dir, '*.tfrecord'))[0])
    assert x.shape == (120, 6) and np.array_equal(labels, y)
    y = keras.utils.np_utils.to_categorical(labels)
    model = build([int(size) for size in FLAGS.hidden.split(',')])
    model.compile(loss='categorical_crossentropy', optimizer=keras.optimizers.Adagrad(lr=FLAGS.learning_rate),
                  metrics=['accuracy'])
    first = model.test_on_batch(x, y)
    probabilities = model.predict_proba(x[:4])
    checkpoint = ModelCheckpoint(os.path.join(FLAGS.job_dir, 'checkpoint.{epoch:02d}.hdf5'), monitor='val_loss',
                                 verbose=0, period=2, mode='max')
    np.random.seed(0)
    history = model.fit(x, y, batch_size=FLAGS.batch_size, epochs=FLAGS.epochs, verbose=2, validation_split=.2,
                        callbacks=[checkpoint, Eval((x, y), FLAGS.job_dir), TerminateOnNaN()])
    with tf.gfile.GFile(os.path.join(FLAGS.job_dir, 'model.json'), 'w') as f:
        f.write(model.to_json())
    model.save('model.h5')
    with open('model.h5', 'rb') as input_f:
        with tf.gfile.FastGFile(os.path.join(FLAGS.job_dir, 'model.h5'), mode='wb') as output_f:
            output_f.write(input_f.read())
    names = sorted(tf.gfile.ListDirectory(FLAGS.job_dir))
    assert [n for n in names if n.startswith('checkpoint')] == ['checkpoint.%02d.hdf5' % e for e in (2, 4, 6)], names
    assert [n for n in names if n.startswith('eval')] == ['eval-2.json', 'eval-4.json'], names
    with tf.gfile.GFile(os.path.join(FLAGS.job_dir, 'model.json')) as f:
        again = model_from_json(f.read())
    again.load_weights(os.path.join(FLAGS.job_dir, 'checkpoint.06.hdf5'))
    expected = model.predict(x)
    assert np.allclose(again.predict(x), expected, atol=1e-6)
    third = load_model(os.path.join(FLAGS.job_dir, 'model.h5'))
    assert np.allclose(third.predict(x), expected, atol=1e-6)
    assert (model.predict_classes(x) == labels).mean() > .85
    assert history.history['loss'][-1] < .8 * history.history['loss'][0]
    print('RESULT ' + json.dumps({'first': [float(v) for v in first], 'probabilities': probabilities.tolist()}))


if __name__ == '__main__':
    assert sys.argv[0].endswith('train_with_flags.py')
    tf.app.run()
