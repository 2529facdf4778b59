"""`load`: a file of any Keras as a model of tf_keras."""

from typing import Any, Callable, Mapping, Optional

from ..reading.read import with_model
from ..reading.saved_model import is_without_configuration
from ..structure import File
from .building import BuilderOfTfKeras
from .graphs import ModelOfGraph
from .own_layers import check_eager_mode
from .training import TrainingOfTfKeras


def load(
    path: Any,
    weights: Any = None,
    lambdas: Optional[Mapping[str, Callable[..., Any]]] = None,
    custom_objects: Optional[Mapping[str, Any]] = None,
    compile: bool = True,
    engine: Optional[str] = None,
) -> Any:
    """The model of a file as a model of tf_keras, with the meaning that it had.

    path, weights, lambdas, custom_objects, compile, engine: as of `keras_backend.files.keras3.load`.
    Result: a functional `tf_keras.Model`, which predicts, trains and saves as any other. Layers have the names of the
    file. Where tf_keras has a layer of the same meaning, it is that layer. A saved model that has a `LayerOfFile` or a
    `LambdaOfFile` opens in a program that says `import keras_backend.files.tf_keras` first.
    The folder of a SavedModel whose model is a class of its own has no configuration. It gives a `ModelOfGraph`, which
    runs the operations of the folder, and no Python of it; `graphs.py` says what is refused.
    Errors: as of `keras_backend.files.keras3.load`. WrongKeras, if tf_keras is not installed.
    """
    check_eager_mode()
    if not isinstance(path, File) and is_without_configuration(path):
        return ModelOfGraph(path)
    file = with_model(path, weights, engine, 'load')
    read: Any = file.model
    builder = BuilderOfTfKeras(file, lambdas or {}, custom_objects or {})
    model = builder.model(read, read.name or 'model')
    if not isinstance(path, File):
        builder.warn_of_random_weights(model)
    if compile and file.training:
        names = dict(zip([reference.layer for reference in read.outputs], model.output_names))
        TrainingOfTfKeras(file, custom_objects or {}).compile(model, file, names)
    return model
