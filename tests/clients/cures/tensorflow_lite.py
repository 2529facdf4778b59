"""Files of TensorFlow Lite, as programs of 2018 and 2019 wrote them."""
# engines: tensorflow
import warnings

import keras
import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.layers import LSTM, BatchNormalization, Conv2D, Dense, Dropout, Flatten, Input, MaxPooling2D
from keras.models import Model, Sequential
from tensorflow.contrib.lite import TFLiteConverter
from tensorflow.contrib.lite.python.interpreter import Interpreter

import keras_backend

warnings.simplefilter('ignore')  # that the interpreter will be in another package
assert tf.lite is tf.contrib.lite and tf.lite.TFLiteConverter is TFLiteConverter and tf.lite.Interpreter is Interpreter
x = np.random.RandomState(0).rand(1, 8, 8, 1).astype('float32')


def ran(content, values=x):
    interpreter = tf.lite.Interpreter(model_content=content)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]['index'], values)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]['index'])


picture = Input((8, 8, 1), name='picture')
h = MaxPooling2D()(BatchNormalization()(Conv2D(4, 3, activation='relu')(picture)))
model = Model(picture, Dense(3, activation='softmax', name='scores')(Dropout(.5)(Flatten()(h))))
model.compile('adam', 'mse')
model.fit(np.random.rand(8, 8, 8, 1), np.random.rand(8, 3), verbose=0)
expected, session, phase = model.predict(x), K.get_session(), K.learning_phase()
model.save('model.h5')
frozen = tf.graph_util.convert_variables_to_constants(session, session.graph.as_graph_def(), [model.output.op.name])
with tf.gfile.GFile('frozen.pb', 'wb') as stream:
    stream.write(frozen.SerializeToString())
arrays = ['picture'], [model.output.op.name]

converters = [
    tf.lite.TFLiteConverter.from_session(session, [model.input], [model.output]),
    tf.lite.TFLiteConverter.from_keras_model_file('model.h5'),
    tf.lite.TFLiteConverter.from_keras_model_file('model.h5', input_shapes={'picture': [1, 8, 8, 1]}),
    tf.lite.TFLiteConverter.from_keras_model_file('model.h5', ['picture'], None, ['scores/Softmax']),
    tf.lite.TFLiteConverter.from_keras_model(model),
    tf.compat.v1.lite.TFLiteConverter.from_keras_model_file('model.h5', custom_objects={}),
    tf.contrib.lite.TocoConverter.from_frozen_graph('frozen.pb', *arrays),
    tf.lite.TFLiteConverter.from_frozen_graph('frozen.pb', arrays[0], arrays[1], {'picture': [1, 8, 8, 1]}),
]
for converter in converters:
    assert np.allclose(ran(converter.convert()), expected, atol=1e-5), converter
assert np.allclose(ran(tf.contrib.lite.toco_convert(frozen, [model.input], [model.output])), expected, atol=1e-5)
content = tf.lite.toco_convert(frozen.SerializeToString(), model.inputs, model.outputs, allow_custom_ops=True)
assert np.allclose(ran(content), expected, atol=1e-5)
try:
    tf.lite.toco_convert(frozen, model.inputs, model.outputs, drop_control_dependency_of_all=True)
except TypeError as error:
    assert 'leave it out' in str(error)
else:
    raise AssertionError('an option that nobody knows has to be an error')

# Small ones.
converter = tf.lite.TFLiteConverter.from_keras_model_file('model.h5')
converter.post_training_quantize = True
assert np.allclose(ran(converter.convert()), expected, atol=0.05)
converter = TFLiteConverter.from_keras_model_file('model.h5')
converter.optimizations = [tf.lite.Optimize.DEFAULT]
converter.representative_dataset = lambda: ([x * scale] for scale in (0.5, 1., 1.5))
assert np.allclose(ran(converter.convert()), expected, atol=0.05)

# The program goes on as before.
assert K.get_session() is session and K.learning_phase() is phase
assert np.allclose(model.predict(x), expected, atol=1e-6)
model.train_on_batch(x, np.ones((1, 3)))

steps = np.random.RandomState(0).rand(1, 5, 4).astype('float32')
model = Sequential([LSTM(3, input_shape=(5, 4), unroll=True)])
expected = model.predict(steps)
assert np.allclose(ran(tf.lite.TFLiteConverter.from_keras_model(model).convert(), steps), expected, atol=1e-5)
try:
    tf.lite.TFLiteConverter.from_keras_model(Sequential([LSTM(3, input_shape=(5, 4))])).convert()
except ValueError as error:
    assert 'unroll=True' in str(error)
else:
    raise AssertionError('a loop has to be an error')

# The names of TensorFlow 1 do not get into files of K functions.
N = keras_backend.load('numpy')
y = N.placeholder((None, 3), name='y')
f = N.function([y], [N.argmax(y), N.softmax(y)])
assert keras_backend.export(f, 'f.tflite').differences and keras_backend.export(f, 'folder').differences
assert keras_backend.export(K.function(model.inputs, model.outputs), 'g.tflite').differences and keras.__version__
print('cured')
