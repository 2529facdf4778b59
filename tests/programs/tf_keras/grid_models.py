"""Models: configurations, names, nested ones, subclasses, clones, summaries; layers of one's own."""

import numpy as np
import tensorflow as tf
from grid_rows import plain, safely, set_numbers, spread, without_number

X = spread(4, 3)


def sequential():
    """A chain."""
    return tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, activation='relu', input_shape=(3,), name='one'),
            tf.keras.layers.Dense(1, name='two'),
        ],
        name='chain',
    )


def functional():
    """A graph with a shared layer."""
    first, second = tf.keras.Input((3,), name='first'), tf.keras.Input((3,), name='second')
    shared = tf.keras.layers.Dense(2, name='shared')
    joined = tf.keras.layers.Concatenate(name='joined')([shared(first), shared(second)])
    outputs = [tf.keras.layers.Dense(1, name='a')(joined), tf.keras.layers.Dense(2, name='b')(joined)]
    return tf.keras.Model([first, second], outputs, name='graph')


def nested():
    """A model in a model."""
    inputs = tf.keras.Input((3,), name='x')
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1, name='last')(sequential()(inputs)), name='outer')


def operations():
    """TensorFlow's functions and operators on symbolic tensors."""
    inputs = tf.keras.Input((3,), name='x')
    hidden = tf.keras.layers.Dense(4, name='d')(inputs)
    hidden = tf.nn.relu(hidden * 2.0 + 1.0) - tf.reduce_mean(hidden, axis=-1, keepdims=True)
    hidden = tf.concat([hidden[:, :2], tf.expand_dims(tf.reduce_sum(inputs, -1), 1)], axis=1)
    return tf.keras.Model(inputs, tf.reshape(hidden, (-1, 3, 1)), name='operations')


class Block(tf.keras.layers.Layer):
    """A layer of one's own with layers inside."""

    def __init__(self, units=2, **options):
        super().__init__(**options)
        self.units = units
        self.dense = tf.keras.layers.Dense(units, name='inner')
        self.more = [tf.keras.layers.Dense(units), tf.keras.layers.Dense(units)]
        self.named = {'drop': tf.keras.layers.Dropout(0.5)}

    def build(self, input_shape):
        """A weight beside those of the layers."""
        self.scale = self.add_weight(name='scale', shape=(self.units,), initializer='ones')
        self.shift = self.add_weight(
            'shift', shape=[self.units], initializer=tf.keras.initializers.Zeros(), trainable=False
        )
        self.step = tf.Variable(1.0, trainable=False, name='step')
        super().build(input_shape)

    def call(self, inputs, training=None):
        """Layers in turn."""
        outputs = self.dense(inputs)
        for layer in self.more:
            outputs = layer(outputs)
        self.add_loss(tf.reduce_sum(outputs) * 0.01)
        self.add_metric(tf.reduce_mean(outputs), name='size', aggregation='mean')
        return self.named['drop'](outputs, training=training) * self.scale + self.shift

    def get_config(self):
        """Its argument."""
        return dict(super().get_config(), units=self.units)


class Subclassed(tf.keras.Model):
    """A model of one's own."""

    def __init__(self, **options):
        super().__init__(**options)
        self.block = Block(3)
        self.last = tf.keras.layers.Dense(2)

    def call(self, inputs, training=False):
        """Layers in turn."""
        return self.last(self.block(inputs, training=training))


MODELS = {'sequential': sequential, 'functional': functional, 'nested': nested, 'operations': operations}


def lines_of(model, **options):
    """What summary prints, without the widths of its columns."""
    lines = []
    model.summary(print_fn=lambda line, **_: lines.append(line), **options)
    return [' '.join(without_number(line).split()) for line in lines if set(line.strip()) - set('_=')]


def about(model):
    """What is written of a model."""
    shapes = [tuple(tensor.shape[1:]) for tensor in model.inputs]
    inputs = [tf.constant(spread(2, *shape)) for shape in shapes]
    set_numbers(model)
    inputs = inputs if len(inputs) > 1 else inputs[0]
    config = model.get_config()
    twin = safely(lambda: type(model).from_config(config))
    result = {
        'values': model(inputs),
        'class': type(model).__name__,
        'name': model.name,
        'layers': [[type(layer).__name__, without_number(layer.name)] for layer in model.layers],
        'weights': [[weight.name, list(weight.shape)] for weight in model.weights],
        'config': config,
        'summary': safely(lines_of, model),
        'inputs': [tensor.name for tensor in model.inputs],
        'outputs': [without_number(tensor.name) for tensor in model.outputs],
        'output_names': model.output_names,
        'input_names': model.input_names,
        'input_shape': model.input_shape,
        'output_shape': model.output_shape,
        'params': model.count_params(),
        'twin': twin,
        'json': safely(lambda: plain(tf.keras.models.model_from_json(model.to_json()).get_config()) == plain(config)),
        'yaml': safely(model.to_yaml),
        'clone': safely(lambda: [list(weight.shape) for weight in tf.keras.models.clone_model(model).weights]),
        'trainable': len(model.trainable_weights),
        'built': model.built,
        'compute_output_shape': safely(lambda: model.compute_output_shape(model.input_shape)),
    }
    return result


