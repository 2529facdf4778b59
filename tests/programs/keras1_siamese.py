'''A graph of Keras 1: shared layers, Merge of branches, several outputs, masks, a loss and a layer of one's own.'''
# keras: 1.2.2
import json

import numpy as np

from keras import backend as K
from keras import initializations, objectives
from keras.engine.topology import Layer, InputSpec, merge
from keras.layers import Input, Dense, Embedding, LSTM, Lambda, Bidirectional, Dropout, Flatten, Highway, Merge
from keras.models import Model, Sequential
from keras.optimizers import Adadelta
from keras.utils.generic_utils import get_custom_objects


def fixed(shape, name=None):
    return K.variable(0.5 * np.sin(1.1 * np.arange(np.prod(shape)) + 2).reshape(shape), name=name)


get_custom_objects()['fixed'] = fixed


class Attention(Layer):
    """Attention over steps, as Keras 1 wrote layers: get_output_shape_for, add_weight, supports_masking."""

    def __init__(self, init='glorot_uniform', bias=True, **kwargs):
        self.supports_masking = True
        self.init = initializations.get(init)
        self.bias = bias
        super(Attention, self).__init__(**kwargs)

    def build(self, input_shape):
        assert len(input_shape) == 3
        self.input_spec = [InputSpec(shape=input_shape)]
        self.W = self.add_weight((input_shape[-1],), initializer=self.init, name='{}_W'.format(self.name))
        self.b = self.add_weight((input_shape[1],), initializer='zero', name='{}_b'.format(self.name))
        self.built = True

    def compute_mask(self, input, input_mask=None):
        return None

    def call(self, x, mask=None):
        eij = K.squeeze(K.dot(x, K.expand_dims(self.W)), axis=-1)
        if self.bias:
            eij += self.b
        a = K.exp(K.tanh(eij))
        if mask is not None:
            a *= K.cast(mask, K.floatx())
        a /= K.cast(K.sum(a, axis=1, keepdims=True) + K.epsilon(), K.floatx())
        return K.sum(x * K.expand_dims(a), axis=1)

    def get_output_shape_for(self, input_shape):
        return input_shape[0], input_shape[-1]


def euclidean_distance(vects):
    x, y = vects
    return K.sqrt(K.sum(K.square(x - y), axis=1, keepdims=True) + 1e-6)


def eucl_dist_output_shape(shapes):
    shape1, shape2 = shapes
    return (shape1[0], 1)


def contrastive_loss(y_true, y_pred):
    margin = 1
    return K.mean(y_true * K.square(y_pred) + (1 - y_true) * K.square(K.maximum(margin - y_pred, 0)))


def accuracy_at_half(y_true, y_pred):
    return K.mean(K.equal(K.cast(K.lesser(y_pred, 0.5), 'float32'), y_true))


rng = np.random.RandomState(3)
left, right = rng.randint(1, 20, (24, 6)), rng.randint(1, 20, (24, 6))
left[::2, 4:] = 0
right[1::3] = left[1::3]
same = np.all(left == right, axis=1).astype('float32')[:, None]

a = Input(shape=(6,), dtype='int32', name='left')
b = Input(shape=(6,), dtype='int32', name='right')
embed = Embedding(20, 5, init=fixed, mask_zero=True)
encode = Bidirectional(LSTM(4, return_sequences=True, init=fixed, inner_init=fixed), merge_mode='concat')
attend = Attention(init=fixed)
x, y = [attend(encode(embed(each))) for each in (a, b)]
distance = Lambda(euclidean_distance, output_shape=eucl_dist_output_shape, name='distance')([x, y])
joined = merge([x, y, merge([x, y], mode='mul')], mode='concat', concat_axis=-1)
hidden = Highway(activation='tanh', init=fixed)(joined)
topic = Dense(3, activation='softmax', init=fixed, name='topic')(Dropout(0.)(hidden))
model = Model(input=[a, b], output=[distance, topic])
model.compile(optimizer=Adadelta(lr=1.0), loss={'distance': contrastive_loss, 'topic': 'categorical_crossentropy'},
              loss_weights={'distance': 1., 'topic': 0.3}, metrics={'distance': accuracy_at_half, 'topic': 'accuracy'})
topics = np.eye(3)[left[:, 0] % 3]
history = model.fit({'left': left, 'right': right}, {'distance': same, 'topic': topics}, nb_epoch=3, batch_size=8,
                    shuffle=False, verbose=2, validation_split=0.25)


def generator():
    while True:
        yield [left[:8], right[:8]], [same[:8], topics[:8]]


generated = model.fit_generator(generator(), samples_per_epoch=16, nb_epoch=2, verbose=0,
                                validation_data=generator(), nb_val_samples=8)
branch1 = Sequential([Dense(3, input_dim=4, init=fixed)])
branch2 = Sequential([Dense(3, input_dim=2, init=fixed)])
joint = Sequential()
joint.add(Merge([branch1, branch2], mode='concat'))
joint.add(Dense(1, activation='sigmoid', init=fixed))
joint.compile('sgd', 'binary_crossentropy')
data = [rng.uniform(size=(10, 4)), rng.uniform(size=(10, 2))]
joint_fit = joint.fit(data, (data[0][:, :1] > 0.5) * 1, nb_epoch=2, batch_size=5, shuffle=False, verbose=0)

get_activations = K.function([model.layers[0].input, model.layers[1].input, K.learning_phase()], [x, hidden])
activations = get_activations([left[:2], right[:2], 0])
gradients = K.function(model.inputs + [K.learning_phase()], K.gradients(K.sum(distance), [attend.W]))
assert objectives.get('mse') is objectives.mean_squared_error
print('RESULT ' + json.dumps({
    'history': {key: [float(v) for v in values] for key, values in sorted(history.history.items())}['loss'],
    'val_loss': [float(v) for v in history.history['val_loss']],
    'val_distance': [float(v) for v in history.history['val_distance_accuracy_at_half']],
    'generated': [float(v) for v in generated.history['loss']], 'joint': [float(v) for v in joint_fit.history['loss']],
    'activations': [float(v) for v in np.concatenate([each.ravel() for each in activations])],
    'gradients': [float(v) for v in gradients([left, right, 0])[0]]}))
