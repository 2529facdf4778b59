"""Explanations of a small residual network by a walk back over its layers: LRP-epsilon and LRP-alpha-beta with copies
of the layers, guided backpropagation by rules, gradient times input, smooth gradients by replaced activations."""
from __future__ import division

import json

import numpy as np
import keras
import keras.backend as K
import keras.layers
from keras.layers import Activation, AveragePooling2D, Conv2D, Dense, Flatten, Input, MaxPooling2D
from keras.models import Model, model_from_json

rs = np.random.RandomState(11)


def to_list(x):
    return list(x) if isinstance(x, (list, tuple)) else [x]


def build():
    inp = Input(shape=(8, 8, 2))
    x = Conv2D(4, (3, 3), padding='same', activation='relu', use_bias=False, name='conv1')(inp)
    x = MaxPooling2D((2, 2), name='pool1')(x)
    y = Conv2D(4, (3, 3), padding='same', use_bias=False, name='conv2')(x)
    y = Activation('relu', name='relu2')(y)
    x = keras.layers.add([x, y], name='shortcut')
    x = AveragePooling2D((2, 2), name='pool2')(x)
    x = Flatten(name='flat')(x)
    x = keras.layers.concatenate([Dense(5, activation='relu', use_bias=False, name='left')(x),
                                  Dense(3, activation='relu', use_bias=False, name='right')(x)], name='both')
    return Model(inp, Dense(3, activation='softmax', use_bias=False, name='softmax')(x))


def model_wo_softmax(model):
    """The same network with the scores before the softmax as outputs."""
    copy = model_from_json(model.to_json())
    copy.set_weights(model.get_weights())
    copy.layers[-1].activation = keras.activations.linear
    return model_from_json(copy.to_json()), copy.get_weights()


def inbound_nodes(layer):
    if hasattr(layer, '_inbound_nodes'):
        return layer._inbound_nodes
    return layer.inbound_nodes


def nodes_backwards(model):
    """The nodes of a model, from its outputs to its inputs."""
    by_depth = model._nodes_by_depth if hasattr(model, '_nodes_by_depth') else model.nodes_by_depth
    for depth in sorted(by_depth):
        for node in by_depth[depth]:
            yield node


def copy_layer_wo_activation(layer, weights=None):
    config = layer.get_config()
    config['name'] = config['name'] + '_copied_%d' % len(copies)
    if 'activation' in config:
        config['activation'] = None
    copies.append(config['name'])
    copy = layer.__class__.from_config(config)
    copy.build(layer.get_input_shape_at(0))
    if layer.get_weights():
        copy.set_weights(layer.get_weights() if weights is None else weights)
    return copy


def pull(relevance, output, inputs):
    """relevance by the derivative of output: what tf.gradients does with grad_ys."""
    return K.gradients(K.sum(output * K.stop_gradient(relevance)), inputs)


def safe_divide(a, b, epsilon=1e-7):
    return a / (b + K.cast(K.greater_equal(b, 0), K.floatx()) * 2 * epsilon - epsilon)


def has_kernel(layer):
    return isinstance(layer, (Dense, Conv2D))


def gradient_rule(layer, Xs, Ys, Rs):
    return pull(Rs[0], Ys[0], Xs)


def guided_rule(layer, Xs, Ys, Rs):
    if isinstance(layer, Activation) or getattr(layer, 'activation', None) is keras.activations.relu:
        Rs = [K.relu(Rs[0])]
    return pull(Rs[0], Ys[0], Xs)


def share_rule(layer, Xs, Ys, Rs):
    """Each input gets the relevance of the outputs by its share in them."""
    return [x * g for x, g in zip(Xs, pull(safe_divide(Rs[0], Ys[0]), Ys[0], Xs))]


def epsilon_rule(epsilon):
    def rule(layer, Xs, Ys, Rs):
        if isinstance(layer, Activation):
            return Rs
        if not has_kernel(layer):
            return share_rule(layer, Xs, Ys, Rs)
        Zs = copy_layer_wo_activation(layer).call(Xs[0])
        sign = K.cast(K.greater_equal(Zs, 0), K.floatx()) * 2 - 1
        return [Xs[0] * pull(Rs[0] / (Zs + sign * epsilon), Zs, Xs)[0]]
    return rule


def alpha_beta_rule(alpha, beta):
    def rule(layer, Xs, Ys, Rs):
        if isinstance(layer, Activation):
            return Rs
        if not has_kernel(layer):
            return share_rule(layer, Xs, Ys, Rs)
        weights = layer.get_weights()
        positive = copy_layer_wo_activation(layer, [np.maximum(w, 0) for w in weights])
        negative = copy_layer_wo_activation(layer, [np.minimum(w, 0) for w in weights])
        x = Xs[0]
        x_pos, x_neg = x * K.cast(x > 0, K.floatx()), x * K.cast(x < 0, K.floatx())

        def f(layer1, layer2, X1, X2):
            Z1, Z2 = layer1.call(X1), layer2.call(X2)
            Z = Z1 + Z2
            tmp = safe_divide(Rs[0], Z)
            return X1 * pull(tmp, Z1, [X1])[0] + X2 * pull(tmp, Z2, [X2])[0]
        activator = f(positive, negative, x_pos, x_neg)
        if not beta:
            return [alpha * activator]
        return [alpha * activator - beta * f(negative, positive, x_pos, x_neg)]
    return rule


