"""tf_keras itself, and layers that it lacks, or to which it gives another meaning than the file does."""

import functools
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple

import numpy as np

from ...basics import installed
from ...binding import complete
from ...engines.names_of_tf_keras import missing_names
from ...errors import EngineError, WrongKeras
from ..building.layer_of_file import OfFile, as_json
from ..building.spellings import Spellings
from ..lambdas import function as interpreted
from ..layers.core import takes
from ..layers.use import TABLE
from ..structure import Layer

# -- tf_keras ----------------------------------------------------------------------------------------------------------


def _imported() -> Any:
    if installed.spec('tf_keras') is None:
        raise WrongKeras(
            "keras_backend.files.load(path, keras='tf_keras') makes a model of the package tf_keras, which is not "
            'installed. Type: pip install tf_keras. keras_backend.files.function needs no Keras.'
        )
    return import_module('tf_keras')


tf_keras: Any = _imported()
registered: Any = tf_keras.utils.register_keras_serializable('keras_backend')
# AutoGraph would rewrite functions of this package in each model that calls them.
_unconverted: Any = import_module('tensorflow').autograph.experimental.do_not_convert


def check_eager_mode() -> None:
    """A model of a file is made in eager mode. Error: EngineError, where it is off."""
    if not import_module('tensorflow').executing_eagerly():
        raise EngineError(
            'files.load makes a model of tf_keras in eager mode, which is off in this process: K on the TensorFlow '
            'engine and `tf.compat.v1.disable_eager_execution()` turn it off. Type `import keras_backend.files` first, '
            'or use keras_backend.files.function.',
            'tensorflow',
        )


@functools.lru_cache(maxsize=None)
def k_of_tf_keras() -> Any:
    """K over the tensors of tf_keras, with all names, whatever engine `keras_backend` has. tf_keras stays as it is."""
    name = 'K of tf_keras'
    module = ModuleType(name)
    own = vars(module)
    own.update({key: value for key, value in vars(tf_keras.backend).items() if not key.startswith('_')})
    own.update(missing_names(own, vars(import_module('tf_keras.src.backend'))))
    own['resize_images'] = _resize_images
    complete(own, title='tf_keras', name=name, module=module)
    return SimpleNamespace(**own)


def _resize_images(
    x: Any, height_factor: int, width_factor: int, data_format: str, interpolation: str = 'nearest'
) -> Any:
    """Images with the pixels of Keras 2.3.1, which layers of files mean; tf_keras reads from the centres of pixels."""
    if interpolation != 'bilinear':
        return tf_keras.backend.resize_images(x, height_factor, width_factor, data_format, interpolation)
    tf: Any = import_module('tensorflow')
    last = x if data_format == 'channels_last' else tf.transpose(x, (0, 2, 3, 1))
    sizes = tf.shape(last)[1:3] * tf.constant([height_factor, width_factor])
    resized = tf.compat.v1.image.resize_bilinear(last, sizes)
    known = [
        None if size is None else size * factor for size, factor in zip(last.shape[1:3], (height_factor, width_factor))
    ]
    resized = tf.ensure_shape(resized, (last.shape[0], *known, last.shape[3]))
    return resized if data_format == 'channels_last' else tf.transpose(resized, (0, 3, 1, 2))


# -- layers ------------------------------------------------------------------------------------------------------------


def _of_k(name: str) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        return _unconverted(TABLE[name])(k_of_tf_keras(), x)

    function.__name__ = name
    return function


# Activations with the meaning that files have.
ACTIVATIONS: Dict[str, Callable[[Any], Any]] = {name: registered(_of_k(name)) for name in TABLE}


