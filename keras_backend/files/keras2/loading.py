"""A file of any Keras as a model of Keras 2."""

from typing import Any, Mapping, Optional

from ..reading.read import with_model
from .building import BuilderOfKeras2
from .training import TrainingOfKeras2


def load(
    path: Any, custom_objects: Optional[Mapping[str, Any]] = None, compile: bool = True, engine: Optional[str] = None
) -> Any:
    """The model of a file as a model of Keras 2, on the engine that Keras runs on, with the meaning that it had.

    path: a file of Keras 1, 2 or 3, or of tf.keras, or what `read` returned. custom_objects: layers, activations and
    functions of the program that wrote the file, by their names; and functions by the name of a `Lambda` layer, which
    take the place of those in the file. compile: whether to compile the model as the file says. The state of the
    optimizer begins anew. engine: as of `read`.
    Result: a `Sequential` or a `Model`. Where Keras 2 has a layer of the same meaning, it is that layer; any other is a
    `LayerOfFile`, and so is an operation of TensorFlow.
    Errors: UnreadableFileError. UnreadableCodeError and RefusedCodeError of a function. UnknownLayerError,
    LayerConfigError and WrongWeightsError name the layer.
    """
    file = with_model(path, None, engine, 'load_model')
    read: Any = file.model
    given = custom_objects or {}
    model = BuilderOfKeras2(file, given).model(read, read.name or 'model')
    if compile and file.training:
        # A Sequential of Keras before 2.2 has no names of outputs before it is built.
        in_file = [one.layer for one in read.outputs]
        names = dict(zip(in_file, getattr(model, 'output_names', in_file)))
        TrainingOfKeras2(given).compile(model, file, names)
    return model
