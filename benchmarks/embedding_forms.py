"""A training step on an embedding, in the forms in which programs write it, beside a step that changes the whole table.

    KERAS_BACKEND=jax python benchmarks/embedding_forms.py --json jax.json

The step reads 512 of 50,000 rows of 128 numbers. The gradient of the dense step is a table, since a table of zeros is
added to it. Momentum and Adam change all rows in any library.
"""

import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('KERAS_BACKEND_QUIET', '1')

import numpy as np
from _measure import best, main

import keras_backend as K

ROWS, WIDTH = 50000, 128
random = np.random.RandomState(0)
START = random.normal(size=(ROWS, WIDTH)).astype('float32')
PICKED = random.randint(0, ROWS, (32, 16)).astype('int32')


def squares(looked_up):
    return K.mean(K.square(looked_up))


def step(update=None, loss=squares, of_table=None, more=lambda table: []):
    """A function that takes one step of a form and gives its loss."""
    table, places = K.variable(START), K.placeholder((32, 16), dtype='int32')
    value = loss(K.gather(table, places))
    if of_table is not None:
        value = value + of_table(table, places)
    (gradient,) = K.gradients(value, [table])
    update = update or (lambda w, g: [(w, w - 0.01 * g)])
    function = K.function([places], [value, *more(table)], updates=update(table, gradient))
    return lambda: function([PICKED])


def by_norm(most):
    def update(w, g):
        norm = K.sqrt(sum([K.sum(K.square(g))]))
        return [(w, w - 0.01 * K.switch(norm >= most, g * most / norm, g))]

    return update


def momentum(w, g):
    velocity = K.zeros((ROWS, WIDTH))
    new = 0.9 * velocity - 0.01 * g
    return [(velocity, new), (w, w + new)]


def adam(w, g):
    m, v, t = K.zeros((ROWS, WIDTH)), K.zeros((ROWS, WIDTH)), K.variable(0.0)
    now = t + 1.0
    rate = 0.001 * K.sqrt(1.0 - K.pow(0.999, now)) / (1.0 - K.pow(0.9, now))
    first, second = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * K.square(g)
    return [(t, now), (m, first), (v, second), (w, w - rate * first / (K.sqrt(second) + 1e-7))]


def scaled_by(rate):
    return lambda w, g: [(w, w - rate() * g)]


FORMS = {
    'rate is a number': step,
    'rate is a tensor': lambda: step(scaled_by(lambda: K.constant(0.01))),
    'rate is a variable': lambda: step(scaled_by(lambda: K.variable(0.01))),
    'update_sub': lambda: step(lambda w, g: [K.update_sub(w, 0.01 * g)]),
    'sum of the lookup': lambda: step(loss=K.sum),
    'mean of the lookup': lambda: step(loss=K.mean),
    'two lookups': lambda: step(of_table=lambda w, i: squares(K.gather(w, i[:, 0]))),
    'a part of the table read': lambda: step(more=lambda w: [K.sum(w[0])]),
    'clipped by value': lambda: step(lambda w, g: [(w, w - 0.01 * K.clip(g, -0.5, 0.5))]),
    'clipped by norm': lambda: step(by_norm(1e-3)),
    'momentum': lambda: step(momentum),
    'Adam': lambda: step(adam),
}


def forms(report):
    """Each form beside the dense step."""
    calls = {name: make() for name, make in FORMS.items()}
    dense = step(lambda w, g: [(w, w - 0.01 * (g + K.zeros((ROWS, WIDTH))))])
    for call in (dense, *calls.values()):
        for _ in range(30):  # an engine may compile after some calls
            call()
    for name, call in calls.items():
        seconds, whole = best(call, dense, rounds=9)
        report.ratio(f'{K.backend()}: {name}', seconds, 'the dense step', whole)


if __name__ == '__main__':
    main(forms, 'Training steps on an embedding of 50,000 x 128')
