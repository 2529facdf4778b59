"""Models of one layer, or of few, for every kind that `files.layers` has. `record_layers.py` runs them with Keras.

A row: name of the case, kind, arguments, inputs. An input is a letter and sizes without that of the batch: `f 4 3` for
normal numbers, `i5 4` for integers below 5, `p 4` for positive numbers. `?4` is a size that the model does not know.
Input `m` is `f` whose last axis is zero at some steps, with Masking behind it.
"""

# Of Keras 2.3.1.
LAYERS = [
    ('Dense', dict(units=4, activation='relu'), ['f 5']),
    ('Dense', dict(units=4, use_bias=False, activation='softmax'), ['f 3 5']),
    ('Dense', dict(units=2, activation='selu'), ['f ?3 2 5']),
    ('Dense', dict(units=2, activation='tanh'), ['m 4 3']),
    *[
        ('Activation', dict(activation=name), ['f 3 4'])
        for name in (
            'linear softmax elu selu softplus softsign relu tanh sigmoid hard_sigmoid exponential'.split()
        )
    ],
    ('Dropout', dict(rate=0.5), ['f 4']),
    ('SpatialDropout1D', dict(rate=0.5), ['m 4 2']),
    ('SpatialDropout2D', dict(rate=0.5), ['f 2 3 4']),
    ('SpatialDropout3D', dict(rate=0.5), ['f 2 3 2 4']),
    ('GaussianNoise', dict(stddev=1.0), ['f 4']),
    ('GaussianDropout', dict(rate=0.5), ['f 4']),
    ('AlphaDropout', dict(rate=0.5), ['m 4 2']),
    ('ActivityRegularization', dict(l1=0.5), ['m 4 2']),
    ('Flatten', {}, ['f 2 3 4']),
    ('Flatten', dict(data_format='channels_first'), ['f 2 3 4']),
    ('Reshape', dict(target_shape=(2, 6)), ['f 3 4']),
    ('Reshape', dict(target_shape=(2, -1, 3)), ['f 3 4']),
    ('Reshape', dict(target_shape=(-1, 2)), ['f ?3 4']),
    ('Permute', dict(dims=(2, 1)), ['f 3 4']),
    ('Permute', dict(dims=(3, 1, 2)), ['f 2 3 4']),
    ('RepeatVector', dict(n=3), ['f 4']),
    ('Masking', dict(mask_value=0.0), ['m 4 3']),
    ('Masking', dict(mask_value=1.5), ['f 4 3']),
    ('Conv1D', dict(filters=3, kernel_size=3), ['f 8 2']),
    ('Conv1D', dict(filters=3, kernel_size=3, padding='causal', dilation_rate=2, activation='relu'), ['f ?8 2']),
    ('Conv1D', dict(filters=3, kernel_size=2, padding='same', strides=2, use_bias=False), ['f 7 2']),
    ('Conv1D', dict(filters=3, kernel_size=2, padding='same', dilation_rate=3), ['f 7 2']),
    ('Conv2D', dict(filters=3, kernel_size=(2, 3)), ['f 5 6 2']),
    ('Conv2D', dict(filters=3, kernel_size=3, strides=(2, 1), padding='same', activation='elu'), ['f 5 6 2']),
    ('Conv2D', dict(filters=2, kernel_size=2, dilation_rate=(2, 1), padding='same'), ['f 5 6 2']),
    ('Conv2D', dict(filters=2, kernel_size=4, strides=3, padding='same', use_bias=False), ['f ?7 ?6 2']),
    ('Conv3D', dict(filters=2, kernel_size=2), ['f 3 4 3 2']),
    ('Conv3D', dict(filters=2, kernel_size=(2, 1, 3), strides=(1, 2, 2), padding='same'), ['f 3 4 3 2']),
    ('Conv2DTranspose', dict(filters=3, kernel_size=3), ['f 3 4 2']),
    ('Conv2DTranspose', dict(filters=3, kernel_size=3, strides=2, padding='same', activation='relu'), ['f 3 4 2']),
    ('Conv2DTranspose', dict(filters=3, kernel_size=(2, 3), strides=(3, 2)), ['f ?3 ?4 2']),
    ('Conv2DTranspose', dict(filters=3, kernel_size=3, strides=2, output_padding=1), ['f 3 4 2']),
    ('Conv2DTranspose', dict(filters=3, kernel_size=3, strides=(2, 3), padding='same', output_padding=(0, 2)),
     ['f 3 4 2']),
    ('Conv2DTranspose', dict(filters=3, kernel_size=2, dilation_rate=2), ['f 3 4 2']),
    ('Conv2DTranspose', dict(filters=3, kernel_size=3, dilation_rate=2, padding='same'), ['f 5 4 2']),
    ('Conv3DTranspose', dict(filters=2, kernel_size=2, strides=2), ['f 2 3 2 2']),
    ('Conv3DTranspose', dict(filters=2, kernel_size=3, strides=2, padding='same', use_bias=False), ['f 2 3 2 2']),
    ('Conv3DTranspose', dict(filters=2, kernel_size=3, strides=2, output_padding=1), ['f 2 3 2 2']),
    ('DepthwiseConv2D', dict(kernel_size=3), ['f 5 6 2']),
    ('DepthwiseConv2D', dict(kernel_size=2, depth_multiplier=3, padding='same', strides=2), ['f 5 6 2']),
    ('SeparableConv1D', dict(filters=3, kernel_size=3), ['f 7 2']),
    ('SeparableConv1D', dict(filters=3, kernel_size=2, strides=2, padding='same', depth_multiplier=2), ['f 7 2']),
    ('SeparableConv1D', dict(filters=3, kernel_size=2, dilation_rate=2), ['f ?7 2']),
    ('SeparableConv2D', dict(filters=3, kernel_size=3), ['f 5 6 2']),
    ('SeparableConv2D',
     dict(filters=3, kernel_size=2, strides=2, padding='same', depth_multiplier=2, activation='relu'), ['f 5 6 2']),
    ('SeparableConv2D', dict(filters=3, kernel_size=2, dilation_rate=2, use_bias=False), ['f 5 6 2']),
    ('Cropping1D', dict(cropping=(1, 2)), ['f 6 2']),
    ('Cropping1D', dict(cropping=(0, 0)), ['f 6 2']),
    ('Cropping2D', dict(cropping=((1, 0), (0, 2))), ['f 4 5 2']),
    ('Cropping2D', dict(cropping=((1, 0), (2, 1)), data_format='channels_first'), ['f 2 4 5']),
    ('Cropping3D', dict(cropping=((1, 0), (0, 2), (1, 1))), ['f 3 4 4 2']),
    ('Cropping3D', dict(cropping=1, data_format='channels_first'), ['f 2 3 4 4']),
    ('ZeroPadding1D', dict(padding=(1, 2)), ['f 4 2']),
    ('ZeroPadding2D', dict(padding=((1, 0), (0, 2))), ['f 2 3 2']),
    ('ZeroPadding2D', dict(padding=(1, 2), data_format='channels_first'), ['f 2 2 3']),
    ('ZeroPadding3D', dict(padding=((1, 0), (0, 2), (1, 1))), ['f 2 2 2 2']),
    ('ZeroPadding3D', dict(padding=1, data_format='channels_first'), ['f 2 2 2 2']),
    ('UpSampling1D', dict(size=3), ['f 3 2']),
    ('UpSampling2D', dict(size=(2, 3)), ['f 2 3 2']),
    ('UpSampling2D', dict(size=(2, 3), interpolation='bilinear'), ['f 3 4 2']),
    ('UpSampling2D', dict(size=2, data_format='channels_first'), ['f 2 2 3']),
    ('UpSampling3D', dict(size=(1, 2, 3)), ['f 2 2 2 2']),
    ('UpSampling3D', dict(size=2, data_format='channels_first'), ['f 2 2 2 2']),
    *[
        (kind + 'Pooling1D', arguments, ['f 7 2'])
        for kind in ('Max', 'Average')
        for arguments in ({}, dict(pool_size=3, strides=2, padding='same'), dict(pool_size=3, strides=1))
    ],
    *[
        (kind + 'Pooling1D', dict(pool_size=3, strides=2, padding='same', data_format='channels_first'), ['f 2 7'])
        for kind in ('Max', 'Average')
    ],
    *[
        (kind + 'Pooling2D', arguments, ['f 5 6 2'])
        for kind in ('Max', 'Average')
        for arguments in ({}, dict(pool_size=(3, 2), strides=2, padding='same'), dict(pool_size=3, strides=(1, 2)))
    ],
    *[
        (kind + 'Pooling3D', arguments, ['f 4 5 3 2'])
        for kind in ('Max', 'Average')
        for arguments in ({}, dict(pool_size=(3, 2, 2), strides=2, padding='same'))
    ],
    *[
        (f'Global{kind}Pooling{rank}D', dict(data_format=data_format), ['f ' + ' '.join('3425'[: rank + 1])])
        for kind in ('Max', 'Average')
        for rank in (1, 2, 3)
        for data_format in ('channels_last', 'channels_first')
    ],
    ('GlobalAveragePooling1D', {}, ['m 5 2']),
    ('LocallyConnected1D', dict(filters=3, kernel_size=2, strides=2), ['f 7 2']),
    ('LocallyConnected1D', dict(filters=3, kernel_size=3, use_bias=False, activation='tanh'), ['f 5 2']),
    ('LocallyConnected2D', dict(filters=3, kernel_size=2), ['f 4 5 2']),
    ('LocallyConnected2D', dict(filters=3, kernel_size=(1, 3), strides=(2, 1)), ['f 4 5 2']),
    ('LocallyConnected2D', dict(filters=3, kernel_size=(2, 1), data_format='channels_first'), ['f 2 4 5']),
    *[
        (kind, arguments, [inputs])
        for kind in ('SimpleRNN', 'GRU', 'LSTM')
        for arguments, inputs in (
            ({}, 'f 5 3'),
            (dict(return_sequences=True), 'm 5 3'),
            (dict(go_backwards=True), 'm ?5 3'),
            (dict(return_sequences=True, return_state=True, go_backwards=True), 'm 5 3'),
            (dict(return_state=True, use_bias=False), 'f ?5 3'),
            (dict(activation='relu', unroll=True, implementation=2), 'm 5 3'),
        )
        for arguments in [dict(arguments, units=4)]
    ],
    ('GRU', dict(units=4, reset_after=True), ['m 5 3']),
    ('GRU', dict(units=4, reset_after=True, recurrent_activation='sigmoid', use_bias=False), ['f 5 3']),
    ('GRU', dict(units=4, reset_after=True), ['f 5 3']),
    ('GRU', dict(units=4, recurrent_activation='hard_sigmoid'), ['f 5 3']),
    ('LSTM', dict(units=4, recurrent_activation='hard_sigmoid'), ['f 5 3']),
    ('ConvLSTM2D', dict(filters=2, kernel_size=3), ['f 3 5 4 2']),
    ('ConvLSTM2D', dict(filters=2, kernel_size=2, padding='same', return_sequences=True, strides=2), ['f 3 5 4 2']),
    ('ConvLSTM2D', dict(filters=2, kernel_size=(1, 2), dilation_rate=2, go_backwards=True), ['f ?3 5 4 2']),
    ('ConvLSTM2D', dict(filters=2, kernel_size=2, return_state=True, use_bias=False), ['f 3 5 4 2']),
    ('Embedding', dict(input_dim=6, output_dim=3), ['i6 4']),
    ('Embedding', dict(input_dim=6, output_dim=3, mask_zero=True), ['i6 ?4']),
    *[(kind, {}, ['f 3', 'f 3']) for kind in 'Add Subtract Multiply Average Maximum Minimum Concatenate'.split()],
    *[(kind, {}, ['f 4 3', 'f 3', 'f 4 3']) for kind in 'Add Multiply Average Maximum Minimum'.split()],
    *[(kind, {}, ['m 4 3', 'm 4 3']) for kind in 'Add Subtract Maximum Concatenate'.split()],
    *[(kind, {}, ['m 4 3', 'f 4 3']) for kind in 'Multiply Concatenate'.split()],
    ('Concatenate', dict(axis=1), ['f 2 3', 'f 4 3']),
    ('Concatenate', dict(axis=1), ['m 2 3', 'm 4 3']),
    ('Dot', dict(axes=1), ['f 4', 'f 4']),
    ('Dot', dict(axes=-1, normalize=True), ['f 4', 'f 4']),
    ('Dot', dict(axes=(2, 1)), ['f 2 4', 'f 4 3']),
    ('Dot', dict(axes=(1, 2), normalize=True), ['f 4 2', 'f 3 4']),
    ('Dot', dict(axes=2), ['m 4 3', 'm 4 3']),
    ('LeakyReLU', dict(alpha=0.1), ['f 4']),
    ('LeakyReLU', {}, ['m 3 4']),
    ('ELU', dict(alpha=0.5), ['f 4']),
    ('ThresholdedReLU', dict(theta=0.5), ['f 4']),
    ('ReLU', dict(max_value=1.0, negative_slope=0.1, threshold=0.2), ['f 8']),
    ('ReLU', {}, ['f 4']),
    ('Softmax', {}, ['f 3 4']),
    ('Softmax', dict(axis=1), ['f 3 4']),
    ('PReLU', {}, ['f 3 4']),
    ('PReLU', dict(shared_axes=[1, 2]), ['f 3 4 2']),
    ('BatchNormalization', {}, ['f 4']),
    ('BatchNormalization', dict(scale=False, epsilon=0.1), ['m 3 4']),
    ('BatchNormalization', dict(center=False), ['f 3 4 2']),
    ('BatchNormalization', dict(axis=1), ['f 3 4 2']),
    ('Highway', dict(activation='tanh'), ['f 4']),
    ('Highway', dict(bias=False), ['f 4']),
    ('MaxoutDense', dict(output_dim=3, nb_feature=2), ['f 4']),
    ('MaxoutDense', dict(output_dim=3, nb_feature=2, bias=False), ['f 4']),
]  # fmt: skip


