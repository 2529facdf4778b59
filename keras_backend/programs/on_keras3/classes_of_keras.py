"""Where Keras 3 has what a cure changes."""

from typing import Any

# Under which names programs import Keras 3.
HOMES = ('keras', 'keras._tf_keras.keras', 'tensorflow.keras')


def owner(made: Any, name: str) -> Any:
    """The class that has the method of this name, which is to be changed: `made`, or one that it derives from."""
    return next(each for each in made.__mro__ if name in vars(each))


def functional(keras: Any) -> Any:
    """The class of models that are graphs of layers."""
    return next(each for each in keras.Model.__subclasses__() if each.__name__ == 'Functional')
