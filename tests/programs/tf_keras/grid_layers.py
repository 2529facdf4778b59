"""The values of layers: each with its defaults and with one argument each, on fixed numbers, with fixed weights."""

import tensorflow as tf
from grid_layers_table import INPUTS, MASKED, MERGES, SPECIAL, TABLE, Make
from grid_rows import plain, safely, set_numbers, spread

RANDOM = (
    'Dropout',
    'GaussianNoise',
    'GaussianDropout',
    'AlphaDropout',
    'SpatialDropout1D',
    'SpatialDropout2D',
    'SpatialDropout3D',
)


def shown(value):
    """An argument as the name of its row has it."""
    return value.label if isinstance(value, Make) else repr(value)


def made(arguments):
    """Arguments with the objects that the table describes."""
    return {key: value() if isinstance(value, Make) else value for key, value in arguments.items()}


def title(name, arguments, kind):
    """The name of a row."""
    return f'{name}({", ".join(f"{key}={shown(value)}" for key, value in arguments.items())}) on {kind}'


def total(outputs):
    """A number that depends on every output."""
    return tf.add_n(
        [
            tf.reduce_sum(tf.cast(output, 'float32') * spread(*output.shape, step=0.9))
            for output in tf.nest.flatten(outputs)
        ]
    )


def gradients(layer, inputs, **call):
    """Gradients by the inputs and the weights."""
    inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        value = total(layer(inputs, **call))
    return tape.gradient(value, tf.nest.flatten(inputs) + layer.trainable_weights)


def weight_rows(layer):
    """Names, shapes and types of the weights."""
    return [[weight.name, list(weight.shape), weight.dtype.name, bool(weight.trainable)] for weight in layer.weights]


def symbolic(name, arguments, inputs):
    """What a layer makes of symbolic inputs."""
    layer = getattr(tf.keras.layers, name)(**made(arguments))
    arrays = inputs if isinstance(inputs, list) else [inputs]
    tensors = [
        tf.keras.Input(array.shape[1:], dtype='string' if array.dtype.kind == 'U' else str(array.dtype))
        for array in arrays
    ]
    outputs = layer(tensors if isinstance(inputs, list) else tensors[0])
    return [[output.dtype.name, list(output.shape)] for output in tf.nest.flatten(outputs)]


def layer_rows(name, arguments, inputs, **call):
    """What is written of one layer on one input."""
    layer = getattr(tf.keras.layers, name)(**made(dict(arguments, name='it')))
    layer(inputs, **call)
    set_numbers(layer)
    if getattr(layer, 'stateful', False):
        layer.reset_states()  # the first call had weights that were drawn
    random = name in RANDOM
    result = {'forward': layer(inputs, **call), 'weights': weight_rows(layer), 'losses': list(layer.losses)}
    if not random and 'training' not in call:
        result['gradients'] = safely(gradients, layer, inputs, **call)
    result['config'] = layer.get_config()
    result['shape'] = safely(
        lambda: layer.compute_output_shape(tf.nest.map_structure(lambda a: tf.TensorShape(a.shape), inputs))
    )
    result['symbolic'] = safely(symbolic, name, arguments, inputs)
    again = safely(lambda: type(layer).from_config(layer.get_config()).get_config())
    result['again'] = again == plain(layer.get_config())
    return result


def mask_rows(name, arguments, inputs, mask):
    """What a layer makes of a mask."""
    layer = getattr(tf.keras.layers, name)(**made(arguments))
    result = {'supports': bool(layer.supports_masking), 'mask': safely(lambda: layer.compute_mask(inputs, mask))}
    layer(inputs)
    set_numbers(layer)
    result['forward'] = safely(lambda: layer(inputs, mask=mask))
    masked = tf.keras.layers.Masking()(tf.where(mask[:, :, None], inputs, 0.0))
    outputs = safely(layer, masked)
    result['behind Masking'] = outputs
    result['carried'] = safely(lambda: getattr(layer(masked), '_keras_mask', None) is not None)
    return result


def training_rows(layer, inputs):
    """Two steps of training: what they give and what they leave."""
    layer(inputs)
    set_numbers(layer)
    return {
        'first': layer(inputs, training=True),
        'second': layer(2 * inputs + 1, training=True),
        'left': layer.get_weights(),
        'then': layer(inputs),
    }


def random_rows(layer, inputs):
    """What is sure about a layer that draws."""
    first, *others = [layer(inputs, training=True) for _ in range(30)]
    return {
        'shape': list(first.shape),
        'other': any(bool(tf.reduce_any(first != other)) for other in others),
        'zeros': any(bool(tf.reduce_any(other == 0)) for other in others),
        'inference': layer(inputs),
    }


def try_all(rows, table):
    """Writes the rows of a table: each layer as it is on every input, and with one argument each on the first."""
    tried = set()
    for name, arguments, kinds, variations in table:
        plans = [(arguments, kind) for kind in kinds.split()]
        plans += [
            (dict(arguments, **{key: value}), kinds.split()[0])
            for key, values in variations.items()
            for value in values
        ]
        for varied, kind in plans:
            label = title(name, varied, kind)
            if label not in tried:
                tried.add(label)
                rows.each(label, layer_rows, name, varied, INPUTS[kind])


def rows(rows, record):
    """Writes the rows of layers."""
    mask = tf.constant([[True, True, False, True], [True, False, False, False]])
    try_all(rows, TABLE)
    for name, arguments, inputs in MERGES:
        rows.each(
            title(name, arguments, ' and '.join(str(value.shape) for value in inputs)),
            layer_rows,
            name,
            arguments,
            inputs,
        )
    for name, arguments in MASKED:
        rows.each('mask of ' + title(name, arguments, 's'), mask_rows, name, arguments, tf.constant(INPUTS['s']), mask)
    for name in RANDOM:
        kind = {'1D': 's', '2D': 'i', '3D': 'vol'}.get(name[-2:], 'v')
        rows.each(
            f'draws of {name}',
            lambda name=name, kind=kind: random_rows(getattr(tf.keras.layers, name)(0.5), tf.constant(INPUTS[kind])),
        )
    for arguments in ({}, {'momentum': 0.5}, {'axis': 1}, {'epsilon': 0.1}, {'trainable': False}, {'center': False}):
        for kind in ('v', 'i'):
            rows.each(
                f'training BatchNormalization({arguments}) on {kind}',
                lambda arguments=arguments, kind=kind: training_rows(
                    tf.keras.layers.BatchNormalization(**arguments), tf.constant(INPUTS[kind])
                ),
            )
    for name, function in SPECIAL.items():
        rows.add(name, function)
