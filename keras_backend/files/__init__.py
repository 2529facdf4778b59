"""Files of Keras 1, 2 and 3, read without running anything that they contain."""

import os
from importlib import import_module
from typing import Any, Callable, List, Mapping, Optional, Sequence, Union

import numpy as np

from ..errors import (
    ArgumentTypeError,
    ArgumentValueError,
    KerasBackendError,
    LayerConfigError,
    RefusedCodeError,
    UnknownLayerError,
    UnreadableCodeError,
    UnreadableFileError,
    WrongWeightsError,
)
from .graphs.function import GraphComposition, frozen, is_graph
from .graphs.saved import is_class, saved
from .lambdas import Functions
from .layers.composition import compose
from .layers.parameters import parameters
from .reading.read import read, with_model
from .structure import File, Layer, Model

__all__ = ['File', 'Layer', 'Model', 'ModelFunction', 'function', 'load', 'read']


def load(
    path: Union[str, File],
    weights: Optional[str] = None,
    lambdas: Optional[Mapping[str, Any]] = None,
    custom_objects: Optional[Mapping[str, Any]] = None,
    compile: bool = True,
    engine: Optional[str] = None,
    keras: str = 'keras',
) -> Any:
    """The model of a file as a `keras.Model` of Keras 3, or as one of tf_keras.

    keras: 'keras' for Keras 3, 'tf_keras' for the package of this name, which is Keras 2 for the TensorFlow of today.
    It opens SavedModel folders of models without a configuration, too. The other arguments, the result and the errors:
    see `keras_backend.files.keras3.load` and `keras_backend.files.tf_keras.load`.
    """
    if keras not in ('keras', 'tf_keras'):
        raise ArgumentValueError(f"keras={keras!r} is no Keras; give 'keras' for Keras 3, or 'tf_keras'.")
    arguments = (path, weights, lambdas, custom_objects, compile, engine)
    if keras == 'tf_keras':
        from .tf_keras.loading import load as load_tf_keras_model

        return load_tf_keras_model(*arguments)
    from .keras3.building import load as load_model

    return load_model(*arguments)


# What stops a model that is composed layer by layer, and perhaps not its graph.
_OF_LAYERS = (UnknownLayerError, LayerConfigError, WrongWeightsError, UnreadableCodeError, RefusedCodeError)

# How many rows are predicted at once.
_ROWS = 32

# -- models as functions -----------------------------------------------------------------------------------------------
# A model of a file as a function of K: a model of 2016 predicts with NumPy alone.


