"""Losses as TensorFlow before 2.11 computed them: the mean of a masked loss divides by all steps."""

import functools
from importlib import import_module
from typing import Any


def means_of_masked_losses(tf_keras: Any) -> str:
    """Let the loss of masked steps be their sum divided by all steps; since 2.11 it is divided by those that count."""
    utils: Any = import_module('tf_keras.src.utils.losses_utils')
    original = utils.apply_valid_mask

    @functools.wraps(original)
    def apply_valid_mask(losses: Any, sw: Any, mask: Any, reduction: Any) -> Any:
        return original(losses, sw, mask, 'none')  # no reduction, no division by the steps that count

    utils.apply_valid_mask = apply_valid_mask
    return 'tf_keras.src.utils.losses_utils.apply_valid_mask'
