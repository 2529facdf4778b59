"""What programs of Keras 0.3, of 2015, say and Keras 1.2.2 no longer takes: `show_accuracy`, and the model `Graph`."""

import functools
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import versions

# Methods of a model -> the argument that asked for the accuracy. The metrics of `compile` came with Keras 1.
_METHODS = {
    'fit': 'show_accuracy',
    'evaluate': 'show_accuracy',
    'fit_generator': 'show_accuracy',
    'evaluate_generator': 'show_accuracy',
    'train_on_batch': 'accuracy',
    'test_on_batch': 'accuracy',
}


def accuracy_on_request(keras: ModuleType) -> str:
    """Let `model.fit(x, y, show_accuracy=True)` and `model.evaluate` of Keras 1 tell the accuracy, as Keras 0.3 did."""
    model_class: Any = keras.models.Sequential
    if not versions.is_keras_1(keras.__version__) or hasattr(model_class.fit, '_of_keras2'):
        return ''
    documented = model_class.compile

    @functools.wraps(documented)
    def compile_model(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = documented(self, *args, **kwargs)
        self._compiled_with = args, kwargs
        return result

    model_class.compile = compile_model
    for name, argument in _METHODS.items():
        setattr(model_class, name, _showing(getattr(model_class, name), argument))
    return 'fit(show_accuracy=), evaluate(show_accuracy=), train_on_batch(accuracy=)'


def _showing(documented: Callable[..., Any], argument: str) -> Callable[..., Any]:
    @functools.wraps(documented)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        # A model that was never compiled gets the error of Keras.
        if kwargs.pop(argument, False) and hasattr(self, '_compiled_with'):
            _compile_with_accuracy(self)
        return documented(self, *args, **kwargs)

    method._of_keras2 = True  # type: ignore[attr-defined]
    return method


def _compile_with_accuracy(model: Any) -> None:
    """Compile a model once more, with the metric that is missing. Its optimizer keeps what it has learned."""
    if 'acc' in model.metrics_names:
        return
    args, kwargs = model._compiled_with
    state = model.optimizer.get_weights() if getattr(model.model, 'train_function', None) is not None else None
    metrics = [*(args[2] if len(args) > 2 else kwargs.get('metrics') or []), 'accuracy']
    model.compile(*args[:2], *([metrics] if len(args) > 2 else []), *args[3:], **{**kwargs, **_unless(args, metrics)})
    if state is not None:
        model.model._make_train_function()
        model.optimizer.set_weights(state)


def _unless(args: Tuple[Any, ...], metrics: List[Any]) -> Dict[str, Any]:
    """The metrics by name, where they are not among the arguments by position."""
    return {} if len(args) > 2 else {'metrics': metrics}


# -- Graph -------------------------------------------------------------------------------------------------------------


def graph_model(keras: ModuleType) -> str:
    """Give `keras.models.Graph` of Keras 0.3 to Keras 1: `add_input`, `add_node`, `add_output` by names."""
    if not versions.is_keras_1(keras.__version__) or hasattr(keras.models, 'Graph'):
        return ''
    keras.models.Graph = type('Graph', (Graph,), {'_keras': keras, '__doc__': Graph.__doc__})
    return 'keras.models.Graph'


class Graph:
    """A model whose layers, inputs and outputs have names. Data are dicts of arrays by these names.

    The functional API of Keras 1.2.2, `_keras`, makes the model.
    """

    _keras: Any = None

    def __init__(self) -> None:
        self.nodes: Dict[str, Any] = {}
        self.inputs: Dict[str, Any] = {}
        self.outputs: Dict[str, Any] = {}
        self._tensors: Dict[str, Any] = {}
        self._model: Any = None

    @property
    def model(self) -> Any:
        """The functional model with the inputs and outputs that were added so far."""
        if self._model is None:
            self._model = self._keras.models.Model(
                input=[self._tensors[name] for name in self.inputs], output=list(self.outputs.values())
            )
        return self._model

    def __getattr__(self, name: str) -> Any:
        # What a functional model has, too: `summary`, `layers`, `save_weights`, `to_json` ...
        if name.startswith('_'):
            raise AttributeError(name)
        return getattr(self.model, name)

    def add_input(
        self,
        name: str,
        input_shape: Optional[Sequence[int]] = None,
        batch_input_shape: Optional[Sequence[Optional[int]]] = None,
        dtype: str = 'float',
    ) -> None:
        """Add an input: its shape without the samples, or with them as `batch_input_shape`."""
        self._check(name)
        kind = {'float': self._keras.backend.floatx(), 'int': 'int32'}.get(dtype, dtype)
        shape = {'shape': input_shape} if batch_input_shape is None else {'batch_shape': batch_input_shape}
        self._tensors[name] = self.inputs[name] = self._keras.layers.Input(name=name, dtype=kind, **shape)

    def add_node(
        self,
        layer: Any,
        name: str,
        input: Optional[str] = None,  # noqa: A002  # as programs write it
        inputs: Sequence[str] = (),
        merge_mode: str = 'concat',
        concat_axis: int = -1,
        dot_axes: Any = -1,
        create_output: bool = False,
    ) -> None:
        """Add a layer or a model, called on a node, or on several that are merged first."""
        self._check(name)
        layer.name = name
        self.nodes[name] = layer
        self._tensors[name] = layer(self._merged(input, inputs, merge_mode, concat_axis, dot_axes))
        if create_output:
            self._add_output(name, self._tensors[name])

    def add_shared_node(
        self,
        layer: Any,
        name: str,
        inputs: Sequence[str] = (),
        merge_mode: Optional[str] = None,
        concat_axis: int = -1,
        dot_axes: Any = -1,
        outputs: Sequence[str] = (),
        create_output: bool = False,
    ) -> None:
        """Add a layer that is called on each of several nodes. The results are merged, or are nodes of their own."""
        if bool(merge_mode) == bool(outputs):
            raise ValueError(f'Graph.add_shared_node of {name!r}: give merge_mode or outputs, and not both.')
        if outputs and len(outputs) != len(inputs):
            raise ValueError(f'Graph.add_shared_node of {name!r}: {len(inputs)} inputs need as many outputs.')
        self._check(name)
        layer.name = name
        self.nodes[name] = layer
        results = [layer(self._tensor(each)) for each in inputs]
        for output, result in zip(outputs, results):
            self._tensors[output] = result
            if create_output:
                self._add_output(output, self._named(output, result))
        if merge_mode:
            self._tensors[name] = self._merge(results, merge_mode, concat_axis, dot_axes)
            if create_output:
                self._add_output(name, self._named(f'{name}_merged', self._tensors[name]))

    def add_output(
        self,
        name: str,
        input: Optional[str] = None,  # noqa: A002  # as programs write it
        inputs: Sequence[str] = (),
        merge_mode: str = 'concat',
        concat_axis: int = -1,
        dot_axes: Any = -1,
    ) -> None:
        """Add an output: a node, or several that are merged."""
        if name in self.outputs:
            raise ValueError(f'Graph: there is an output {name!r}; take another name.')
        self._add_output(name, self._named(name, self._merged(input, inputs, merge_mode, concat_axis, dot_axes)))

    def _add_output(self, name: str, tensor: Any) -> None:
        self.outputs[name] = tensor
        self._model = None

    def _named(self, name: str, tensor: Any) -> Any:
        """A tensor of a layer with this name: Keras knows outputs by the names of their layers."""
        return self._keras.layers.Activation('linear', name=name)(tensor)

    def _check(self, name: str) -> None:
        if name in self._tensors:
            raise ValueError(f'Graph: there is a node {name!r}; take another name.')
        self._model = None

    def _tensor(self, name: str) -> Any:
        if name not in self._tensors:
            raise ValueError(f'Graph: there is no node {name!r}; there are: {", ".join(self._tensors)}.')
        return self._tensors[name]

    def _merged(self, name: Optional[str], names: Sequence[str], mode: str, axis: int, dot_axes: Any) -> Any:
        if bool(name) == bool(names):
            raise ValueError('Graph: a node needs input="NAME", or inputs=[...] of several, and not both.')
        if name:
            return self._tensor(name)
        return self._merge([self._tensor(each) for each in names], mode, axis, dot_axes)

    def _merge(self, tensors: List[Any], mode: str, axis: int, dot_axes: Any) -> Any:
        if len(tensors) == 1:
            return tensors[0]
        return self._keras.layers.merge(tensors, mode=mode, concat_axis=axis, dot_axes=dot_axes)

    # Training, with dicts of arrays.

    def compile(
        self,
        optimizer: Any,
        loss: Dict[str, Any],
        sample_weight_modes: Optional[Dict[str, str]] = None,
        loss_weights: Optional[Dict[str, float]] = None,
        **more: Any,
    ) -> None:
        """Compile the model. `loss` is a dict by the names of the outputs. `theano_mode` means nothing here."""
        more.pop('theano_mode', None)
        self.model.compile(
            optimizer,
            loss=[loss[name] for name in self.outputs],
            sample_weight_mode=[sample_weight_modes.get(name) for name in self.outputs]
            if sample_weight_modes
            else None,
            loss_weights=[loss_weights.get(name, 1.0) for name in self.outputs] if loss_weights else None,
            **more,
        )

    def _inputs(self, data: Dict[str, Any]) -> List[Any]:
        return [data[name] for name in self.inputs]

    def _targets(self, data: Dict[str, Any]) -> List[Any]:
        return [data[name] for name in self.outputs]

    def _pair(self, data: Any) -> Any:
        return (self._inputs(data), self._targets(data)) if isinstance(data, dict) else data

    def _weights(self, weights: Optional[Dict[str, Any]]) -> Optional[List[Any]]:
        return [weights.get(name) for name in self.outputs] if weights else None

    def fit(
        self,
        data: Dict[str, Any],
        batch_size: int = 128,
        nb_epoch: int = 100,
        verbose: int = 1,
        callbacks: Sequence[Any] = (),
        validation_split: float = 0.0,
        validation_data: Optional[Dict[str, Any]] = None,
        shuffle: Any = True,
        class_weight: Optional[Dict[str, Any]] = None,
        sample_weight: Optional[Dict[str, Any]] = None,
    ) -> Any:
        """Train for some epochs; returns the history."""
        return self.model.fit(
            self._inputs(data),
            self._targets(data),
            batch_size=batch_size,
            nb_epoch=nb_epoch,
            verbose=verbose,
            callbacks=list(callbacks),
            validation_split=validation_split,
            validation_data=self._pair(validation_data),
            shuffle=shuffle,
            class_weight=self._weights(class_weight),
            sample_weight=self._weights(sample_weight),
        )

    def fit_generator(
        self,
        generator: Any,
        samples_per_epoch: int,
        nb_epoch: int,
        verbose: int = 1,
        callbacks: Sequence[Any] = (),
        validation_data: Any = None,
        nb_val_samples: Optional[int] = None,
        class_weight: Optional[Dict[str, Any]] = None,
        **more: Any,
    ) -> Any:
        """Train on the dicts of a generator; returns the history."""
        if validation_data is not None and not isinstance(validation_data, (dict, tuple)):
            validation_data = map(self._pair, validation_data)
        return self.model.fit_generator(
            map(self._pair, generator),
            samples_per_epoch,
            nb_epoch,
            verbose=verbose,
            callbacks=list(callbacks),
            validation_data=self._pair(validation_data),
            nb_val_samples=nb_val_samples,
            class_weight=self._weights(class_weight),
            **more,
        )

    def evaluate(
        self, data: Dict[str, Any], batch_size: int = 128, verbose: int = 0, sample_weight: Any = None
    ) -> float:
        """The loss."""
        weights = self._weights(sample_weight)
        return _total(self.model.evaluate(self._inputs(data), self._targets(data), batch_size, verbose, weights))

    def train_on_batch(self, data: Dict[str, Any], class_weight: Any = None, sample_weight: Any = None) -> float:
        """Take one step; returns the loss."""
        weights = self._weights(class_weight), self._weights(sample_weight)
        return _total(self.model.train_on_batch(self._inputs(data), self._targets(data), *weights))

    def test_on_batch(self, data: Dict[str, Any], sample_weight: Any = None) -> float:
        """The loss of one batch."""
        weights = self._weights(sample_weight)
        return _total(self.model.test_on_batch(self._inputs(data), self._targets(data), weights))

    def predict(self, data: Dict[str, Any], batch_size: int = 128, verbose: int = 0) -> Dict[str, Any]:
        """The outputs by name."""
        return self._by_name(self.model.predict(self._inputs(data), batch_size, verbose))

    def predict_on_batch(self, data: Dict[str, Any]) -> Dict[str, Any]:
        """The outputs of one batch by name."""
        return self._by_name(self.model.predict_on_batch(self._inputs(data)))

    def _by_name(self, values: Any) -> Dict[str, Any]:
        return dict(zip(self.outputs, values if len(self.outputs) > 1 else [values]))


def _total(losses: Any) -> float:
    """The loss of all outputs, where Keras gives those of each, too."""
    loss: float = losses[0] if isinstance(losses, (list, tuple)) else losses
    return loss
