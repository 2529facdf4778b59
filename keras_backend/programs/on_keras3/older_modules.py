"""Modules of Keras under the paths that programs of 2017 to 2023 import, with the names of the modules of today."""

from importlib import import_module
from types import ModuleType
from typing import Any, Dict, Tuple

from ..launcher import imports
from . import experimental_names, older_layers, stand_in

# The path below Keras -> the modules of Keras 3 that have its names, the first before the others.
MODULES: Dict[str, Tuple[str, ...]] = {
    **{
        f'layers.{name}': ('layers',)
        for name in (
            'core convolutional convolutional_recurrent recurrent pooling normalization embeddings merge noise '
            'wrappers advanced_activations local cudnn_recurrent preprocessing experimental experimental.preprocessing '
            'recurrent_v2 normalization_v2 dense_attention rnn_cell_wrapper_v2'
        ).split()
    },
    **{
        f'utils.{name}': ('utils', 'saving')
        for name in 'np_utils generic_utils vis_utils data_utils io_utils layer_utils all_utils'.split()
    },
    'utils.conv_utils': ('utils',),
    'utils.multi_gpu_utils': ('utils',),
    'utils.training_utils': ('utils',),
    'utils.tf_utils': ('utils',),
    'engine': ('layers', 'models'),
    'engine.topology': ('layers', 'models'),
    'engine.base_layer': ('layers',),
    'engine.input_layer': ('layers',),
    'engine.input_spec': ('layers',),
    'engine.network': ('models',),
    'engine.sequential': ('models',),
    'engine.training': ('models',),
    'engine.functional': ('models',),
    'engine.keras_tensor': ('',),
    'saving.save': ('models',),
    'callbacks.callbacks': ('callbacks',),
    'objectives': ('losses',),
    'optimizers.experimental': ('optimizers',),
    'optimizer_v2': ('optimizers',),
    **{
        f'optimizer_v2.{name}': ('optimizers',)
        for name in 'optimizer_v2 adadelta adagrad adam adamax ftrl gradient_descent nadam rmsprop'.split()
    },
    'optimizer_v2.learning_rate_schedule': ('optimizers.schedules',),
    'initializers.initializers_v1': ('initializers',),
    'initializers.initializers_v2': ('initializers',),
    'experimental': ('optimizers.schedules',),
    **{f'mixed_precision.{name}': ('mixed_precision',) for name in ('experimental', 'policy', 'loss_scale_optimizer')},
    'callbacks_v1': ('callbacks',),
    'backend_config': ('config',),
}
# Helpers that Keras 3 does not have: the path -> the module of this package.
_OWN = {'utils.conv_utils': older_layers, 'utils.tf_utils': older_layers}
# Where a name is another one today.
_RENAMED = {
    'Node': 'Operation',
    'Network': 'Model',
    'Functional': 'Model',
    'OptimizerV2': 'Optimizer',
    'BatchNormalizationV2': 'BatchNormalization',
    'set_policy': 'set_global_policy',
    'global_policy': 'dtype_policy',
    'Policy': 'DTypePolicy',
}


def paths_of_modules(keras: Any) -> str:
    """Let the older paths be imported, below `keras` and `tensorflow.keras`, which the stand-in has by a third name."""
    for home in ('keras', 'tensorflow.keras', stand_in.TF_KERAS):
        for path in MODULES:
            imports.instead(f'{home}.{path}', lambda home=home, path=path: _Older(home, path))  # type: ignore[misc]
    return f'{len(MODULES)} paths'


class _Older(ModuleType):
    """A module whose names are those of the modules of today."""

    def __init__(self, home: str, path: str) -> None:
        super().__init__(f'{home}.{path}', f'The names of {", ".join(MODULES[path])}.')
        self._found = MODULES[path]
        if path in _OWN:
            vars(self).update((name, value) for name, value in vars(_OWN[path]).items() if not name.startswith('__'))

    def __getattr__(self, name: str) -> Any:
        if not name.startswith('__'):
            if self.__name__.endswith('keras.experimental'):
                attribute = experimental_names.named(name)
                if attribute is not None:
                    return attribute
            for path in vars(self)['_found']:
                module = import_module(f'keras.{path}'.rstrip('.'))
                for spelled in (name, _RENAMED.get(name, name)):
                    if hasattr(module, spelled):
                        return getattr(module, spelled)
        raise AttributeError(f'{self.__name__} has no {name} in Keras 3.')
