"""The training configuration of a file in the spelling of tf_keras."""

from typing import Any, Dict, Mapping

from ..building.training import Training
from ..dialects.dialect import numbers
from ..objects.objects import NUMBER, TEXT, checked, class_and_config, takes
from ..structure import File
from .own_layers import tf_keras

# The first tf.keras with the optimizers that tf_keras calls by their plain names.
_NEW_OPTIMIZERS = (2, 11)
# Metrics that stand for a function, which they name.
_WRAPPERS = ('MeanMetricWrapper', 'SumOverBatchSizeMetricWrapper')
# The older optimizers take them, and have no name for them in their signatures.
_BY_KEYWORD = ['decay', 'clipnorm', 'clipvalue', 'global_clipnorm']


class TrainingOfTfKeras(Training):
    """Compiles a model of tf_keras as its file says: with the optimizers of the time of the file."""

    LOSSES = {'kl_divergence': 'kullback_leibler_divergence'}

    def __init__(self, file: File, custom_objects: Mapping[str, Any]) -> None:
        """Keep the parts."""
        super().__init__(tf_keras, 'tf_keras', custom_objects)
        self._is_of_keras_3 = file.library == 'keras 3'
        self._is_older = not self._is_of_keras_3 and numbers(file.version) < _NEW_OPTIMIZERS

    def _optimizer(self, said: Any) -> Any:
        """An optimizer. Later versions write the older ones, too, and only these have a decay."""
        config = said.get('config') if isinstance(said, dict) else None
        if isinstance(config, dict) and 'decay' in config and 'jit_compile' not in config:
            self._is_older = not self._is_of_keras_3
        return super()._optimizer(said)

    def scope(self) -> Any:
        """A context in which tf_keras knows the names of the user."""
        return tf_keras.utils.custom_object_scope(dict(self._custom_objects))

    def optimizer(self, kind: Any, name: str, config: Dict[str, Any]) -> Any:
        """An optimizer."""
        accepted = takes(kind) if name else []
        if name and self._is_older and hasattr(tf_keras.optimizers.legacy, name):
            kind = getattr(tf_keras.optimizers.legacy, name)
            accepted = [*takes(kind), *_BY_KEYWORD]
        rate: Any = config.pop('learning_rate', None)
        keywords = self.arguments(kind, name, config, accepted)
        if rate is not None:
            keywords['learning_rate'] = (
                self.schedule(rate) if isinstance(rate, dict) else checked(NUMBER, rate, 'learning_rate')
            )
        return kind(**keywords)

    def _metric(self, said: Any) -> Any:
        """A metric. One that stands for a function keeps its name: 'accuracy' of binary_accuracy, 'mse'."""
        kind, config = class_and_config(said)
        metric, name = super()._metric(said), config.get('name')
        if kind not in _WRAPPERS or not isinstance(metric, str) or name in (None, metric):
            return metric
        return tf_keras.metrics.MeanMetricWrapper(tf_keras.metrics.get(metric), name=checked(TEXT, name, 'name'))
