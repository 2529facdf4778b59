"""A loss that is a tensor of the graph of a model, as `model.add_loss` of tf.keras took it."""

from typing import Any, Dict

from . import inserted
from .vendor import keras


@keras.saving.register_keras_serializable('keras_backend')
class AddedLoss(inserted.PassThrough):
    """Returns its first argument and adds the second one to the losses of the model that calls it."""

    def call(self, y: Any, loss: Any) -> Any:
        self.add_loss(loss)
        return y

    def get_config(self) -> Dict[str, Any]:
        return {'name': self.name}


def add_loss(model: Any, functional: type, loss: Any) -> None:
    """Give a model of the class `functional` the loss: its first output goes through a layer that adds it."""
    inserted.insert(model, functional, AddedLoss(), loss)