def explain(model, rule, neuron=None):
    """Tensors of the relevance of the model's inputs, for the largest output or one that is given."""
    output = model.outputs[0]
    head = K.max(output, axis=1, keepdims=True) if neuron is None else output[:, neuron:neuron + 1]
    mask = K.cast(K.equal(output, head), K.floatx())
    if neuron is not None:
        mask = K.one_hot(K.cast(K.sum(K.zeros_like(output), axis=1), 'int32') + neuron, 3)
    start = mask if rule in (gradient_rule, guided_rule) else mask * output
    relevance = {output.name: start}
    walked = []
    for node in nodes_backwards(model):
        layer = node.outbound_layer
        if not node.input_tensors or isinstance(layer, keras.layers.InputLayer):
            continue
        walked.append(layer.name)
        Rs = [relevance[t.name] for t in node.output_tensors]
        # Copies, so that no derivative goes another way around.
        Xs = [K.identity(t) for t in node.input_tensors]
        Ys = to_list(layer.call(Xs if len(Xs) > 1 else Xs[0]))
        for tensor, r in zip(node.input_tensors, rule(layer, Xs, Ys, Rs)):
            relevance[tensor.name] = relevance[tensor.name] + r if tensor.name in relevance else r
    return relevance[model.inputs[0].name], walked


copies = []
softmaxed = build()
softmaxed.set_weights([rs.normal(0, np.sqrt(2. / w[..., 0].size), w.shape) for w in softmaxed.get_weights()])
model, weights = model_wo_softmax(softmaxed)
model.set_weights(weights)
x = rs.normal(size=(3, 8, 8, 2))
scores = model.predict(x)
e = np.exp(scores - scores.max(1, keepdims=True))
np.testing.assert_allclose(softmaxed.predict(x), e / e.sum(1, keepdims=True), atol=1e-5)

# The walk in words: consumers of every layer, by their nodes.
consumers = {}
for layer in model.layers:
    for node in inbound_nodes(layer):
        for inbound in to_list(node.inbound_layers):
            consumers.setdefault(inbound.name, []).append(layer.name)
assert sorted(consumers['pool1']) == ['conv2', 'shortcut'] and sorted(consumers['flat']) == ['left', 'right']

result = {'scores': scores.tolist()}
found = {}
for name, rule, neuron in (('gradient', gradient_rule, None), ('guided', guided_rule, None),
                           ('epsilon', epsilon_rule(1e-2), None), ('alpha1beta0', alpha_beta_rule(1, 0), None),
                           ('alpha2beta1', alpha_beta_rule(2, 1), None), ('neuron', epsilon_rule(1e-6), 1)):
    tensor, walked = explain(model, rule, neuron)
    found[name] = K.function([model.input], [tensor])([x])[0]
    assert found[name].shape == x.shape and walked[0] == 'softmax' and walked[-1] == 'conv1'
    result[name] = found[name].ravel()[::13].tolist()

# The walk by gradients is the gradient; relevance is kept from layer to layer; alpha 1 and beta 0 give none below zero
# where the head has none.
gradient = K.function([model.input], K.gradients(K.sum(K.max(model.output, axis=1)), model.inputs))([x])[0]
np.testing.assert_allclose(found['gradient'], gradient, atol=1e-5)
result['gradient x input'] = (gradient * x).sum(axis=(1, 2, 3)).tolist()
np.testing.assert_allclose((gradient * x).sum(axis=(1, 2, 3)), scores.max(1), atol=1e-3)  # no biases
np.testing.assert_allclose(found['neuron'].sum(axis=(1, 2, 3)), scores[:, 1], atol=2e-3)
np.testing.assert_allclose(found['alpha1beta0'].sum(axis=(1, 2, 3)), scores.max(1), atol=2e-3)

# Activations replaced in a configuration: softplus in the place of relu, and a layer that is used twice.
config = model.get_config()
for layer in config['layers']:
    if layer['config'].get('activation') == 'relu':
        layer['config']['activation'] = 'softplus'
smooth = Model.from_config(config)
smooth.set_weights(model.get_weights())
slope = K.function([smooth.input], K.gradients(K.sum(smooth.output[:, 0]), smooth.inputs))
second = Input(shape=(8, 8, 2))
smooth(second)
smooth.layers[1](second)
assert len(inbound_nodes(smooth.layers[1])) == 2
a, b = smooth.layers[1].get_output_at(0), smooth.layers[1].get_output_at(1)
assert a.name != b.name and K.int_shape(a) == K.int_shape(b) == (None, 8, 8, 4)
again = K.function([second], [smooth.layers[1].get_output_at(1), smooth.get_output_at(1)])([x])
np.testing.assert_allclose(again[1], smooth.predict(x), atol=1e-5)
steps = np.linspace(0, 1, 6)[1:]
integrated = np.mean([slope([x * step])[0] for step in steps], axis=0) * x
result['smooth'] = [again[0].ravel()[::31].tolist(), smooth.predict(x).tolist(), integrated.ravel()[::13].tolist()]
print('RESULT ' + json.dumps(result))
