"""A layer of a file in a Keras that has no such layer, or gives it another meaning: the functions of `files.layers`."""

from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ..layers.parameters import own_names, parameters
from ..layers.table import results
from ..layers.use import Help, Use, tensor_list
from ..structure import Layer
from .spellings import Spellings


def as_json(value: Any) -> Any:
    """The value as plain JSON: arrays and numbers of NumPy as lists and numbers."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    return value


def described(layer: Layer) -> Dict[str, Any]:
    """A layer of a file as plain data, with the shapes of its weights."""
    trained = {(id(parameter.owner), parameter.name): parameter.trainable for parameter in parameters(layer)}
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
        'gets_masks': layer.gets_masks,
        'inner': [_described(inner, trained) for inner in layer.inner],
        'weights': weights,
    }


def _layer(said: Mapping[str, Any]) -> Layer:
    layer = Layer(said['name'], said['kind'], dict(said['config']), [_layer(inner) for inner in said['inner']])
    layer.gets_masks = bool(said['gets_masks'])
    return layer


def _walk(layer: Layer, said: Mapping[str, Any]) -> Iterator[Tuple[Layer, Mapping[str, Any]]]:
    yield layer, said
    for inner, of_inner in zip(layer.inner, said['inner']):
        yield from _walk(inner, of_inner)


class OfFile:
    """The part of a `LayerOfFile` that is the same in each Keras. It comes before the layer of Keras among the bases.

    A class derived from it has `k`, `parts`, `value`, `assign` and `state`.
    """

    name: str

    def __init__(
        self,
        layer: Mapping[str, Any],
        library: str = 'keras',
        functions: Optional[Mapping[str, Callable[..., Any]]] = None,
        **kwargs: Any,
    ) -> None:
        """Keep the layer. Its weights are made when the model is built."""
        super().__init__(**kwargs)
        self.keep(layer, library, functions)

    def keep(self, layer: Mapping[str, Any], library: str, functions: Optional[Mapping[str, Any]]) -> None:
        """Keep the layer.

        layer: as `described` gives it. library: 'keras' or 'tf.keras', whose rules for masks hold. functions:
        activations of the user by their names.
        """
        self._said, self._library = as_json(layer), library
        self._functions: Dict[str, Callable[..., Any]] = dict(functions or {})
        self._of_file = _layer(self._said)
        self._variables: Dict[str, Dict[str, Any]] = {}
        self.supports_masking = True
        config = self._of_file.config.get('activity_regularizer')
        self.activity_regularizer = self.parts().regularizer(config, self._where(self._of_file, 'activity_regularizer'))

    # -- of a Keras --------------------------------------------------------------------------------------------------
    def k(self) -> Any:
        """The module of K functions."""
        raise NotImplementedError

    def parts(self) -> Spellings:
        """What regularizers and constraints of the file are in this Keras."""
        raise NotImplementedError

    def value(self, variable: Any) -> Any:
        """A weight as K functions take it."""
        raise NotImplementedError

    def assign(self, variable: Any, array: Any) -> None:
        """Give a weight a value."""
        raise NotImplementedError

    def state(self, layer: Layer, number: int, shape: Sequence[int]) -> Any:
        """The variable of a state of a stateful layer."""
        raise NotImplementedError

    # -- the same in all ---------------------------------------------------------------------------------------------
    @staticmethod
    def _where(layer: Layer, key: str) -> str:
        return f'{key} of the layer {layer.name} ({layer.kind})'

    @property
    def kind(self) -> str:
        """The class of the layer in Keras 2."""
        return self._of_file.kind

    def make_weights(self) -> None:
        """Make the weights, whose shapes the file says."""
        layer: Any = self
        spellings = self.parts()
        for number, (owner, description) in enumerate(_walk(self._of_file, self._said)):
            own = {}
            for weight in description['weights']:
                # The regularizer of `recurrent_kernel` is `recurrent_regularizer`.
                entry = weight['name'].split('/')[-1].replace('_kernel', '')
                own[weight['name']] = layer.add_weight(
                    name=weight['name'].replace('/', '_') if number == 0 else f'{number}_{weight["name"]}',
                    shape=tuple(weight['shape']),
                    dtype=None if weight['dtype'].startswith('float') else weight['dtype'],
                    initializer='glorot_uniform' if len(weight['shape']) > 1 else 'zeros',
                    trainable=weight['trainable'],
                    regularizer=spellings.regularizer(
                        owner.config.get(f'{entry}_regularizer'), self._where(owner, f'{entry}_regularizer')
                    ),
                    constraint=spellings.constraint(
                        owner.config.get(f'{entry}_constraint'), self._where(owner, f'{entry}_constraint')
                    ),
                )
            # By position: the layers themselves are no attributes that Keras would save.
            self._variables[str(number)] = own

    def build(self, input_shape: Any = None) -> None:
        """Make the weights."""
        self.make_weights()
        self.built = True

    def take(self, layer: Layer) -> None:
        """Take the weights of the layer of the file."""
        for number, (owner, _) in enumerate(_walk(layer, self._said)):
            for name, weight in zip(own_names(owner), owner.weights):
                self.assign(self._variables[str(number)][name], np.asarray(weight.array))

    def computed(
        self, inputs: Any, mask: Any, arguments: Mapping[str, Any]
    ) -> Tuple[List[Any], List[Any], List[Tuple[Any, Any]]]:
        """The outputs of a call, their masks, and the updates of states.

        inputs, mask: one, or a list. arguments: those by keyword.
        """
        K = self.k()
        flat_inputs = tensor_list(inputs)
        masks = tensor_list(mask) if mask is not None else [None] * len(flat_inputs)
        numbers = {id(layer): str(number) for number, (layer, _) in enumerate(_walk(self._of_file, self._said))}
        updates: List[Tuple[Any, Any]] = []

        def weights(layer: Layer, shapes: Sequence[Any] = ()) -> Mapping[str, Any]:
            return {name: self.value(variable) for name, variable in self._variables[numbers[id(layer)]].items()}

        def apply(
            layer: Layer,
            tensors: List[Any],
            of_tensors: List[Any],
            said: Mapping[str, Any],
            owner: Optional[Layer] = None,
        ) -> Tuple[Any, Any]:
            return results(Use(K, layer, weights(owner or layer), tensors, of_tensors, said, helper, owner))

        helper = Help(apply, weights, None, self._functions, self.state, updates, self._library)
        outputs, output_masks = apply(self._of_file, flat_inputs, masks, arguments)
        if isinstance(outputs, (list, tuple)):
            own = list(output_masks) if isinstance(output_masks, (list, tuple)) else [output_masks] * len(outputs)
            return list(outputs), own, updates
        return [outputs], [output_masks], updates

    def said(self) -> Dict[str, Any]:
        """The part of the configuration that is of the file."""
        return {'layer': self._said, 'library': self._library}