def _td(layer, shape):
    return lambda k: k.chain([k.L.TimeDistributed(layer(k.L))], shape)


# Of Keras 2.3.1: name -> k -> a model. k has L (keras.layers), Model, Sequential, Input, and `chain`, which makes a
# model of layers, one after the other.
MODELS = {
    'TimeDistributed dense': _td(lambda L: L.Dense(2, activation='relu'), 'f 4 3'),
    'TimeDistributed convolution': _td(lambda L: L.Conv2D(2, 2), 'f 2 4 3 2'),
    'TimeDistributed of unknown length': _td(lambda L: L.Dense(2), 'f ?4 3'),
    'TimeDistributed with a mask': _td(lambda L: L.Dense(2), 'm 4 3'),
    'TimeDistributed recurrent with a mask': _td(lambda L: L.GRU(2), 'm 3 4 2'),
    'TimeDistributed sequences with a mask': _td(lambda L: L.LSTM(2, return_sequences=True), 'm 3 4 2'),
    'TimeDistributed masking': lambda k: k.chain(
        [k.L.TimeDistributed(k.L.Masking()), k.L.TimeDistributed(k.L.LSTM(2)), k.L.LSTM(2)], 'f 3 4 2'
    ),
    'TimeDistributed embedding': lambda k: k.chain(
        [k.L.TimeDistributed(k.L.Embedding(5, 2, mask_zero=True)), k.L.TimeDistributed(k.L.GRU(2)), k.L.GRU(2)],
        'i5 3 4',
    ),
    'TimeDistributed batch normalization': _td(lambda L: L.BatchNormalization(), 'f 4 3'),
    'TimeDistributed of a model': lambda k: k.chain(
        [k.L.TimeDistributed(k.Sequential([k.L.Dense(3, input_shape=(2,)), k.L.BatchNormalization(), k.L.Dense(2)]))],
        'f 4 2',
    ),
    'TimeDistributed of a known batch': lambda k: k.chain([k.L.TimeDistributed(k.L.Dense(2))], 'f 4 3', batch=3),
    **{
        f'Bidirectional {mode} {sequences}': lambda k, mode=mode, sequences=sequences: k.chain(
            [k.L.Bidirectional(k.L.LSTM(2, return_sequences=sequences), merge_mode=mode)], 'm 4 3'
        )
        for mode in ('concat', 'sum', 'mul', 'ave', None)
        for sequences in (True, False)
    },
    'Bidirectional with states': lambda k: k.chain(
        [k.L.Bidirectional(k.L.GRU(2, return_sequences=True, return_state=True))], 'm 4 3'
    ),
    'Bidirectional backwards': lambda k: k.chain(
        [k.L.Bidirectional(k.L.SimpleRNN(2, return_sequences=True, go_backwards=True))], 'f ?4 3'
    ),
    'RNN of a cell': lambda k: k.chain([k.L.RNN(k.L.GRUCell(3, reset_after=True), return_state=True)], 'f 4 2'),
    'RNN of cells': lambda k: k.chain(
        [k.L.RNN([k.L.LSTMCell(3), k.L.GRUCell(2), k.L.SimpleRNNCell(4)], return_sequences=True, return_state=True)],
        'm 4 2',
    ),
    'Bidirectional RNN of cells': lambda k: k.chain(
        [k.L.Bidirectional(k.L.RNN([k.L.LSTMCell(3), k.L.GRUCell(2)]))], 'f 4 2'
    ),
    'Bidirectional convolutional': lambda k: k.chain(
        [k.L.Bidirectional(k.L.ConvLSTM2D(2, 2, return_sequences=True))], 'f 3 4 3 1'
    ),
}


