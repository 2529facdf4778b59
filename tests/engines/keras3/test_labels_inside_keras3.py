"""`K.sparse_categorical_crossentropy` inside Keras 3 names a label that is no class."""

import label_checks
import pytest

import keras_backend.keras3 as K


@pytest.mark.parametrize('from_logits', [False, True])
def test_fed_labels_inside_keras3(from_logits):
    label_checks.check_fed_labels(K, from_logits)


def test_computed_labels_inside_keras3():
    label_checks.check_computed_labels(K)


def test_updates_wait_inside_keras3():
    label_checks.check_updates_wait(K)


def test_values_inside_keras3():
    label_checks.check_values(K)
