"""A layer that is put before the first output of a model: it passes the output on and takes note of another tensor."""

from typing import Any

from .vendor import keras

# The arguments of the last `compile` of a model.
COMPILED = '_keras_backend_compiled'


class PassThrough(keras.layers.Layer):
    """Returns its first argument."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.update(autocast=False, dtype='float32')
        super().__init__(**kwargs)
        self.built = True

    def compute_output_spec(self, y: Any, value: Any) -> Any:
        """The shape and the dtype of the first argument."""
        return keras.KerasTensor(y.shape, y.dtype)


def insert(model: Any, functional: type, layer: PassThrough, value: Any) -> None:
    """Let the first output of a model of the class `functional` go through the layer, which is given `value`, too."""
    names = list(model.output_names)
    outputs = keras.tree.flatten(model._outputs_struct)
    outputs[0] = layer(outputs[0], value)
    outputs = keras.tree.pack_sequence_as(model._outputs_struct, outputs)
    compiled = vars(model).get(COMPILED)
    functional.__init__(model, model._inputs_struct, outputs, name=model.name)  # type: ignore[misc]
    # Losses and metrics are told for the outputs by these names.
    model.output_names = names
    if compiled is not None:
        model.compile(*compiled[0], **compiled[1])