def _case(function):
    MODELS[function.__name__.replace('_', ' ')] = function
    return function


@_case
def states_of_an_encoder(k):
    x, y = k.input('m 4 3'), k.input('f 3 2')
    _, h, c = k.L.LSTM(3, return_state=True)(k.L.Masking()(x))
    out, h, c = k.L.LSTM(3, return_sequences=True, return_state=True)(y, initial_state=[h, c])
    return k.Model([x, y], [out, c])


@_case
def states_of_both_directions(k):
    x, a, b = k.input('f 4 3'), k.input('f 2'), k.input('f 2')
    return k.Model([x, a, b], k.L.Bidirectional(k.L.GRU(2))(x, initial_state=[a, b]))


@_case
def a_shared_layer_and_two_outputs(k):
    a, b = k.input('f 4'), k.input('f 4')
    dense = k.L.Dense(3, activation='tanh')
    x, y = dense(a), dense(b)
    twice = k.L.Dense(3)
    return k.Model([a, b], [k.L.Subtract()([x, y]), twice(twice(x))])


@_case
def models_in_models(k):
    inner = k.Sequential([k.L.Dense(3, input_shape=(4,)), k.L.BatchNormalization(), k.L.Dense(2)])
    a, b = k.Input((4,)), k.Input((4,))
    middle = k.Model([a, b], [k.L.Add()([inner(a), inner(b)]), k.L.Concatenate()([a, b])])
    x, y = k.input('f 4'), k.input('f 4')
    s, c = middle([x, y])
    t, d = middle([y, x])
    return k.Model([x, y], [k.L.Dense(2)(s), c, t, k.L.BatchNormalization()(d)])


