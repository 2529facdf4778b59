"""Models with recurrent layers. See `writing`."""

import numpy as np
from writing import LIBRARY, NUMBERS, K, L, keras, main, model, numbers

if LIBRARY == 'tf.keras':
    import tensorflow

Model, Sequential = keras.models.Model, keras.models.Sequential
NEW = NUMBERS >= (3,)
TF2 = LIBRARY == 'tf.keras' and NUMBERS >= (2, 4)
CELLS = hasattr(L, 'RNN')


@model('recurrent')
def recurrent():
    """The three recurrent layers with their defaults, one after the other, backwards, without bias."""
    x = L.Input((5, 3))
    a = L.SimpleRNN(4, return_sequences=True)(x)
    b = L.GRU(3, return_sequences=True, go_backwards=True)(a)
    c = L.LSTM(2, go_backwards=True)(b)
    outputs = [a, b, c, L.GRU(2, use_bias=False, activation='relu')(x), L.SimpleRNN(2, use_bias=False)(x)]
    return Model(x, outputs), [numbers(2, 5, 3)]


@model('gates')
def gates():
    """Implementations, hard_sigmoid and other gates, unit_forget_bias, reset_after, dropouts."""
    x = L.Input((5, 3))
    hard = {'recurrent_activation': 'hard_sigmoid'}
    one, two = ({}, {}) if NEW else ({'implementation': 1}, {'implementation': 2})
    if NUMBERS < (2, 1):
        one = {'implementation': 0}
    outputs = [
        L.LSTM(3, unit_forget_bias=False, dropout=0.2, recurrent_dropout=0.1, **dict(hard, **one))(x),
        L.LSTM(3, recurrent_activation='sigmoid', activation='softsign', **two)(x),
        L.GRU(3, **dict(hard, **two))(x),
        L.GRU(3, recurrent_activation='tanh', **one)(x),
    ]
    if NUMBERS >= (2, 1, 3):
        outputs.append(L.GRU(3, reset_after=True, **hard)(x))
        outputs.append(L.GRU(2, reset_after=True, use_bias=False, recurrent_activation='sigmoid')(x))
        outputs.append(L.GRU(2, reset_after=False, recurrent_activation='sigmoid', **two)(x))
    return Model(x, outputs), [numbers(2, 5, 3, low=-3, high=3)]


@model('states')
def states():
    """An encoder whose states begin a decoder, states as inputs of the model, states as outputs."""
    words, given, h0 = L.Input((4, 3), name='words'), L.Input((None, 2), name='given'), L.Input((3,), name='h0')
    _, h, c = L.LSTM(3, return_state=True, name='encoder')(words)
    steps, h2, c2 = L.LSTM(3, return_state=True, return_sequences=True, name='decoder')(given, initial_state=[h, c])
    gru = L.GRU(3, name='gru')(given, initial_state=h0)
    simple = L.SimpleRNN(3, name='simple')(given, initial_state=[h])
    y = L.TimeDistributed(L.Dense(2, activation='softmax'), name='probabilities')(steps)
    arrays = [numbers(2, 4, 3), numbers(2, 5, 2, seed=4), numbers(2, 3, seed=5)]
    return Model([words, given, h0], [y, h2, c2, gru, simple]), arrays


@model('masked_states', needs=lambda: CELLS and K.backend() == 'tensorflow')
def masked_states():
    """Masks beside states: each recurrent layer, wrappers, cells, layers behind them, a model around them."""
    words, h = L.Input((5,), name='words'), L.Input((3,), name='h')
    e = L.Embedding(7, 4, mask_zero=True, name='embedding')(words)
    steps = L.LSTM(3, return_sequences=True, name='steps')(e, initial_state=[h, h])
    outputs = [L.LSTM(3, name='lstm')(e, initial_state=[h, h]), L.GRU(3, name='gru')(e, initial_state=h)]
    outputs += [steps, L.GRU(2, name='behind')(steps), L.GlobalAveragePooling1D(name='mean')(steps)]
    outputs += L.SimpleRNN(3, return_state=True, name='simple')(e, initial_state=h)
    both = L.Bidirectional(L.GRU(3, return_sequences=True), name='both')(e, initial_state=[h, h])
    outputs += [both, L.GlobalAveragePooling1D(name='mean_of_both')(both)]
    outputs.append(L.Bidirectional(L.LSTM(3), name='ends')(e, initial_state=[h] * 4))
    outputs.append(L.RNN([L.GRUCell(3), L.SimpleRNNCell(3)], name='cells')(e, initial_state=[h, h]))
    outputs.append(L.RNN(L.SimpleRNNCell(3), return_sequences=True, name='cell')(e, initial_state=h))
    x, y = L.Input((5, 4)), L.Input((3,))
    inner = Model([x, y], L.GRU(3, name='inner_gru')(L.Masking(0.0)(x), initial_state=y), name='inner')
    outputs.append(inner([e, h]))
    outputs.append(L.TimeDistributed(L.Dense(2), name='distributed')(steps))
    arrays = np.array([[3, 2, 1, 0, 0], [1, 2, 0, 4, 5], [0, 0, 6, 1, 2]], 'int32')
    return Model([words, h], outputs), [arrays, numbers(3, 3)]


