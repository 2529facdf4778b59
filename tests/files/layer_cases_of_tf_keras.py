"""As `layer_cases`, for layers that tf.keras of TensorFlow 2.15 has and Keras 2.3.1 does not have."""

from function_cases_of_tf_keras import FUNCTIONS

LAYERS = [
    *[('Activation', dict(activation=name), ['f 3 4']) for name in ('swish', 'gelu', 'mish', 'relu6')],
    ('Conv1D', dict(filters=4, kernel_size=2, groups=2), ['f 5 4']),
    ('Conv2D', dict(filters=6, kernel_size=2, groups=3, padding='same', strides=2), ['f 5 5 6']),
    ('Conv1DTranspose', dict(filters=3, kernel_size=3, strides=2, padding='same'), ['f 5 2']),
    ('DepthwiseConv1D', dict(kernel_size=2, depth_multiplier=2), ['f 5 3']),
    ('DepthwiseConv1D', dict(kernel_size=3, strides=2, padding='same'), ['f 6 3']),
    ('DepthwiseConv2D', dict(kernel_size=2, dilation_rate=2), ['f 5 6 2']),
    ('SeparableConv1D', dict(filters=3, kernel_size=3, padding='causal', dilation_rate=2), ['f 7 2']),
    ('ConvLSTM1D', dict(filters=2, kernel_size=2, return_sequences=True), ['f 3 5 2']),
    ('ConvLSTM3D', dict(filters=2, kernel_size=2), ['f 2 3 3 3 2']),
    ('LayerNormalization', {}, ['f 3 4']),
    ('LayerNormalization', dict(axis=[1, 2], epsilon=0.1, scale=False), ['f 3 4 2']),
    ('LayerNormalization', dict(axis=1, center=False), ['f 3 4']),
    ('LayerNormalization', {}, ['m 3 4']),
    ('UnitNormalization', {}, ['f 3 4']),
    ('UnitNormalization', dict(axis=[1, 2]), ['f 3 4']),
    ('Normalization', {}, ['f 3 4']),
    ('Normalization', dict(axis=1), ['f 3 4']),
    ('Normalization', dict(axis=None), ['f 3 4']),
    ('Normalization', dict(mean=[1.0, 2.0], variance=[2.0, 3.0]), ['f 3 2']),
    ('Normalization', dict(mean=1.0, variance=2.0, invert=True), ['f 3 2']),
    ('Rescaling', dict(scale=0.5, offset=-1.0), ['f 3 4']),
    ('Rescaling', dict(scale=[0.5, 2.0]), ['i9 3 2']),
    ('GlobalAveragePooling2D', dict(keepdims=True), ['f 3 4 2']),
    ('GlobalMaxPooling1D', dict(keepdims=True, data_format='channels_first'), ['f 3 4']),
    ('GlobalAveragePooling1D', dict(keepdims=True), ['m 4 3']),
    ('GRU', dict(units=3), ['m 4 2']),
    ('GRU', dict(units=3, reset_after=False, return_sequences=True), ['m 4 2']),
    ('LSTM', dict(units=3, return_sequences=True), ['m 4 2']),
    *[
        (kind, arguments, inputs)
        for inputs in (['f 4 3', 'f 5 3'], ['m 4 3', 'm 5 3'], ['f 4 3', 'f 5 3', 'f 5 3'])
        for kind, arguments in (
            ('Attention', {}),
            ('Attention', dict(use_scale=True)),
            ('Attention', dict(score_mode='concat')),
            ('AdditiveAttention', {}),
            ('AdditiveAttention', dict(use_scale=False)),
        )
    ],
    ('UpSampling2D', dict(size=(2, 3), interpolation='bilinear'), ['f 3 4 2']),
    ('UpSampling2D', dict(size=2, interpolation='bilinear', data_format='channels_last'), ['f 2 2 2']),
    *[
        (f'LocallyConnected{rank}D', dict(arguments, implementation=implementation), [inputs])
        for implementation in (1, 2, 3)
        for rank, arguments, inputs in (
            (1, dict(filters=3, kernel_size=2, strides=2), 'f 6 2'),
            (2, dict(filters=2, kernel_size=(2, 3)), 'f 4 5 2'),
        )
    ],
    *[
        ('LocallyConnected1D', dict(filters=2, kernel_size=3, padding='same', implementation=way), ['f 5 2'])
        for way in (2, 3)
    ],
    ('LocallyConnected1D', dict(filters=2, kernel_size=2, padding='same', strides=2, implementation=2), ['f 5 2']),
    ('LocallyConnected2D', dict(filters=2, kernel_size=3, padding='same', strides=2, implementation=3), ['f 4 5 2']),
    ('LocallyConnected2D', dict(filters=2, kernel_size=2, data_format='channels_first', implementation=2), ['f 2 3 4']),
    ('LocallyConnected2D', dict(filters=2, kernel_size=2, data_format='channels_first', implementation=3), ['f 2 3 4']),
    ('Resizing', dict(height=5, width=3), ['f 3 4 2']),
    ('Resizing', dict(height=2, width=7, interpolation='nearest'), ['f 3 4 2']),
    ('CenterCrop', dict(height=2, width=3), ['f 5 6 2']),
    ('Softmax', dict(axis=1), ['f 3 4']),
    ('GroupNormalization', dict(groups=2), ['f 3 4']),
    ('GroupNormalization', dict(groups=-1, scale=False), ['f 3 4 6']),
    ('GroupNormalization', dict(groups=3, axis=1, epsilon=0.1), ['f 6 4 5']),
    ('GroupNormalization', dict(groups=2, center=False), ['f ?3 ?4 4']),
    ('GroupNormalization', dict(groups=1), ['f 6']),
    ('EinsumDense', dict(equation='abc,cde->abde', output_shape=(None, 2, 3), bias_axes='de'), ['f 4 5']),
    ('EinsumDense', dict(equation='...x,xy->...y', output_shape=3, activation='relu', bias_axes='y'), ['f 4 5']),
    ('EinsumDense', dict(equation='ab,b->a', output_shape=()), ['f 5']),
    ('EinsumDense', dict(equation='abc,cb->acb', output_shape=(5, 4), bias_axes='b'), ['f 4 5']),
    ('EinsumDense', dict(equation='ab...,bc->ac...', output_shape=(3, 5)), ['f 4 5']),
    ('CategoryEncoding', dict(num_tokens=5), ['i5 4']),
    ('CategoryEncoding', dict(num_tokens=5, output_mode='count'), ['i5 4']),
    ('CategoryEncoding', dict(num_tokens=5, output_mode='one_hot'), ['i5 1']),
    ('CategoryEncoding', dict(num_tokens=5), ['i5 1']),
    ('CategoryEncoding', dict(num_tokens=5, output_mode='one_hot'), ['i5']),
    ('CategoryEncoding', dict(num_tokens=5, output_mode='count'), ['i5']),
    *[
        ('Discretization', dict(bin_boundaries=[-0.5, 0.0, 1.0], output_mode=mode), inputs)
        for mode, inputs in (
            ('int', ['f 4 3']), ('one_hot', ['f 1']), ('multi_hot', ['f 4']), ('count', ['f 4']), ('int', ['i3 4']),
        )
    ],
    ('UpSampling2D', dict(size=(2, 3), interpolation='bicubic'), ['f 3 4 2']),
    ('UpSampling2D', dict(size=2, interpolation='bicubic'), ['f 1 2 2']),
    ('Resizing', dict(height=5, width=7, interpolation='bicubic'), ['f 3 4 2']),
    ('Resizing', dict(height=2, width=3, interpolation='bicubic'), ['f 7 5 2']),
    ('Resizing', dict(height=3, width=5, crop_to_aspect_ratio=True), ['f 7 6 2']),
    ('RandomCrop', dict(height=4, width=3), ['f 4 3 2']),
    ('RandomCrop', dict(height=4, width=3), ['f 7 9 2']),
    ('RandomHeight', dict(factor=0.2), ['f 4 3 2']),
    ('RandomWidth', dict(factor=0.2), ['f 4 3 2']),
    ('Identity', {}, ['m 3 4']),
    *[
        (kind, arguments, ['f 4 5 3'])
        for kind, arguments in (
            ('RandomFlip', {}),
            ('RandomRotation', dict(factor=0.2)),
            ('RandomZoom', dict(height_factor=0.2)),
            ('RandomTranslation', dict(height_factor=0.2, width_factor=0.2)),
            ('RandomContrast', dict(factor=0.2)),
            ('RandomBrightness', dict(factor=0.2)),
        )
    ],
    ('Conv1D', dict(filters=2, kernel_size=2), ['m 4 3']),
    ('Flatten', {}, ['m 4 3']),
]  # fmt: skip

