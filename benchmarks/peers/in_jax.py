"""The works in JAX, compiled by jax.jit. The state is donated, so that it can be updated in place."""

import jax
import jax.numpy as jnp
import numpy as np

from . import data


def library(who):
    return jax, f'JAX {jax.__version__}'


def work(name, who):
    if data.built(name):
        return building(name)
    if name == 'call':
        product, values = jax.jit(jnp.dot), data.values(name)
        return lambda: np.asarray(product(*values))
    if name == 'product_update':
        return stepped(name, product_update, data.start(name)[0])
    if name in ('elementwise', 'reductions'):
        return arithmetic(name)
    if name == 'embedding_adam':
        return stepped(name, adam, (data.start(name)[0], zeros_of(name), zeros_of(name), np.float32(0)))
    if name == 'bn_conv':
        n = data.NORMALISED['channels']
        averages = [(data.zeros(n), data.ones(n)), (data.zeros(n), data.ones(n))]
        return stepped(name, bn_conv, (data.start(name), averages))
    losses = {'mlp': mlp, 'conv': conv, 'lstm': lstm, 'gru': gru, 'transformer': transformer}
    loss = losses.get(name)
    if loss is None and not name.startswith('embedding'):
        return None
    return stepped(name, trained(loss or embedding), data.start(name))


def stepped(name, step, state):
    step, values = jax.jit(step, donate_argnums=0), data.values(name)
    kept = [jax.tree.map(jnp.array, state)]

    def run():
        value, kept[0] = step(kept[0], *values)
        jax.block_until_ready(kept[0])
        return np.asarray(value)

    return run


def zeros_of(name):
    return data.zeros(data.rows_of(name), data.EMBEDDING['width'])


def trained(loss):
    def step(weights, x, target):
        value, gradients = jax.value_and_grad(loss)(weights, x, target)
        return value, jax.tree.map(lambda w, g: w - data.RATE * g, weights, gradients)

    return step


def classified(target, scores):
    return -jnp.mean(jnp.sum(target * jax.nn.log_softmax(scores), axis=-1))


def mlp(weights, x, target):
    for i in (0, 2, 4):
        x = x @ weights[i] + weights[i + 1]
        x = jax.nn.relu(x) if i < 4 else x
    return classified(target, x)


def convolved(x, kernel):
    return jax.lax.conv_general_dilated(x, kernel, (1, 1), 'VALID', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))


def conv(weights, x, target):
    x = jax.nn.relu(convolved(x, weights[0]) + weights[1])
    x = jax.nn.relu(convolved(x, weights[2]) + weights[3])
    x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')
    return classified(target, x.reshape(x.shape[0], -1) @ weights[4] + weights[5])


def lstm(weights, x, target):
    def step(states, e):
        h, c = states
        i, f, g, o = jnp.split(e @ weights[0] + h @ weights[1] + weights[2], 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), None

    zero = jnp.zeros((x.shape[0], data.LSTM['units']))
    (h, _), _ = jax.lax.scan(step, (zero, zero), x.transpose(1, 0, 2))
    return jnp.mean(jnp.square(h - target))


def gru(weights, x, target):
    kernel, recurrent, bias = weights

    def step(h, given):
        e, known = given
        a = jnp.split(e @ kernel + bias[0], 3, axis=1)
        b = jnp.split(h @ recurrent + bias[1], 3, axis=1)
        z, r = jax.nn.sigmoid(a[0] + b[0]), jax.nn.sigmoid(a[1] + b[1])
        return jnp.where(known, z * h + (1 - z) * jnp.tanh(a[2] + r * b[2]), h), None

    x = x.transpose(1, 0, 2)
    mask = jnp.any(x != 0, axis=-1, keepdims=True)
    h, _ = jax.lax.scan(step, jnp.zeros((x.shape[1], data.GRU['units'])), (x, mask))
    return jnp.mean(jnp.square(h - target))


def transformer(weights, x, target):
    size = data.TRANSFORMER
    batch, steps, n = x.shape

    def normalized(t, gamma, beta):
        mean, variance = jnp.mean(t, -1, keepdims=True), jnp.var(t, -1, keepdims=True)
        return (t - mean) * jax.lax.rsqrt(variance + size['epsilon']) * gamma + beta

    def split(t):
        return t.reshape(batch, steps, size['heads'], -1).transpose(0, 2, 1, 3)

    q, k, v = [split(part) for part in jnp.split(x @ weights[0] + weights[1], 3, -1)]
    scores = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) * (n // size['heads']) ** -0.5)
    mixed = (scores @ v).transpose(0, 2, 1, 3).reshape(batch, steps, n)
    h = normalized(x + mixed @ weights[2] + weights[3], weights[4], weights[5])
    inner = jax.nn.relu(h @ weights[6] + weights[7])
    y = normalized(h + inner @ weights[8] + weights[9], weights[10], weights[11])
    return jnp.mean(jnp.square(y - target))


def product_update(w, x):
    return x @ w, w * 0.999


def embedding(weights, x, target):
    return jnp.sum(jnp.square(weights[0][x] - target))


def adam(state, x, target):
    table, m, v, count = state
    rate, first, second, epsilon = [data.ADAM[k] for k in ('rate', 'beta_1', 'beta_2', 'epsilon')]
    value, g = jax.value_and_grad(lambda w: embedding([w], x, target))(table)
    t = count + 1
    m = first * m + (1 - first) * g
    v = second * v + (1 - second) * jnp.square(g)
    scaled = rate * jnp.sqrt(1 - second**t) / (1 - first**t)
    return value, (table - scaled * m / (jnp.sqrt(v) + epsilon), m, v, t)


def bn_conv(state, x, target):
    size = data.NORMALISED
    weights, averages = state

    def loss(weights):
        h, found = x, []
        for kernel, gamma, beta in (weights[:3], weights[3:6]):
            h = convolved(h, kernel)
            mean, variance = jnp.mean(h, (0, 1, 2)), jnp.var(h, (0, 1, 2))
            h = jax.nn.relu((h - mean) * jax.lax.rsqrt(variance + size['epsilon']) * gamma + beta)
            found.append((mean, variance))
        return classified(target, jnp.mean(h, (1, 2)) @ weights[6] + weights[7]), found

    (value, found), gradients = jax.value_and_grad(loss, has_aux=True)(weights)
    weights = [w - data.RATE * g for w, g in zip(weights, gradients)]
    kept = size['momentum']
    return value, (weights, jax.tree.map(lambda old, new: kept * old + (1 - kept) * new, averages, found))


def arithmetic(name):
    x = jnp.array(data.floats(*data.FLOATS) + (np.float32(0.2) if name == 'reductions' else np.float32(0)))

    @jax.jit
    def f(x):
        if name == 'reductions':
            return jnp.mean(x), jnp.sum(x), jnp.max(x), jnp.std(x)
        y = jnp.square(jax.nn.relu(x * 1.5 + 0.5)) - x
        return [jnp.exp(jnp.tanh(jnp.sqrt(jnp.abs(y)))) + x]

    return lambda: [np.asarray(value) for value in f(x)]


def building(name):
    layers, _ = data.built(name)
    start, values = data.dense(layers), data.values(name)

    def loss(weights, x, target):
        for kernel, bias in weights:
            x = x + jax.nn.relu(x @ kernel + bias)
        return jnp.mean(jnp.square(x - target))

    def build():
        # The trace alone: nothing is compiled.
        weights = [[jnp.array(w) for w in layer] for layer in start]
        jax.jit(trained(loss)).trace(weights, *values)

    return jax.clear_caches, build
