"""`multi_gpu_model`, which Keras 3 does not have: the model runs on one device and computes the same."""

from types import ModuleType
from typing import Any

from ...errors import ArgumentValueError
from ..launcher.several_gpus import on_one_device, warn_once
from .classes_of_keras import HOMES

PLACES = [f'{home}.utils' for home in HOMES]


def models_of_several_gpus(module: ModuleType) -> str:
    """Let `multi_gpu_model(model, gpus=2)` give a model that computes the same on one device, and say so once."""
    if hasattr(module, 'multi_gpu_model'):
        return ''
    vars(module)['multi_gpu_model'] = multi_gpu_model
    return f'{module.__name__}.multi_gpu_model'


def multi_gpu_model(model: Any, gpus: Any = None, cpu_merge: bool = True, cpu_relocation: bool = False) -> Any:
    """A model with the inputs and outputs of `model`, as the original has it, on one device."""
    wanted = len(gpus) if isinstance(gpus, (list, tuple)) else gpus
    if wanted is not None and wanted < 2:
        raise ArgumentValueError(
            f'multi_gpu_model: gpus is {gpus!r}, and the original needs 2 or more; train the model itself, without '
            'multi_gpu_model.'
        )
    warn_once(
        f'multi_gpu_model asks for {"all" if wanted is None else wanted} GPUs; the model runs on one device. Keras 3 '
        'shares batches among several by keras.distribution on JAX, and by tf.distribute on TensorFlow.'
    )
    return on_one_device(model)
