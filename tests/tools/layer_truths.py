"""The layers of examples/layers in plain NumPy, in float64: formulas, loops, sums over all paths. No K here."""

import itertools

import numpy as np

from keras_backend.conformance.truth import batch_cost, sigmoid, softmax

EPSILON = 1e-7  # K.epsilon()


def squared(y):
    """The loss of layers that are no losses themselves."""
    return np.mean((y - 0.3) ** 2)


def attention(weights, x, mask, heads=2, size=2):
    wq, wk, wv, wo = weights
    out = np.zeros(x.shape)
    for s, rows in enumerate(x):
        parts = []
        for h in range(heads):
            q, k, v = [rows @ w[:, h * size : (h + 1) * size] for w in (wq, wk, wv)]
            scores = q @ k.T / np.sqrt(size)
            scores[:, mask[s] == 0] = -np.inf
            parts.append(softmax(scores) @ v)
        out[s] = np.concatenate(parts, axis=1) @ wo
    return out, squared(out)


def capsules(weights, u, present, out=2, size=3, routings=3):
    (w,) = weights
    samples, inputs, _ = u.shape
    w = w.reshape(inputs, -1, out, size)
    v = np.zeros((samples, out, size))
    for s in range(samples):
        votes = np.array([[u[s, i] @ w[i, :, j] for j in range(out)] for i in range(inputs)])
        b = np.zeros((inputs, out))
        for _ in range(routings):
            c = softmax(b, axis=1)
            for j in range(out):
                total = sum(c[i, j] * votes[i, j] for i in range(inputs))
                n2 = total @ total
                v[s, j] = n2 / (1 + n2) * total / np.sqrt(n2 + EPSILON)
            b = b + np.array([[votes[i, j] @ v[s, j] for j in range(out)] for i in range(inputs)])
    length = np.sqrt((v**2).sum(axis=-1) + EPSILON)
    loss = present * np.maximum(0, 0.9 - length) ** 2 + 0.5 * (1 - present) * np.maximum(0, length - 0.1) ** 2
    return v, loss.sum(axis=-1).mean()


def crf(weights, tags, scores, mask):
    transitions, start, end = weights

    def score(path, x):
        return (
            start[path[0]]
            + end[path[-1]]
            + sum(x[t, tag] for t, tag in enumerate(path))
            + sum(transitions[a, b] for a, b in zip(path, path[1:]))
        )

    costs = []
    for y, x, m in zip(tags, scores, mask):
        n = int(m.sum())
        every = [score(path, x) for path in itertools.product(range(x.shape[1]), repeat=n)]
        costs.append(np.log(np.sum(np.exp(every))) - score(y[:n].argmax(axis=1), x))
    return np.array(costs), np.mean(costs)


def ctc(weights, labels, frames, frame_lengths, label_lengths):
    kernel, bias = weights
    costs = batch_cost(labels, softmax(frames @ kernel + bias), frame_lengths, label_lengths, EPSILON)
    return costs, np.mean(costs)


def focal(weights, x, target, classes):
    kernel, several = weights
    costs = []
    for row, t in zip(sigmoid(x @ kernel), target):
        pt = np.where(t == 1, row, 1 - row)
        costs.append(np.mean(-np.where(t == 1, 0.25, 0.75) * (1 - pt) ** 2 * np.log(pt)))
    right = softmax(x @ several)[np.arange(len(x)), classes]
    categorical = -((1 - right) ** 2) * np.log(right)
    return [np.array(costs), categorical], np.mean(costs) + np.mean(categorical)


def gradient_penalty(weights, real, fake, place):
    kernel, bias, output = weights

    def critic(x):
        return np.tanh(x @ kernel + bias) @ output

    penalties = []
    for x in place * real + (1 - place) * fake:
        slope = kernel @ ((1 - np.tanh(x @ kernel + bias) ** 2) * output[:, 0])
        penalties.append((np.sqrt(slope @ slope) - 1) ** 2)
    return np.array(penalties), critic(fake).mean() - critic(real).mean() + 10 * np.mean(penalties)


def instance_norm(weights, x):
    gamma, beta = weights
    out = np.zeros(x.shape)
    for s, i in np.ndindex(len(x), x.shape[-1]):
        pixels = x[s, :, :, i]
        out[s, :, :, i] = (pixels - pixels.mean()) / np.sqrt(pixels.var() + 1e-5) * gamma[i] + beta[i]
    return out, squared(out)


def weight_norm(weights, x):
    v, g, bias = weights
    out = np.stack([x @ (g[j] * v[:, j] / np.linalg.norm(v[:, j])) + bias[j] for j in range(len(g))], axis=1)
    return out, squared(out)


def masked_pooling(weights, x, mask):
    first, second = weights
    rows = [row[m == 1] for row, m in zip(x, mask)]
    attended = np.array([softmax(np.tanh(row @ first) @ second, axis=0).T @ row for row in rows])
    out = [np.array([row.mean(axis=0) for row in rows]), np.array([row.max(axis=0) for row in rows]), attended]
    return out, squared(attended)


def ordered_neurons(weights, x, mask, n=4, chunk=2):
    kernel, recurrent, bias = weights
    out = np.zeros(x.shape[:2] + (n,))
    for s in range(len(x)):
        h, c, last = np.zeros(n), np.zeros(n), np.zeros(n)
        for t in range(x.shape[1]):
            if mask[s, t]:
                z = x[s, t] @ kernel + h @ recurrent + bias
                f, i, o = [sigmoid(part) for part in np.split(z[: 3 * n], 3)]
                first, second = np.split(z[4 * n :], 2)
                mf = np.repeat(np.cumsum(softmax(first)), chunk)
                mi = 1 - np.repeat(np.cumsum(softmax(second)), chunk)
                w = mf * mi
                c = (f * w + mf - w) * c + (i * w + mi - w) * np.tanh(z[3 * n : 4 * n])
                h = last = o * np.tanh(c)
            out[s, t] = last
    return out, squared(out)


def phased_lstm(weights, x, times, n=3):
    kernel, recurrent, bias, period, shift, ratio = weights
    h, c = np.zeros((len(x), n)), np.zeros((len(x), n))
    for t in range(x.shape[1]):
        for s in range(len(x)):
            phase = np.mod(times[s, t, 0] - shift, period) / period
            k = np.array(
                [2 * p / r if p < r / 2 else 2 - 2 * p / r if p < r else 0.001 * p for p, r in zip(phase, ratio)]
            )
            z = x[s, t] @ kernel + h[s] @ recurrent + bias
            i, f, new, o = sigmoid(z[:n]), sigmoid(z[n : 2 * n]), np.tanh(z[2 * n : 3 * n]), sigmoid(z[3 * n :])
            proposed = f * c[s] + i * new
            h[s], c[s] = k * o * np.tanh(proposed) + (1 - k) * h[s], k * proposed + (1 - k) * c[s]
    return h, squared(h)