@registered
class LayerOfFile(OfFile, tf_keras.layers.Layer):
    """A layer with the meaning that it had in its file, computed with K.

    layer, library, functions: as of `OfFile.keep`.
    """

    def keep(self, layer: Mapping[str, Any], library: str, functions: Optional[Mapping[str, Any]]) -> None:
        """Keep the layer, and have no states yet."""
        super().keep(layer, library, functions)
        self.stateful = bool(self._of_file.config.get('stateful'))
        self._states: Dict[str, Any] = {}

    # -- for OfFile --------------------------------------------------------------------------------------------------
    def k(self) -> Any:
        """K over tensors of tf_keras."""
        return k_of_tf_keras()

    def parts(self) -> Spellings:
        """What regularizers and constraints of the file are in tf_keras."""
        return Spellings(tf_keras, 'tf_keras', tf_keras.utils.get_custom_objects())

    def value(self, variable: Any) -> Any:
        """The tensor of a variable."""
        return import_module('tensorflow').convert_to_tensor(variable)

    def assign(self, variable: Any, array: Any) -> None:
        """Give a variable a value."""
        variable.assign(array)

    def state(self, layer: Layer, number: int, shape: Sequence[int]) -> Any:
        """The variable of a state, which begins as zeros."""
        key = f'{layer.name}/{number}'
        if key not in self._states:
            self._states[key] = import_module('tensorflow').Variable(np.zeros(shape, 'float32'), trainable=False)
        return self._states[key]

    # -- for tf_keras ------------------------------------------------------------------------------------------------
    @_unconverted
    def call(self, inputs: Any, mask: Any = None, **arguments: Any) -> Any:
        """The outputs of the layer."""
        outputs, _, updates = self.computed(inputs, mask, arguments)
        for variable, value in updates:
            variable.assign(value)
        return outputs[0] if len(outputs) == 1 else outputs

    @_unconverted
    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The masks of the outputs."""
        outputs, masks, _ = self.computed(inputs, mask, {})
        return masks[0] if len(outputs) == 1 else masks

    def reset_states(self) -> None:
        """Set the states to zero."""
        for variable in self._states.values():
            variable.assign(np.zeros(variable.shape, 'float32'))

    def get_config(self) -> Dict[str, Any]:
        """The layer as plain data."""
        return {**super().get_config(), **self.said()}


@registered
class LambdaOfFile(tf_keras.layers.Layer):
    """The function of a `Lambda` layer of a file, interpreted. Its configuration is plain data.

    function, mask: {'code': text, 'defaults': ..., 'closure': ...} as the file has them; mask may be None. arguments:
    those by keyword. names: names of the program that wrote the file. likely: the Pythons of the time of the file.
    tensorflow: 1 or 2, whose meaning `tf.image.resize` has.
    """

    def __init__(
        self,
        function: Dict[str, Any],
        mask: Optional[Dict[str, Any]] = None,
        arguments: Optional[Mapping[str, Any]] = None,
        names: Optional[Mapping[str, Any]] = None,
        likely: Optional[Sequence[Sequence[int]]] = None,
        tensorflow: Optional[int] = None,
        **kwargs: Any,
    ) -> None:
        """Read the code. Errors: UnreadableCodeError, RefusedCodeError."""
        super().__init__(**kwargs)
        self._stored = as_json({
            'function': function, 'mask': mask, 'arguments': dict(arguments or {}), 'likely': likely,
            'tensorflow': tensorflow,
        })  # fmt: skip
        pythons = None if likely is None else [(int(major), int(minor)) for major, minor in likely]
        known = {**tf_keras.utils.get_custom_objects(), **(names or {})}

        def read(stored: Dict[str, Any]) -> Callable[..., Any]:
            parts: Tuple[Any, Any] = (stored.get('defaults'), stored.get('closure'))
            return interpreted(stored['code'], k_of_tf_keras(), *parts, known, pythons, self.name, tensorflow)

        self._arguments = dict(arguments or {})
        self._function, self._mask = read(function), None if mask is None else read(mask)
        self.supports_masking = True

    @_unconverted
    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        """The function of the inputs."""
        more = dict(self._arguments)
        for name, value in (('mask', mask), ('training', training)):
            if name not in more and takes(self._function, name):
                more[name] = value
        return self._function(inputs, **more)

    @_unconverted
    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask that the file says; None where it says none."""
        return None if self._mask is None else self._mask(inputs, mask)

    def get_config(self) -> Dict[str, Any]:
        """The text of the function, and what it is called with."""
        return {**super().get_config(), **self._stored}