MODELS = {}


def _case(function):
    MODELS[function.__name__.replace('_', ' ') + ' of tf.keras'] = function
    return function


@_case
def heads(k):
    x, y = k.input('f 4 5'), k.input('f 3 5')
    first = k.L.MultiHeadAttention(2, 3)(x, y)
    second, scores = k.L.MultiHeadAttention(2, 3, value_dim=4, output_shape=6, use_bias=False)(
        x, value=y, key=y, return_attention_scores=True
    )
    return k.Model([x, y], [first, second, scores, k.L.MultiHeadAttention(3, 2)(x, x, use_causal_mask=True)])


@_case
def masks_of_heads(k):
    x, y, mask = k.input('m 4 5'), k.input('m 3 5'), k.input('i2 4 3')
    a, b = k.L.Masking()(x), k.L.Masking()(y)
    one = k.L.MultiHeadAttention(2, 3)(a, b)
    two = k.L.MultiHeadAttention(2, 3)(x, y, attention_mask=mask)
    return k.Model([x, y, mask], [one, two, k.L.GlobalAveragePooling1D()(one)])


@_case
def causal_attention(k):
    x = k.input('m 4 3')
    y = k.L.Masking()(x)
    return k.Model(x, [k.L.Attention()([y, y], use_causal_mask=True), k.L.AdditiveAttention()([x, x])])


