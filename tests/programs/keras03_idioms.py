"""Programs of Keras 0.3, of 2015: `border_mode='full'`, `show_accuracy`, `Graph`. Keras 1.2.2 lacks the last two, and
takes the first on Theano alone, so NumPy computes what is compared."""
# keras: 1.2.2
# original: no
import json

import numpy as np

from keras import backend as K
from keras.callbacks import EarlyStopping
from keras.layers import Activation, Convolution1D, Convolution2D, Convolution3D, Dense, Embedding, Flatten
from keras.models import Graph, Sequential

RESULT = {}
rng = np.random.RandomState(3)

# Each pixel where the kernel and the image meet at all.
for order in 'th', 'tf':
    K.set_image_dim_ordering(order)
    shape = (2, 5, 6) if order == 'th' else (5, 6, 2)
    for strides in (1, 1), (2, 1):
        layer = Convolution2D(3, 3, 2, border_mode='full', input_shape=shape, subsample=strides)
        model = Sequential([layer])
        image = rng.rand(1, *shape).astype('float32')
        kernel, bias = model.get_weights()
        rows = np.pad(image[0] if order == 'th' else image[0].transpose(2, 0, 1), [(0, 0), (2, 2), (1, 1)], 'constant')
        if order == 'tf':
            kernel = kernel.transpose(3, 2, 0, 1)
        wanted = np.array([
            [[np.sum(rows[:, i:i + 3, j:j + 2] * k) for j in range(7)] for i in range(0, 7, strides[0])] for k in kernel
        ])
        found = model.predict(image)[0]
        found = found if order == 'th' else found.transpose(2, 0, 1)
        assert found.shape == wanted.shape and layer.output_shape[1:] == model.predict(image)[0].shape
        assert np.allclose(found, wanted, atol=1e-5)
        RESULT['full_%s%d' % (order, strides[0])] = float(found.sum())
assert Sequential([Convolution1D(2, 3, border_mode='full', input_shape=(8, 2))]).output_shape == (None, 10, 2)
volumes = Sequential([Convolution3D(2, 3, 2, 1, border_mode='full', input_shape=(4, 4, 4, 1))])
assert volumes.predict(np.ones((1, 4, 4, 4, 1))).shape == (1, 6, 5, 4, 2)
assert K.int_shape(K.conv1d(K.zeros((1, 5, 2)), K.zeros((3, 2, 1)), border_mode='full')) == (1, 7, 1)

# The accuracy, for which a model was not compiled.
x, y = rng.rand(12, 4), np.eye(3)[np.arange(12) % 3]
model = Sequential([Dense(3, input_shape=(4,)), Activation('softmax')])
model.compile(loss='categorical_crossentropy', optimizer='adam', class_mode='categorical')
assert np.isscalar(model.evaluate(x, y, verbose=0))
model.fit(x, y, nb_epoch=2, verbose=0)
state = model.optimizer.get_weights()
loss, accuracy = model.evaluate(x, y, show_accuracy=True, verbose=0)
assert all(np.array_equal(a, b) for a, b in zip(state, model.optimizer.get_weights())) and state[0] == 2
assert np.isclose(accuracy, np.mean(model.predict_classes(x, verbose=0) == np.arange(12) % 3))
history = model.fit(x, y, validation_data=(x, y), nb_epoch=1, verbose=0, show_accuracy=True).history
assert sorted(history) == ['acc', 'loss', 'val_acc', 'val_loss']
assert len(model.train_on_batch(x, y, accuracy=True)) == len(model.test_on_batch(x, y, accuracy=True)) == 2
RESULT['right'] = float(accuracy)

# Nodes with names.
graph = Graph()
graph.add_input(name='numbers', input_shape=(4,))
graph.add_input(name='words', input_shape=(2,), dtype='int')
graph.add_node(Embedding(5, 3), name='embedded', input='words')
graph.add_node(Flatten(), name='flat', input='embedded')
graph.add_node(Dense(6), name='dense', inputs=['numbers', 'flat'])
graph.add_shared_node(Dense(6), name='shared', inputs=['dense', 'dense'], merge_mode='sum')
graph.add_shared_node(Dense(2), name='two', inputs=['dense', 'shared'], outputs=['left', 'right'])
graph.add_node(Dense(1, activation='sigmoid'), name='first', inputs=['left', 'right'], merge_mode='mul',
               create_output=True)
graph.add_output(name='second', input='left')
graph.compile('rmsprop', {'first': 'binary_crossentropy', 'second': 'mse'})
assert isinstance(graph, Graph) and sorted(graph.nodes) == ['dense', 'embedded', 'first', 'flat', 'shared', 'two']
data = {'numbers': x, 'words': np.ones((12, 2)), 'first': np.ones(12), 'second': np.ones((12, 2))}
history = graph.fit(data, nb_epoch=2, verbose=0, validation_data=data, sample_weight={'first': np.ones(12)},
                    callbacks=[EarlyStopping()]).history
assert {'loss', 'val_loss'} <= set(history) and np.isclose(graph.evaluate(data), graph.test_on_batch(data), atol=1e-6)
before = graph.predict(data)
assert before['first'].shape == (12, 1) and before['second'].shape == (12, 2)
graph.save_weights('graph.h5', overwrite=True)
assert graph.train_on_batch(data) > 0 and not np.allclose(graph.predict_on_batch(data)['second'], before['second'])
graph.load_weights('graph.h5')
assert np.allclose(graph.predict(data)['first'], before['first'], atol=1e-6)
for wrong in dict(name='dense', input='numbers'), dict(name='new', input='nowhere'), dict(name='new'):
    try:
        graph.add_node(Dense(1), **wrong)
    except ValueError as error:
        assert 'Graph' in str(error)
    else:
        raise AssertionError(wrong)
print('RESULT ' + json.dumps(RESULT))