class ModelFunction:
    """What a model predicts, as a function of arrays. It is made by `function`.

    file: the file. inputs, outputs: tensors of K, in the order of the model. weights: variables of K by the name of the
    layer and their own name. input_names, output_names: the names of the layers.
    """

    def __init__(self, file: Any, composition: Any, input_names: List[str], output_names: List[str]) -> None:
        """Compile the function at its first call. composition: its tensors, such as a `Composition`."""
        self.file, self._composition = file, composition
        self._compiled: Any = None
        self.inputs, self.outputs, self.weights = composition.inputs, composition.outputs, composition.weights
        self.input_names, self.output_names = input_names, output_names

    def __call__(self, *inputs: Any) -> Any:
        """The predictions of one batch.

        inputs: an array for each input of the model, one by one or as one list. Result: an array, or a list of arrays,
        if the model has several outputs.
        Error: ArgumentTypeError, if the number of arrays is another.
        """
        outputs = self.k_function(self._arrays(inputs))
        return outputs[0] if len(outputs) == 1 else outputs

    def _arrays(self, inputs: Sequence[Any]) -> List[Any]:
        """The arrays of a call, one for each input."""
        arrays = list(inputs[0]) if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)) else list(inputs)
        if len(arrays) != len(self.input_names):
            names = ', '.join(self.input_names)
            raise ArgumentTypeError(
                f'The model in {self.file.path} has {len(self.input_names)} inputs ({names}), and '
                f'{len(arrays)} arrays were given.'
            )
        return arrays

    @property
    def k_function(self) -> Any:
        """The result of `K.function`: a list of arrays -> a list of arrays. `keras_backend.export` takes it."""
        if self._compiled is None:
            self._compiled = self._composition.function()
        return self._compiled

    def predict(self, inputs: Any, batch_size: Optional[int] = None) -> Any:
        """The predictions of any number of rows, computed in batches.

        inputs: an array, or a list of arrays with the same number of rows. batch_size: rows in a batch, None for the
        number that the model takes, or 32.
        Result: as of a call.
        Error: ArgumentValueError, if the rows make no whole number of batches of a model of a fixed size.
        """
        results = [self(batch) for batch in self.batches(inputs, batch_size)]
        if isinstance(results[0], list):
            return [np.concatenate(some) for some in zip(*results)]
        return np.concatenate(results)

    def batches(self, inputs: Any, batch_size: Optional[int] = None) -> List[List[np.ndarray]]:
        """Rows as the batches that `predict` computes. The arguments and the error: see there."""
        fixed = self._rows_of_a_batch()
        batch_size = (fixed or _ROWS) if batch_size is None else batch_size
        if batch_size < 1:
            raise ArgumentValueError(f'batch_size={batch_size} is no number of rows; give 1 or more.')
        arrays = [np.asarray(array) for array in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
        rows = len(arrays[0])
        if fixed and (batch_size != fixed or rows % fixed):
            raise ArgumentValueError(
                f'The model in {self.file.path} takes {fixed} rows at once. {rows} rows with batch_size={batch_size} '
                f'are no whole number of such batches.'
            )
        starts = range(0, max(rows, 1), batch_size)
        return [[array[start : start + batch_size] for array in arrays] for start in starts]

    def _rows_of_a_batch(self) -> Optional[int]:
        """How many rows the model takes at once, None for any number."""
        model: Any = self.file.model
        shapes = [model.layer(reference.layer).config.get('batch_input_shape') for reference in model.inputs]
        known = [int(shape[0]) for shape in shapes if shape and shape[0] is not None]
        return known[0] if known else None

    def reset_states(self) -> None:
        """Set the states of stateful layers to zero."""
        self._composition.reset_states()


class GraphFunction(ModelFunction):
    """What a graph of TensorFlow computes, as a function of arrays. It is made by `function`.

    file: the graph, which has a `path`. inputs, outputs: tensors of K; none where the graph needs the shapes of arrays
    first. weights: variables of K by the name of a node. input_names, output_names: those of nodes.
    """

    def __init__(self, graph: GraphComposition) -> None:
        """Compile a function at the first call."""
        super().__init__(graph, graph, graph.input_names, graph.output_names)

    def __call__(self, *inputs: Any) -> Any:
        """The outputs for one batch. Arguments, result and errors: as of a model."""
        arrays = self._arrays(inputs)
        arrays = [np.asarray(array, dtype) for array, dtype in zip(arrays, self.file.dtypes())]
        outputs = self.file.run(arrays)
        return outputs[0] if len(outputs) == 1 else outputs

    def _rows_of_a_batch(self) -> Optional[int]:
        shapes = self.file.shapes()
        known = [int(shape[0]) for shape in shapes if shape and shape[0] is not None]
        return known[0] if known else None

    def reset_states(self) -> None:
        """A graph has no states."""


def function(
    path: Union[str, File],
    weights: Optional[str] = None,
    inputs: Union[Sequence[Any], Mapping[str, Any], None] = None,
    lambdas: Optional[Mapping[str, Any]] = None,
    layers: Optional[Mapping[str, Callable[..., Any]]] = None,
    engine: Optional[str] = None,
    K: Any = None,
    outputs: Optional[Sequence[str]] = None,
) -> ModelFunction:
    """The model of a file as a function of K, on the engine that `import keras_backend as K` has.

    path: a file as `read` takes it, or what `read` returned. weights, engine: as of `read`. inputs: tensors of K in the
    place of placeholders. lambdas: functions of yours by the name of a Lambda layer, which take the place of those in
    the file, and values of names that these use. layers: functions by the class of a layer that has no meaning here,
    (K, layer, weights, inputs) -> tensor. K: another module of K functions. outputs: see below.
    A frozen graph of TensorFlow 1 (`.pb`) is read, too. inputs: names of its nodes, None for its placeholders, or
    tensors of K by these names. outputs: names of nodes, None for those whose result nothing takes. So is the folder of
    a SavedModel whose model is a class; names are those of its signature. The other arguments have no meaning there.
    Result: a `ModelFunction`. `function(path)(x)` predicts.
    Errors: UnreadableFileError. UnknownLayerError, WrongWeightsError, UnsupportedMaskError, LayerConfigError, as
    `composition.compose` raises them. UnreadableCodeError, RefusedCodeError, for the function of a Lambda layer.
    """
    module = K or import_module('keras_backend')
    if not isinstance(path, File):
        if is_graph(path):
            return GraphFunction(GraphComposition(frozen(os.fspath(path), inputs, outputs), module, inputs))
        if is_class(path) and weights is None:
            return GraphFunction(GraphComposition(saved(os.fspath(path), inputs, outputs), module, inputs))
    if outputs is not None or isinstance(inputs, Mapping):
        name = path.path if isinstance(path, File) else path
        raise ArgumentTypeError(
            f'outputs= and inputs by their names are for graphs (.pb) and for SavedModels of classes, and {name} is '
            'neither.'
        )
    try:
        return _of_layers(path, module, weights, inputs, lambdas, layers, engine)
    except _OF_LAYERS:  # a folder has what its classes compute, too
        path = path.path if isinstance(path, File) else path
        if not os.path.isdir(path) or inputs is not None or weights is not None:
            raise
        graph = _of_signature(path, module)
        if graph is None:  # the first reason is that of the model
            raise
        return graph


def _of_signature(path: str, module: Any) -> Optional[GraphFunction]:
    """What a SavedModel computes by its graph, None where that is not known either."""
    try:
        return GraphFunction(GraphComposition(saved(path), module))
    except KerasBackendError:  # as where a node has no meaning, too
        return None


def _of_layers(
    path: Union[str, File],
    module: Any,
    weights: Optional[str],
    inputs: Any,
    lambdas: Optional[Mapping[str, Any]],
    layers: Optional[Mapping[str, Callable[..., Any]]],
    engine: Optional[str],
) -> ModelFunction:
    """The model of a file by its layers. Arguments and errors: see `function`."""
    file = with_model(path, weights, engine, 'function')
    model: Any = file.model
    if file.form in ('json', 'yaml') and not file.weights and any(parameters(layer) for layer in model.layers):
        raise UnreadableFileError(
            f'{file.path} has the configuration of a model, and no weights. Give them: function({file.path!r}, '
            "weights='weights.h5')."
        )
    composed = compose(model, module, inputs, Functions(file, module, lambdas), layers, file.library)
    names = [[reference.layer for reference in ends] for ends in (model.inputs, model.outputs)]
    return ModelFunction(file, composed, *names)