@_case
def activations_that_are_layers(k):
    x = k.input('f 4')
    y = k.L.Dense(3, activation=k.L.LeakyReLU(0.2))(x)
    return k.Model(x, [y, k.L.Dense(3, activation=k.L.ReLU(1.0))(y)])


@_case
def functions_of_tensorflow(k):
    tf = k.tf
    x, y = k.input('f 4 3'), k.input('f 4 3')
    a = tf.reduce_mean(x * 2.0 + 1.0, axis=1, keepdims=True)
    b = tf.concat([x, a * tf.ones_like(x)], -1)[:, 1:]
    c = tf.nn.relu(2.0 - b)
    d = tf.matmul(x, y, transpose_b=True)
    e = tf.transpose(tf.reshape(x, (-1, 2, 6)), (0, 2, 1))
    f = tf.square(x - y) / (tf.abs(y) + 1.0)
    g = tf.expand_dims(x[:, 0], 1)
    h = tf.stack([x, y], axis=1)[..., -1]
    i = tf.math.l2_normalize(x, axis=-1)
    j = tf.clip_by_value(-x, -1.0, 0.5) ** 2.0
    m = tf.cast(x > y, 'float32')
    return k.Model([x, y], [a, b, c, d, e, f, g, h, i, j, m])


@_case
def images_resized_by_tensorflow(k):
    x = k.input('f 3 4 2')
    return k.Model(x, [k.tf.image.resize(x, (6, 8)), k.tf.image.resize(x, (5, 6), method='nearest')])


@_case
def functions_of_networks_by_tensorflow(k):
    tf = k.tf
    x = k.input('f 4 3')
    return k.Model(x, [tf.nn.gelu(x), tf.nn.silu(x), tf.nn.softmax(x), tf.nn.selu(x), tf.sigmoid(x), tf.tanh(x)])


@_case
def layers_of_two_directions(k):
    x = k.input('m 4 3')
    y = k.L.Masking()(x)
    both = k.L.Bidirectional(
        k.L.LSTM(2, return_sequences=True), backward_layer=k.L.GRU(2, return_sequences=True, go_backwards=True)
    )
    return k.Model(x, [both(y), k.L.Bidirectional(k.L.GRU(2, return_state=True))(y)[0]])


@_case
def states_by_keyword(k):
    x, y = k.input('f 4 3'), k.input('f 3 2')
    _, h, c = k.L.LSTM(3, return_state=True)(x)
    return k.Model([x, y], k.L.LSTM(3)(y, initial_state=[h, c]))


def _of_function(function):
    def build(k):
        inputs = [k.input(spec) for spec in ('f 4 3', 'f 4 3', 'f 4 6 3', 'i4 2')]
        return k.Model(inputs, function(k.tf, *inputs))

    return build


MODELS.update({f'function {name} of tf.keras': _of_function(function) for name, function in FUNCTIONS.items()})
