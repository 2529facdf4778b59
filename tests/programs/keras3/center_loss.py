"""Center loss as of 2019: a layer whose centers are a weight that is no part of the gradient, moved by K.update_sub."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Input, Layer
from tensorflow.keras.models import Model


class CenterLossLayer(Layer):
    def __init__(self, classes, alpha=0.5, **kwargs):
        super().__init__(**kwargs)
        self.classes, self.alpha = classes, alpha

    def build(self, input_shape):
        self.centers = self.add_weight(name='centers', shape=(self.classes, input_shape[0][-1]),
                                       initializer='uniform', trainable=False)
        super().build(input_shape)

    def call(self, x, training=None):
        features, labels = x
        delta_centers = K.dot(K.transpose(labels), (K.dot(labels, self.centers) - features))
        center_counts = K.sum(K.transpose(labels), axis=1, keepdims=True) + 1
        delta_centers /= center_counts
        result = features - K.dot(labels, self.centers)
        if training:
            K.update_sub(self.centers, self.alpha * delta_centers)
        return K.sum(result ** 2, axis=1, keepdims=True)

    def compute_output_shape(self, input_shape):
        return (input_shape[0][0], 1)


def zero_loss(y_true, y_pred):
    return 0.5 * K.sum(y_pred, axis=0)


rs = np.random.RandomState(19)
pictures, labels = Input((6,)), Input((3,))
features = Dense(2)(Dense(8, activation='relu')(pictures))
probabilities = Dense(3, activation='softmax')(features)
side = CenterLossLayer(3, name='centerlosslayer')([features, labels])
model = Model([pictures, labels], [probabilities, side])
for layer in model.layers:
    layer.set_weights([rs.normal(0, .5, w.shape) for w in layer.get_weights()])
model.compile(optimizer='sgd', loss=['categorical_crossentropy', zero_loss], loss_weights=[1, .1])
x, y = rs.normal(0, 1, (24, 6)).astype('float32'), np.eye(3, dtype='float32')[np.arange(24) % 3]
centers = model.get_layer('centerlosslayer').centers
start = K.get_value(centers).astype('float64')
first = Model([pictures, labels], [features, side]).predict([x[:6], y[:6]], verbose=0)
np.testing.assert_allclose(first[1][:, 0], ((first[0] - y[:6] @ start) ** 2).sum(1), rtol=1e-3)
assert (K.get_value(centers) == start.astype('float32')).all(), 'predict has moved the centers'
model.train_on_batch([x[:6], y[:6]], [y[:6], np.zeros((6, 1))])
moved = start - .5 * (y[:6].T @ (y[:6] @ start - first[0])) / (y[:6].sum(0)[:, None] + 1)
np.testing.assert_allclose(K.get_value(centers), moved, rtol=1e-4)
history = model.fit([x, y], [y, np.zeros((24, 1))], batch_size=6, epochs=3, shuffle=False, verbose=0)
print('RESULT ' + json.dumps({'centers': K.get_value(centers).tolist(), 'first': first[1][:, 0].tolist(),
                              'loss': [float(v) for v in history.history['loss']]}))