@model('masked_states_archive', form='keras', needs=lambda: NUMBERS >= (2, 13) and K.backend() == 'tensorflow')
def masked_states_archive():
    """The same in an archive."""
    return masked_states()


@model('masked_attention', needs=lambda: TF2 and NUMBERS < (2, 14))
def masked_attention():
    """Masks of several inputs: attentions by lists and by arguments, merges, and what comes behind them."""
    words, more = L.Input((5,), name='words'), L.Input((4,), name='more')
    e, f = [L.Embedding(7, 4, mask_zero=True, name=name)(x) for name, x in (('e', words), ('f', more))]
    dot = L.Attention(name='dot')([e, f])
    outputs = [dot, L.GlobalAveragePooling1D(name='mean')(dot), L.AdditiveAttention(name='additive')([e, f])]
    outputs.append(L.Attention(name='three')([e, f, f]))
    outputs.append(L.MultiHeadAttention(2, 3, name='heads')(e, f))
    outputs.append(L.MultiHeadAttention(2, 3, name='keys')(e, f, key=f))
    outputs.append(L.GRU(3, name='of_heads')(outputs[-1]))
    outputs.append(L.GRU(3, name='of_sum')(L.Add(name='sum')([e, dot])))
    outputs.append(L.GRU(3, name='of_joined')(L.Concatenate(axis=1, name='joined')([e, f])))
    outputs.append(L.GRU(3, name='of_dense')(L.Dense(3, name='dense')(L.LayerNormalization(name='norm')(dot))))
    arrays = [[[3, 2, 1, 0, 0], [1, 2, 0, 4, 5], [6, 0, 6, 1, 2]], [[1, 0, 0, 0], [2, 3, 4, 0], [5, 6, 1, 3]]]
    return Model([words, more], outputs), [np.array(one, 'int32') for one in arrays]


@model('stateful')
def stateful():
    """Layers that keep their states: y is the first prediction, `again` the one after it."""
    if NEW:
        x = L.Input(batch_shape=(2, 3, 2))
        y = L.LSTM(3, stateful=True, return_sequences=True)(x)
        net = Model(x, L.GRU(2, stateful=True)(y))
    else:
        net = Sequential()
        net.add(L.LSTM(3, stateful=True, return_sequences=True, batch_input_shape=(2, 3, 2)))
        net.add(L.GRU(2, stateful=True))
    return net, [numbers(2, 3, 2)], {'twice': True}


@model('bidirectional')
def bidirectional():
    """Bidirectional with sums, products and averages of what both ways give."""
    x = L.Input((4, 3))
    outputs = [
        L.Bidirectional(L.GRU(2), merge_mode='sum')(x),
        L.Bidirectional(L.SimpleRNN(2, return_sequences=True), merge_mode='mul')(x),
        L.Bidirectional(L.GRU(2, go_backwards=True), merge_mode='ave')(x),
    ]
    return Model(x, outputs), [numbers(2, 4, 3)]


@model('bidirectional_lstm')
def bidirectional_lstm():
    """Bidirectional LSTM: joined, not merged, over a masked input."""
    x = L.Input((4, 3))
    masked = L.Masking()(x)
    two = L.Bidirectional(L.LSTM(2, return_sequences=True), merge_mode=None)(x)
    joined = L.Bidirectional(L.LSTM(2, return_sequences=True), merge_mode='concat')(x)
    given = numbers(2, 4, 3)
    given[0, 2:] = 0
    return Model(x, [joined, L.Bidirectional(L.LSTM(2))(masked)] + list(two)), [given]


