"""Gradients of optimizers of programs are clipped by the functions that `tf.clip_by_norm` and others are."""

from types import SimpleNamespace

import numpy as np
import pytest
from keras import ops

from keras_backend.programs.on_keras3.optimizer_updates import clipped
from keras_backend.programs.on_keras3.tf_on_keras import arithmetic

GRADS = [np.array([[3.0, -4.0]], 'float32'), np.array([0.3, 0.0], 'float32'), np.zeros(2, 'float32')]
TOGETHER = np.sqrt(sum(np.sum(g**2) for g in GRADS))
WANTED = {
    'clipnorm': [GRADS[0] / 5 * 0.5, GRADS[1], GRADS[2]],
    'global_clipnorm': [g * 0.5 / TOGETHER for g in GRADS],
    'clipvalue': [np.clip(g, -0.5, 0.5) for g in GRADS],
    'lr': GRADS,
}


@pytest.mark.parametrize('name', list(WANTED))
def test_clipped_gradients(name):
    """By the norm of each, by the norm of all, by each element, or not at all; a gradient of zeros stays zeros."""
    found = clipped(SimpleNamespace(**{name: 0.5}), [ops.convert_to_tensor(g) for g in GRADS])
    for gradient, wanted in zip(found, WANTED[name]):
        np.testing.assert_allclose(ops.convert_to_numpy(gradient), wanted, rtol=1e-6)


def test_one_way_to_clip(monkeypatch):
    """What clips for `tf.clip_by_norm` clips for optimizers."""
    for name in ('clip_by_norm', 'clip_by_value'):
        monkeypatch.setattr(arithmetic, name, lambda g, *limits: ('clipped', g))
    assert [('clipped', ('clipped', 1))] == clipped(SimpleNamespace(clipnorm=1.0, clipvalue=1.0), [1])
