"""Random numbers of a seeded program, as TensorFlow before 2.10 drew them.

Initializers, noise and dropout of tf_keras draw by one class, `RandomGenerator`. Before 2.8, each called an operation.
So a program that sets `tf.random.set_seed` began with other weights than it does today.

| draws of          | until 2.6         | 2.7               | 2.8, 2.9    | from 2.10 on  |
|-------------------|-------------------|-------------------|-------------|---------------|
| an initializer    | `tf.random`       | `tf.random`       | `tf.random` | stateless (1) |
| one with a seed   | stateless         | generator         | generator   | stateless     |
| noise             | `K.random_normal` | generator         | generator   | generator     |
| Dropout           | `tf.nn.dropout`   | `tf.nn.dropout`   | generator   | generator     |
| dropout of a cell | `K.dropout`       | `K.dropout`       | generator   | generator     |

(1) with a seed of Python's module `random`. `K.random_normal` and `K.dropout` take a seed from NumPy. A generator makes
a new seed of its own for each call. Random layers of images draw other numbers in each version.
"""

from importlib import import_module
from typing import Any, Callable

from ..launcher.cures import around

# Draws of initializers, and of layers.
_INITIALIZER, _LAYER = 'stateless', 'legacy_stateful'
_OF_INITIALIZERS = {'random_normal': 'normal', 'random_uniform': 'uniform', 'truncated_normal': 'truncated_normal'}
_OF_NOISE = ('random_normal', 'random_uniform')


def draws_of_initializers(tf_keras: Any) -> str:
    """Let initializers without a seed draw by the operations of `tf.random`, which follow `tf.random.set_seed`."""
    # It says that a second call draws the same numbers.
    initializers: Any = import_module('tf_keras.src.initializers.initializers')
    initializers.Initializer._warn_reuse = lambda self: None
    return _by_operations(lambda seed: seed is None)


def draws_of_seeded_initializers(tf_keras: Any) -> str:
    """The same for initializers with a seed: each call draws other numbers."""
    return _by_operations(lambda seed: seed is not None)


def _by_operations(is_meant: Callable[[Any], bool]) -> str:
    random: Any = import_module('tensorflow').random

    @around
    def draw(original: Any, operation: Any, self: Any, shape: Any, *args: Any, **kwargs: Any) -> Any:
        # One part of a variable that lies in parts has a `nonce`, so that the parts differ.
        is_part = (len(args) > 3 and args[3] is not None) or kwargs.get('nonce') is not None
        if self._rng_type != _INITIALIZER or not is_meant(self._seed) or is_part:
            return original(self, shape, *args, **kwargs)
        kwargs.pop('nonce', None)
        return operation(shape, *args[:3], **kwargs, seed=self.make_legacy_seed())

    return _replaced(
        {name: draw(getattr(_generator(), name), getattr(random, op)) for name, op in _OF_INITIALIZERS.items()}
    )


def draws_of_noise(tf_keras: Any) -> str:
    """Let GaussianNoise, GaussianDropout and AlphaDropout draw by the functions of K."""

    @around
    def draw(original: Any, function: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        if self._rng_type != _LAYER:
            return original(self, *args, **kwargs)
        kwargs.pop('nonce', None)
        return function(*args[:4], **kwargs, seed=self._seed)

    return _replaced({name: draw(getattr(_generator(), name), getattr(tf_keras.backend, name)) for name in _OF_NOISE})


def draws_of_dropout(tf_keras: Any) -> str:
    """Let Dropout draw with its own seed each time, and cells by `K.dropout`."""
    nn: Any = import_module('tensorflow').nn

    @around
    def dropout(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        if self._rng_type != _LAYER:
            return original(self, *args, **kwargs)
        # Cells alone give the rate by its place and no shape.
        if kwargs or len(args) > 2:
            return nn.dropout(*args[:1], **dict(zip(('rate', 'noise_shape'), args[1:]), **kwargs), seed=self._seed)
        return tf_keras.backend.dropout(*args, seed=self._seed)

    return _replaced({'dropout': dropout(_generator().dropout)})


def _generator() -> Any:
    return import_module('tf_keras.src.backend').RandomGenerator


def _replaced(methods: Any) -> str:
    for name, method in methods.items():
        setattr(_generator(), name, method)
    return ', '.join(f'tf_keras.src.backend.RandomGenerator.{name}' for name in methods)
