"""Several tasks weighted by their uncertainty (Kendall et al. 2018) as of 2019: a layer whose log variances are weights and
whose loss goes through self.add_loss, targets as inputs of the model, trained by fit without y; heteroscedastic beside it."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.initializers import Constant
from tensorflow.keras.layers import Dense, Input, Lambda, Layer
from tensorflow.keras.models import Model


class CustomMultiLossLayer(Layer):
    def __init__(self, nb_outputs=2, **kwargs):
        self.nb_outputs = nb_outputs
        self.is_placeholder = True
        super(CustomMultiLossLayer, self).__init__(**kwargs)

    def build(self, input_shape=None):
        self.log_vars = []
        for i in range(self.nb_outputs):
            self.log_vars += [self.add_weight(name='log_var' + str(i), shape=(1,), initializer=Constant(0.),
                                              trainable=True)]
        super(CustomMultiLossLayer, self).build(input_shape)

    def multi_loss(self, ys_true, ys_pred):
        assert len(ys_true) == self.nb_outputs and len(ys_pred) == self.nb_outputs
        loss = 0
        for y_true, y_pred, log_var in zip(ys_true, ys_pred, self.log_vars):
            precision = K.exp(-log_var[0])
            loss += K.sum(precision * (y_true - y_pred)**2. + log_var[0], -1)
        return K.mean(loss)

    def call(self, inputs):
        ys_true = inputs[:self.nb_outputs]
        ys_pred = inputs[self.nb_outputs:]
        loss = self.multi_loss(ys_true, ys_pred)
        self.add_loss(loss, inputs=inputs)
        return K.concatenate(inputs, -1)


def get_prediction_model():
    inp = Input(shape=(2,), name='inp')
    x = Dense(10, activation='relu')(inp)
    y1_pred = Dense(1)(x)
    y2_pred = Dense(1)(x)
    return Model(inp, [y1_pred, y2_pred])


def get_trainable_model(prediction_model):
    inp = Input(shape=(2,), name='inp')
    y1_pred, y2_pred = prediction_model(inp)
    y1_true = Input(shape=(1,), name='y1_true')
    y2_true = Input(shape=(1,), name='y2_true')
    out = CustomMultiLossLayer(nb_outputs=2, name='losses')([y1_true, y2_true, y1_pred, y2_pred])
    return Model([inp, y1_true, y2_true], out)


class Homoscedastic(Layer):
    """A loss of a sample with a noise that the network says itself, and a metric by Lambda."""

    def call(self, inputs):
        y_true, mean, log_var = inputs
        nll = 0.5 * K.exp(-log_var) * K.square(y_true - mean) + 0.5 * log_var
        self.add_loss(K.mean(nll))
        return mean


rs = np.random.RandomState(19)
x = rs.normal(0, 1, (40, 2)).astype('float32')
y1 = (2 * x[:, :1] + 8 + rs.normal(0, 1, (40, 1)) * .3).astype('float32')
y2 = (3 * x[:, 1:] + 3 + rs.normal(0, 1, (40, 1))).astype('float32')
prediction_model = get_prediction_model()
trainable_model = get_trainable_model(prediction_model)
trainable_model.set_weights([rs.normal(0, .5, w.shape) * (w.ndim > 1) for w in trainable_model.get_weights()])
trainable_model.compile(optimizer='adam', loss=None)
assert len(trainable_model.layers[-1].trainable_weights) == 2
hist = trainable_model.fit([x, y1, y2], epochs=4, batch_size=20, verbose=0, shuffle=False)
sigmas = [float(np.exp(K.get_value(log_var[0]))**0.5) for log_var in trainable_model.layers[-1].log_vars]

inp, target = Input(shape=(2,)), Input(shape=(1,))
h = Dense(6, activation='tanh')(inp)
mean, log_var = Dense(1)(h), Dense(1)(h)
spread = Lambda(lambda t: K.exp(0.5 * t))(log_var)
noisy = Model([inp, target], Homoscedastic()([target, mean, log_var]))
noisy.set_weights([rs.normal(0, .5, w.shape) for w in noisy.get_weights()])
noisy.compile('sgd')
noisy_history = noisy.fit([x, y2], epochs=4, batch_size=20, verbose=0, shuffle=False)
spreads = Model(inp, [mean, spread]).predict(x[:3], verbose=0)
print('RESULT ' + json.dumps({
    'loss': [float(v) for v in hist.history['loss']], 'sigmas': sigmas,
    'predicted': [p.tolist() for p in prediction_model.predict(x[:3], verbose=0)],
    'evaluated': float(trainable_model.evaluate([x, y1, y2], batch_size=20, verbose=0)),
    'noisy': [float(v) for v in noisy_history.history['loss']], 'spreads': [s.tolist() for s in spreads]}))
