"""`K.sparse_categorical_crossentropy` names a label that is no class. The original did so on TensorFlow."""

import label_checks
import pytest

import keras_backend as K


@pytest.mark.parametrize('from_logits', [False, True])
def test_fed_labels(from_logits):
    label_checks.check_fed_labels(K, from_logits)


def test_computed_labels():
    label_checks.check_computed_labels(K)


def test_updates_wait():
    label_checks.check_updates_wait(K)


def test_label_values():
    label_checks.check_values(K)