def of_block():
    """A layer of one's own, called and asked."""
    block = Block(2, name='block')
    outputs = block(tf.constant(X))
    set_numbers(block)
    block.step.assign(1.0)
    outputs = block(tf.constant(X))
    return {
        'values': outputs,
        'weights': [[weight.name, list(weight.shape)] for weight in block.weights],
        'trainable': [weight.name for weight in block.trainable_weights],
        'losses': block.losses,
        'metrics': [metric.name for metric in block.metrics],
        'config': block.get_config(),
        'input_spec': str(block.input_spec),
        'submodules': [without_number(module.name) for module in block.submodules],
        'variables': len(block.variables),
        'dtype': block.dtype,
        'dynamic': safely(lambda: block.dynamic),
        'updates': safely(lambda: list(block.updates)),
        'count': block.count_params(),
    }


def of_subclass():
    """A model of one's own, called and trained."""
    model = Subclassed(name='mine')
    result = {'before': [len(model.weights), model.built], 'summary before': safely(lines_of, model)}
    model(tf.constant(X))
    set_numbers(model)
    model.compile('sgd', 'mse', run_eagerly=True)
    result['weights'] = [[weight.name, list(weight.shape)] for weight in model.weights]
    result['summary'] = safely(lines_of, model)
    result['names'] = [layer.name for layer in model.layers]
    result['history'] = sorted(model.fit(X, spread(4, 2), verbose=0).history)
    result['config'] = safely(model.get_config)
    result['save h5'] = safely(lambda: model.save('/nowhere/it.h5'))
    result['inputs'] = safely(lambda: model.inputs)
    result['build'] = safely(lambda: Subclassed().build((None, 3)))
    return result


def growing():
    """add, pop, layers without a shape, get_layer."""
    model = tf.keras.Sequential()
    result = {
        'empty': [len(model.layers), model.built],
        'weights': safely(lambda: model.weights),
        'summary': safely(lines_of, model),
    }
    model.add(tf.keras.layers.Dense(2, name='a'))
    result['unbuilt'] = [model.built, safely(lambda: model.input_shape)]
    model.build((None, 3))
    result['built'] = [model.built, model.input_shape, model.output_shape]
    model.add(tf.keras.Sequential([tf.keras.layers.Dense(4)], name='inner'))
    result['output'] = safely(lambda: model.output_shape)
    model.pop()
    result['popped'] = [layer.name for layer in model.layers]
    result['get_layer'] = [
        model.get_layer('a').name,
        model.get_layer(index=0).name,
        safely(lambda: model.get_layer('nowhere')),
    ]
    result['add other'] = safely(lambda: model.add(3))
    result['shape'] = safely(lambda: tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)]).input_shape)
    result['InputLayer'] = safely(
        lambda: len(tf.keras.Sequential([tf.keras.layers.InputLayer((3,)), tf.keras.layers.Dense(2)]).layers)
    )
    return result


def nodes():
    """Attributes of layers that programs of graphs read."""
    model = functional()
    shared = model.get_layer('shared')
    return {
        'nodes': len(shared._inbound_nodes),
        'input': safely(lambda: shared.input),
        'at': safely(lambda: shared.get_input_at(1).shape),
        'output_at': safely(lambda: shared.get_output_at(0).shape),
        'output': safely(lambda: model.get_layer('a').output.shape),
        'shape': safely(lambda: model.get_layer('a').output_shape),
        'input_shape': safely(lambda: model.get_layer('joined').input_shape),
        'mask': safely(lambda: model.get_layer('a').input_mask),
        'inner model': safely(lambda: tf.keras.Model(model.inputs, model.get_layer('joined').output).output_shape),
        'layer': type(model.inputs[0]).__name__,
        'is': tf.keras.backend.is_keras_tensor(model.inputs[0]),
        'repr': without_number(repr(model.outputs[0])),
        'history': safely(lambda: type(model.outputs[0]._keras_history).__name__),
    }


def weights_of():
    """set_weights, wrong shapes, get and set by layers."""
    model = sequential()
    values = [np.ones_like(value) for value in model.get_weights()]
    model.set_weights(values)
    return {
        'set': model.get_weights(),
        'few': safely(lambda: model.set_weights(values[:1])),
        'shape': safely(lambda: model.set_weights([value[:1] for value in values])),
        'call': model(X),
        'wrong input': safely(lambda: model(X[:, :2])),
        'wrong rank': safely(lambda: model(X[0])),
        'kernel': model.layers[0].kernel,
        'bias name': model.layers[0].bias.name,
    }


def rows(rows, record):
    """Writes the rows of models."""
    for name, make in MODELS.items():
        rows.each(name, lambda make=make: about(make()))
    for name, function in {
        'layer of own': of_block,
        'model of own': of_subclass,
        'growing': growing,
        'nodes': nodes,
        'weights': weights_of,
    }.items():
        rows.each(name, function)
    rows.add('summary options', lambda: lines_of(nested(), line_length=80, positions=[0.4, 0.7, 1.0, 1.0]))
    rows.add('summary nested', lambda: lines_of(nested(), expand_nested=True))
    rows.add('summary trainable', lambda: lines_of(nested(), show_trainable=True))
    rows.add('to_json', lambda: sorted(__import__('json').loads(sequential().to_json())))
