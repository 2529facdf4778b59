"""Messages of protobuf written as text, with the format of floats that programs and TensorFlow passed."""
# engines: tensorflow
import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from keras import backend as K

x = K.placeholder((None, 2), name='x')
third = tf.constant(np.float32(1 / 3), name='third')
y = tf.identity(x * third, name='y')
graph = y.graph.as_graph_def()
for float_format in '.15g', '':
    text = text_format.MessageToString(graph, float_format=float_format)
    read = text_format.Parse(text, tf.GraphDef())
    (value,) = [node.attr['value'].tensor.float_val for node in read.node if node.name == 'third']
    assert np.float32(value[0]) == np.float32(1 / 3), text
tf.train.write_graph(graph, '.', 'graph.pbtxt')
with open('graph.pbtxt') as stream:
    assert text_format.Parse(stream.read(), tf.GraphDef()) == graph
print('cured')
