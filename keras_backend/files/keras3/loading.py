"""A file of Keras as a model of Keras 3."""

import warnings
from typing import Any, Callable, List, Mapping, Optional

from ..reading.read import with_model
from ..structure import File
from .building import BuilderOfKeras3
from .library import check_eager_mode
from .spellings import TrainingOfKeras3


def load(
    path: Any,
    weights: Any = None,
    lambdas: Optional[Mapping[str, Callable[..., Any]]] = None,
    custom_objects: Optional[Mapping[str, Any]] = None,
    compile: bool = True,
    engine: Optional[str] = None,
) -> Any:
    """The model of a file as a model of Keras 3, on the backend that Keras 3 has, with the meaning that it had.

    path: a file of Keras 1, 2 or 3, or of tf.keras, or what `read` returned. weights, engine: as of `read`. lambdas:
    functions of yours by the name of a `Lambda` layer, which take the place of those in the file, and values of names
    that these use.
    custom_objects: layers, activations and functions of the program that wrote the file, by their names; a class of
    layers is used by its `from_config`. compile: whether to compile the model as the file says. The state of the
    optimizer begins anew.
    Result: a functional `keras.Model`, which predicts, trains and saves as any other. Layers have the names of the
    file, in which `/` is `_`, as Keras 3 allows no `/`. Where Keras 3 has a layer of the same meaning, it is that
    layer. A saved model that has a `LayerOfFile`, a `FileLambda` or the activation `hard_sigmoid_of_keras_2` opens in a
    program that says `import keras_backend.files.keras3` first. All others need nothing of this package.
    A configuration alone gives a model with random weights, and a warning; what `read` returned gives no warning.
    Errors: UnreadableFileError, also where a file of a model lacks the weights. UnreadableCodeError and
    RefusedCodeError of a function. UnknownLayerError, LayerConfigError and WrongWeightsError name the layer.
    WrongKeras, if Keras 3 is not installed.
    """
    check_eager_mode()
    file = with_model(path, weights, engine, 'load')
    read: Any = file.model
    builder = BuilderOfKeras3(file, lambdas or {}, custom_objects or {})
    model = builder.model(read, (read.name or 'model').replace('/', '_'))
    if builder.is_configuration and model.weights and not isinstance(path, File):
        warnings.warn(
            f'{file.path} has the configuration of a model, and no weights: those of the model are random. Give them: '
            f"load({file.path!r}, weights='weights.h5').",
            stacklevel=2,
        )
    if compile and file.training:
        names = dict(zip([reference.layer for reference in read.outputs], model.output_names))
        TrainingOfKeras3(custom_objects or {}).compile(model, file, names)
    return model


def needs_import(model: Any) -> List[str]:
    """The classes and functions of this package in a model, without which a saved model does not open."""
    names = set()
    for layer in model._flatten_layers():
        for candidate in [layer, *getattr(layer, 'operations', ()), *_activations(layer)]:
            kind = candidate if hasattr(candidate, '__name__') else type(candidate)
            if str(kind.__module__).partition('.')[0] == 'keras_backend':
                names.add(kind.__name__)
    return sorted(names)


def _activations(layer: Any) -> List[Any]:
    return [getattr(layer, name, None) for name in ('activation', 'recurrent_activation')]
