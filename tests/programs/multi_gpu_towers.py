"""Training on several devices, as of 2016 to 2018: towers by tf.device over slices of the batch, their outputs put
together on the processor, a class that saves the inner model, multi_gpu_model where there are GPUs."""
# engines: tensorflow
from __future__ import print_function
import json
import os
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')

import keras.backend as K
import keras.layers as KL
import keras.models as KM
import numpy as np
import tensorflow as tf
from keras.callbacks import Callback, ModelCheckpoint
from keras.layers import Concatenate, Lambda, concatenate
from keras.models import Model, load_model
from keras.utils import multi_gpu_model
from tensorflow.python.client import device_lib

config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
config.gpu_options.allow_growth = True
config.gpu_options.per_process_gpu_memory_fraction = 0.4
config.intra_op_parallelism_threads = 1
sess = tf.Session(config=config)
K.set_session(sess)


def get_available_gpus():
    local_device_protos = device_lib.list_local_devices()
    return [x.name for x in local_device_protos if x.device_type == 'GPU']


def make_parallel(model, gpu_count):
    def get_slice(data, idx, parts):
        shape = tf.shape(data)
        size = tf.concat([shape[:1] // parts, shape[1:]], axis=0)
        stride = tf.concat([shape[:1] // parts, shape[1:] * 0], axis=0)
        start = stride * idx
        return tf.slice(data, start, size)

    outputs_all = []
    for i in range(len(model.outputs)):
        outputs_all.append([])
    for i in range(gpu_count):
        with tf.device('/gpu:%d' % i):
            with tf.name_scope('tower_%d' % i):
                inputs = []
                for x in model.inputs:
                    input_shape = tuple(x.get_shape().as_list())[1:]
                    slice_n = Lambda(get_slice, output_shape=input_shape, arguments={'idx': i, 'parts': gpu_count})(x)
                    inputs.append(slice_n)
                outputs = model(inputs)
                if not isinstance(outputs, list):
                    outputs = [outputs]
                for index in range(len(outputs)):
                    outputs_all[index].append(outputs[index])
    with tf.device('/cpu:0'):
        merged = []
        for outputs in outputs_all:
            merged.append(concatenate(outputs, axis=0))
        return Model(inputs=model.inputs, outputs=merged)


class ParallelModel(KM.Model):
    """The inner model runs as one copy on each device; saving goes to the inner model."""

    def __init__(self, keras_model, gpu_count):
        super(ParallelModel, self).__init__()
        self.inner_model = keras_model
        self.gpu_count = gpu_count
        merged_outputs = self.make_parallel()
        super(ParallelModel, self).__init__(inputs=self.inner_model.inputs, outputs=merged_outputs)

    def __getattribute__(self, attrname):
        if 'load' in attrname or 'save' in attrname:
            return getattr(self.inner_model, attrname)
        return super(ParallelModel, self).__getattribute__(attrname)

    def summary(self, *args, **kwargs):
        super(ParallelModel, self).summary(*args, **kwargs)
        self.inner_model.summary(*args, **kwargs)

    def make_parallel(self):
        input_slices = {name: tf.split(x, self.gpu_count)
                        for name, x in zip(self.inner_model.input_names, self.inner_model.inputs)}
        output_names = self.inner_model.output_names
        outputs_all = []
        for i in range(len(self.inner_model.outputs)):
            outputs_all.append([])
        for i in range(self.gpu_count):
            with tf.device('/gpu:%d' % i):
                with tf.name_scope('tower_%d' % i):
                    zipped_inputs = zip(self.inner_model.input_names, self.inner_model.inputs)
                    inputs = [KL.Lambda(lambda s: input_slices[name][i], output_shape=lambda s: (None,) + s[1:])(tensor)
                              for name, tensor in zipped_inputs]
                    outputs = self.inner_model(inputs)
                    if not isinstance(outputs, list):
                        outputs = [outputs]
                    for index, output in enumerate(outputs):
                        outputs_all[index].append(output)
        with tf.device('/cpu:0'):
            merged = []
            for outputs, name in zip(outputs_all, output_names):
                if K.int_shape(outputs[0]) == ():
                    m = KL.Lambda(lambda o: tf.add_n(o) / len(outputs), name=name)(outputs)
                else:
                    m = KL.Concatenate(axis=0, name=name)(outputs)
                merged.append(m)
        return merged


class MultiGPUCheckpoint(ModelCheckpoint):
    def set_model(self, model):
        if isinstance(model.layers[-2], Model):
            self.model = model.layers[-2]
        else:
            self.model = model


def build(seed=0):
    x = KL.Input(shape=(6, 6, 2), name='image')
    y = KL.Conv2D(4, 3, activation='relu', padding='same')(x)
    y = KL.GlobalAveragePooling2D()(y)
    first = KL.Dense(3, activation='softmax', name='kind')(y)
    second = KL.Dense(1, name='size')(y)
    model = KM.Model(x, [first, second], name='inner')
    rng = np.random.RandomState(seed)
    model.set_weights([rng.normal(0, .5, w.shape) for w in model.get_weights()])
    return model


rng = np.random.RandomState(3)
images = rng.normal(size=(24, 6, 6, 2))
kinds = np.eye(3)[np.arange(24) % 3]
sizes = images.mean(axis=(1, 2, 3)).reshape(-1, 1)
G = max(len(get_available_gpus()), 2)
results = {}
with tf.device('/cpu:0'):
    template = build()
parallel = make_parallel(template, 2)
parallel.compile(optimizer='sgd', loss=['categorical_crossentropy', 'mse'], loss_weights=[1., .5])
history = parallel.fit(images, [kinds, sizes], batch_size=12, epochs=2, shuffle=False, verbose=0)
results['towers'] = [float(v) for v in history.history['loss']]
results['shared'] = template.predict(images[:6])[0].tolist()
alone = build()
alone.compile(optimizer='sgd', loss=['categorical_crossentropy', 'mse'], loss_weights=[1., .5])
same = alone.fit(images, [kinds, sizes], batch_size=12, epochs=2, shuffle=False, verbose=0)
assert np.allclose(same.history['loss'], history.history['loss'], atol=1e-5)

model = ParallelModel(build(1), 2)
model.compile(optimizer='sgd', loss={'kind': 'categorical_crossentropy', 'size': 'mae'})
results['parallel'] = [float(v) for v in model.train_on_batch(images, {'kind': kinds, 'size': sizes})]
model.summary()
model.save_weights('inner.h5')
again = build(2)
again.load_weights('inner.h5')
results['loaded'] = again.predict(images[:4])[0].tolist()
try:
    multi = multi_gpu_model(again, gpus=G)
    multi.compile('sgd', loss=['categorical_crossentropy', 'mse'])
    print('Training using multiple GPUs..')
except ValueError:
    multi = again
    multi.compile('sgd', loss=['categorical_crossentropy', 'mse'])
    print('Training using single GPU or CPU..')
saver = MultiGPUCheckpoint('weights.{epoch:02d}.hdf5', save_weights_only=False)
multi.fit(images, [kinds, sizes], batch_size=24, epochs=1, verbose=0, callbacks=[saver])
results['saved'] = load_model('weights.01.hdf5').predict(images[:4])[1].ravel().tolist()
print('RESULT ' + json.dumps(results))
