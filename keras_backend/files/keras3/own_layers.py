"""Layers that Keras 3 lacks, or to which it gives another meaning: the functions of `files.layers`, as its layers.

A saved model that has one of them opens after `import keras_backend.files.keras3`.
"""

from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ...errors import LayerConfigError
from ..layers.parameters import own_names, parameters
from ..layers.table import results
from ..layers.use import Help, Use, tensor_list
from ..structure import Layer
from .library import k_inside_keras, keras, registered
from .spellings import as_json


def described(layer: Layer) -> Dict[str, Any]:
    """A layer of a file as plain data, with the shapes of its weights."""
    trained = {(id(one.owner), one.name): one.trainable for one in parameters(layer)}
    return _described(layer, trained)


def _described(layer: Layer, trained: Mapping[Tuple[int, str], bool]) -> Dict[str, Any]:
    weights = [
        {
            'name': name,
            'shape': list(np.shape(weight.array)),
            'dtype': str(np.asarray(weight.array).dtype),
            'trainable': bool(trained.get((id(layer), name), False)),
        }
        for name, weight in zip(own_names(layer), layer.weights)
    ]
    return {
        'name': layer.name,
        'kind': layer.kind,
        'config': as_json(layer.config),
        'inner': [_described(inner, trained) for inner in layer.inner],
        'weights': weights,
    }


def _layer(said: Mapping[str, Any]) -> Layer:
    return Layer(said['name'], said['kind'], dict(said['config']), [_layer(inner) for inner in said['inner']])


def _walk(layer: Layer, said: Mapping[str, Any]) -> Iterator[Tuple[Layer, Mapping[str, Any]]]:
    yield layer, said
    for inner, of_inner in zip(layer.inner, said['inner']):
        yield from _walk(inner, of_inner)


@registered
class LayerOfFile(keras.layers.Layer):
    """A layer with the meaning of Keras 2.3.1, computed with K.

    layer: the layer as `described` gives it. library: 'keras' or 'tf.keras', whose rules for masks hold.
    functions: activations of the user by their names. A program that opens a saved model gives them with
    `custom_objects`.
    """

    def __init__(
        self,
        layer: Mapping[str, Any],
        library: str = 'keras',
        functions: Optional[Mapping[str, Callable[..., Any]]] = None,
        **kwargs: Any,
    ) -> None:
        """Keep the layer. Its weights are made when the model is built."""
        super().__init__(**kwargs)
        self._said, self._library = as_json(layer), library
        self._functions = dict(functions or {})
        self._of_file = _layer(self._said)
        self._variables: Dict[str, Dict[str, Any]] = {}
        self._states: Dict[str, Any] = {}
        self.supports_masking = True

    @property
    def kind(self) -> str:
        """The class of the layer in Keras 2."""
        return self._of_file.kind

    def build(self, input_shape: Any = None) -> None:
        """Make the weights, whose shapes the file says."""
        for number, (_, said) in enumerate(_walk(self._of_file, self._said)):
            own = {}
            for weight in said['weights']:
                own[weight['name']] = self.add_weight(
                    name=weight['name'].replace('/', '_') if number == 0 else f'{number}_{weight["name"]}',
                    shape=tuple(weight['shape']),
                    dtype=None if weight['dtype'].startswith('float') else weight['dtype'],
                    initializer='glorot_uniform' if len(weight['shape']) > 1 else 'zeros',
                    trainable=weight['trainable'],
                )
            # By position: the layers themselves are no attributes that Keras would save.
            self._variables[str(number)] = own
        self.built = True

    def take(self, layer: Layer) -> None:
        """Take the weights of the layer of the file."""
        for number, (one, _) in enumerate(_walk(layer, self._said)):
            for name, weight in zip(own_names(one), one.weights):
                self._variables[str(number)][name].assign(np.asarray(weight.array))

    def call(self, inputs: Any, mask: Any = None, **arguments: Any) -> Any:
        """The outputs of the layer."""
        outputs, _ = self._computed(inputs, mask, arguments)
        return outputs[0] if len(outputs) == 1 else outputs

    def compute_mask(self, inputs: Any, previous_mask: Any) -> Any:
        """The masks of the outputs."""
        outputs, masks = self._computed(inputs, previous_mask, {})
        return masks[0] if len(outputs) == 1 else masks

    def _computed(self, inputs: Any, mask: Any, arguments: Mapping[str, Any]) -> Tuple[List[Any], List[Any]]:
        K = k_inside_keras()
        given = tensor_list(inputs)
        masks = tensor_list(mask) if mask is not None else [None] * len(given)
        numbers = {id(layer): str(number) for number, (layer, _) in enumerate(_walk(self._of_file, self._said))}
        updates: List[Tuple[Any, Any]] = []

        def weights(layer: Layer, shapes: Sequence[Any] = ()) -> Mapping[str, Any]:
            return {name: variable.value for name, variable in self._variables[numbers[id(layer)]].items()}

        def apply(
            layer: Layer,
            tensors: List[Any],
            of_tensors: List[Any],
            said: Mapping[str, Any],
            owner: Optional[Layer] = None,
        ) -> Tuple[Any, Any]:
            return results(Use(K, layer, weights(owner or layer), tensors, of_tensors, said, helper, owner))

        helper = Help(apply, weights, None, self._functions, self._state, updates, self._library)
        outputs, found = apply(self._of_file, given, masks, arguments)
        if isinstance(outputs, (list, tuple)):
            return list(outputs), list(found) if isinstance(found, (list, tuple)) else [found] * len(outputs)
        return [outputs], [found]

    def _state(self, layer: Layer, number: int, shape: Sequence[int]) -> Any:
        raise LayerConfigError(
            f'The layer {self.name} ({self.kind}) is stateful, and no layer of Keras 3 has its meaning.', self.name
        )

    def get_config(self) -> Dict[str, Any]:
        """The layer as plain data."""
        return {**super().get_config(), 'layer': self._said, 'library': self._library}