@_case
def frozen_layers_in_models(k):
    inner = k.Sequential(
        [k.L.Dense(3, input_shape=(4,), trainable=False), k.L.BatchNormalization(trainable=False), k.L.Dense(2)]
    )
    x = k.input('f 4')
    return k.Model(x, inner(x))


@_case
def masks_through_models(k):
    a = k.Input((4, 3))
    inner = k.Model(a, k.L.Dense(2)(k.L.Dropout(0.5)(a)))
    x = k.input('i5 4')
    y = inner(k.L.Embedding(5, 3, mask_zero=True)(x))
    return k.Model(x, [y, k.L.LSTM(2)(y), k.L.GlobalAveragePooling1D()(y)])


@_case
def a_mask_made_in_a_model(k):
    a = k.Input((4,))
    inner = k.Model(a, k.L.Embedding(5, 3, mask_zero=True)(a))
    x = k.input('i5 4')
    return k.Model(x, k.L.GRU(2)(inner(x)))


@_case
def masks_merged(k):
    x, y = k.input('m 4 3'), k.input('m 4 3')
    a, b = k.L.Masking()(x), k.L.Masking()(y)
    merged = [k.L.Add()([a, b]), k.L.Concatenate()([a, b]), k.L.Multiply()([a, y]), k.L.Concatenate()([x, b])]
    along = k.L.Concatenate(axis=1)([a, b])
    return k.Model([x, y], [k.L.GlobalAveragePooling1D()(one) for one in [*merged, along]])


@_case
def a_stateful_layer(k):
    x = k.L.Input(batch_shape=(3, 4, 2))
    return k.Model(x, k.L.GRU(2, stateful=True)(k.L.LSTM(3, stateful=True, return_sequences=True)(x)))


@_case
def a_residual_network(k):
    x = k.input('f 8 8 3')
    y = k.L.Conv2D(4, 3, padding='same', use_bias=False)(k.L.ZeroPadding2D(1)(x))
    y = k.L.ReLU(6.0)(k.L.BatchNormalization()(y))
    z = k.L.BatchNormalization()(k.L.DepthwiseConv2D(3, padding='same', use_bias=False)(y))
    y = k.L.MaxPooling2D()(k.L.Add()([y, z]))
    return k.Model(x, k.L.Dense(5, activation='softmax')(k.L.GlobalAveragePooling2D()(y)))
