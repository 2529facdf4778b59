"""A loss that is a tensor of the graph of a model, as `model.add_loss` of tf.keras took it."""

from typing import Any, Dict

from .vendor import keras


@keras.saving.register_keras_serializable('keras_backend')
class AddedLoss(keras.layers.Layer):
    """Returns its first argument and adds the second one to the losses of the model that calls it."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.update(autocast=False, dtype='float32')
        super().__init__(**kwargs)
        self.built = True

    def call(self, y: Any, loss: Any) -> Any:
        self.add_loss(loss)
        return y

    def compute_output_spec(self, y: Any, loss: Any) -> Any:
        return keras.KerasTensor(y.shape, y.dtype)

    def get_config(self) -> Dict[str, Any]:
        return {'name': self.name}


def add_loss(model: Any, functional: type, loss: Any) -> None:
    """Give a model of the class `functional` the loss: its first output goes through a layer that adds it."""
    outputs = keras.tree.flatten(model._outputs_struct)
    outputs[0] = AddedLoss()(outputs[0], loss)
    outputs = keras.tree.pack_sequence_as(model._outputs_struct, outputs)
    functional.__init__(model, model._inputs_struct, outputs, name=model.name)  # type: ignore[misc]