@model('distributed')
def distributed():
    """TimeDistributed over a dense layer, a convolution, a normalisation and a model, then a bidirectional layer."""
    x = L.Input((3, 6, 5, 2))
    inner_x = L.Input((4, 4, 3))
    inner = Model(inner_x, L.Dense(2)(L.Flatten()(L.MaxPooling2D(2)(inner_x))), name='inner')
    y = L.TimeDistributed(L.Conv2D(3, (3, 2), activation='relu'), name='frames')(x)
    y = L.TimeDistributed(L.BatchNormalization())(y)
    y = L.TimeDistributed(inner, name='features')(y)
    z = L.Bidirectional(L.GRU(2, return_sequences=True))(y)
    z = L.TimeDistributed(L.Dense(2, activation='softmax'))(z)
    return Model(x, [y, z]), [numbers(2, 3, 6, 5, 2)]


@model('conv_lstm', needs=lambda: not NEW or K.backend() == 'tensorflow')
def conv_lstm():
    """Recurrent convolutions: defaults, backwards, strided, dilated, bidirectional."""
    x = L.Input((3, 5, 4, 2))
    a = L.ConvLSTM2D(2, (3, 2), padding='same', return_sequences=True)(x)
    b = L.ConvLSTM2D(2, 2, strides=(2, 1), recurrent_activation='sigmoid', go_backwards=True)(a)
    c = L.ConvLSTM2D(2, 2, dilation_rate=(2, 1), use_bias=False)(x)
    return Model(x, [a, b, c]), [numbers(1, 3, 5, 4, 2)]


@model('conv_lstm_first', needs=lambda: LIBRARY == 'keras' and not NEW)
def conv_lstm_first():
    """A recurrent convolution, channels first."""
    x = L.Input((3, 2, 5, 4))
    return Model(x, L.ConvLSTM2D(2, (3, 2), data_format='channels_first')(x)), [numbers(1, 3, 2, 5, 4)]


@model('cells', needs=lambda: CELLS)
def cells():
    """RNN with one cell, with a stack of cells, with states as outputs."""
    x = L.Input((4, 3))
    a = L.RNN(L.SimpleRNNCell(2))(x)
    b = L.RNN([L.LSTMCell(3), L.GRUCell(2)], return_sequences=True)(x)
    c = L.RNN(L.StackedRNNCells([L.GRUCell(2), L.SimpleRNNCell(3), L.LSTMCell(2)]), go_backwards=True)(x)
    found = L.RNN(L.LSTMCell(2, recurrent_activation='hard_sigmoid'), return_state=True)(x)
    return Model(x, [a, b, c] + list(found)), [numbers(2, 4, 3)]


def shape_alone(self, inputs, **options):
    """A layer of cuDNN on a machine without a GPU: a tensor of the right shape, which nobody computes."""
    steps = K.dot(inputs, K.zeros((K.int_shape(inputs)[-1], self.units)))
    return steps if self.return_sequences else steps[:, -1]


def gpu_layers(lstm, gru):
    """A net of LSTM(s) and GRU(s) of either kind."""
    x = L.Input((4, 3))
    a = lstm(3, return_sequences=True, name='lstm')(x)
    b = L.Bidirectional(gru(2, return_sequences=True, name='gru'), name='both')(a)
    return Model(x, [lstm(2, go_backwards=True, name='backwards')(b), gru(2, name='last')(b)])


@model('cudnn', needs=lambda: not NEW and NUMBERS >= (2, 2) and K.backend() == 'tensorflow')
def cudnn():
    """Layers of cuDNN; predictions by LSTM and GRU(reset_after) that loaded the weights from this file."""
    given = [numbers(2, 4, 3)]

    def predict(path):
        same = gpu_layers(
            lambda *a, **k: L.LSTM(*a, recurrent_activation='sigmoid', **k),
            lambda *a, **k: L.GRU(*a, recurrent_activation='sigmoid', reset_after=True, **k),
        )
        same.load_weights(path)
        return same.predict(given)

    layers = keras.layers if LIBRARY == 'keras' else tensorflow.compat.v1.keras.layers
    layers.CuDNNLSTM.call = layers.CuDNNGRU.call = shape_alone
    return gpu_layers(layers.CuDNNLSTM, layers.CuDNNGRU), given, {'predict': predict}


@model('time_major', needs=lambda: TF2 and NUMBERS < (2, 16))
def time_major():
    """Recurrent layers with steps as the first axis."""
    x = L.Input(batch_shape=(4, 2, 3))
    y = L.LSTM(3, time_major=True, return_sequences=True)(x)
    return Model(x, L.RNN(L.GRUCell(2), time_major=True, return_sequences=True)(y)), [numbers(4, 2, 3)], {'new': True}


if __name__ == '__main__':
    main()
