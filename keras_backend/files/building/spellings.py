"""Arguments, initializers, regularizers and constraints of a file, for a Keras that is installed."""

import copy
import inspect
import warnings
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, NamedTuple, Tuple

import numpy as np

from ...basics.terminal import printable
from ...errors import LayerConfigError, UnreadableFileError
from ..layers.parameters import HARMLESS, says_nothing, unfit
from ..objects import classes, objects
from ..objects.of_programs import checked_config
from ..structure import Layer

# -- arguments ---------------------------------------------------------------------------------------------------------
# The arguments of a layer class of a Keras that is installed, for a layer of a file.
#
# Source: the documentation of Keras 2 and 3.


class Native(NamedTuple):
    """A class of layers.

    renamed: names of Keras 2 -> names of its arguments. fixed: arguments that no file says. defaults: those of Keras 2
    that differ from those of the class, for older files, which do not say them.
    """

    kind: str
    renamed: Dict[str, str] = {}
    fixed: Dict[str, Any] = {}
    defaults: Dict[str, Any] = {}


# Entries that a kind inherits and does not use.
UNUSED: Dict[str, FrozenSet[str]] = {
    'DepthwiseConv1D': frozenset('filters kernel_initializer kernel_regularizer kernel_constraint groups'.split()),
    'SeparableConv1D': frozenset('kernel_initializer kernel_regularizer kernel_constraint groups'.split()),
    'BatchNormalization': frozenset(['mode']),
    'Conv1DTranspose': frozenset(['groups', 'output_shape']),
    'Embedding': frozenset(['activity_regularizer', 'dropout']),
    'LayerNormalization': frozenset(['activity_regularizer']),
    'Dot': frozenset(['axis']),
    'Flatten': frozenset(),
}
UNUSED['DepthwiseConv2D'] = UNUSED['DepthwiseConv1D']
UNUSED['SeparableConv2D'] = UNUSED['SeparableConv1D']
UNUSED['Conv2DTranspose'] = UNUSED['Conv3DTranspose'] = UNUSED['Conv1DTranspose']

# (what the file says, the words for its key and its layer) -> the value
Convert = Callable[[Any, str], Any]


def arguments(
    layer: Layer, native: Native, accepted: List[str], spellings: 'Spellings', activation: Convert
) -> Dict[str, Any]:
    """The arguments of a class for a layer of a file.

    accepted: the names of its arguments. spellings, activation: what values of configurations are in this Keras.
    Error: LayerConfigError, if the file says something that the class cannot do.
    """
    keywords: Dict[str, Any] = {}
    unused = UNUSED.get(layer.kind, frozenset())
    for key, value in {**native.defaults, **layer.config}.items():
        name = native.renamed.get(key, key)
        if name in native.fixed or key in unused:
            continue
        if name in accepted and name not in ('name', 'trainable', 'dtype', 'weights'):
            keywords[name] = _converted(layer, key, name, value, spellings, activation)
        elif key not in HARMLESS and not key.endswith('_initializer') and not says_nothing(value):
            raise unfit(
                layer,
                f'has {key}={objects.shown(value)}, which {native.kind} of {spellings.library} does not have. Give a '
                f'class of yours: custom_objects={{{layer.kind!r}: YourLayer}}.',
            )
    keywords.update(native.fixed)
    for key in ('activation', 'recurrent_activation'):
        # None means the activation 'linear', and not the default of the class.
        if key in keywords and keywords[key] is None:
            keywords[key] = 'linear'
    return {key: value for key, value in keywords.items() if not (value is None and _has_default(key))}


def _has_default(key: str) -> bool:
    """Whether None leaves the default of the class: an initializer that the library does not have, a data format."""
    return key.endswith('_initializer') or key == 'data_format'


def _converted(layer: Layer, key: str, name: str, value: Any, spellings: 'Spellings', activation: Convert) -> Any:
    where = f'{key} of the layer {layer.name} ({layer.kind})'
    if name in ('activation', 'recurrent_activation'):
        return activation(value, where)
    kind = name.rpartition('_')[2]
    if '_' in name and kind in ('initializer', 'regularizer', 'constraint'):
        return getattr(spellings, kind)(value, where)
    if not is_plain(value):
        possible = 'A number, a text, True, False, None, or a list of them is possible there.'
        raise unfit(layer, f'has {key}={objects.shown(value)}. {possible}')
    if value == 'bilinear_at_centres':
        return 'bilinear'
    if isinstance(value, list) and name not in ('axes',):
        return tuple([tuple(item) if isinstance(item, list) else item for item in value])
    return value


def is_plain(value: Any) -> bool:
    """Whether a value is a number, a text, a flag, None, an array of numbers, or a list of such values."""
    if isinstance(value, (list, tuple)):
        return all([is_plain(element) for element in value])
    if isinstance(value, np.ndarray):
        return value.dtype.kind in 'biuf'
    return value is None or isinstance(value, (bool, int, float, str, np.generic))


# How a Bidirectional merges its outputs.
MERGE_MODES = ('sum', 'mul', 'concat', 'ave')


class Spellings:
    """What the values of configurations are in a Keras.

    keras: its module. library: its name, for warnings. custom_objects: classes and functions of the user, by name.
    In all methods, said is what the file says, and where are the words for it: its key and its layer.
    """

    def __init__(self, keras: Any, library: str, custom_objects: Mapping[str, Any]) -> None:
        """Keep the parts."""
        self._keras, self.library, self._custom_objects = keras, library, custom_objects

    def initializer(self, said: Any, where: str) -> Any:
        """An initializer. It counts for new weights alone, so one that this Keras does not have becomes None."""
        return self._made(said, where, self._initializer)

    def regularizer(self, said: Any, where: str) -> Any:
        """A regularizer."""
        return self._made(said, where, self._regularizer)

    def constraint(self, said: Any, where: str) -> Any:
        """A constraint."""
        return self._made(said, where, self._constraint)

    def _made(self, said: Any, where: str, make: Any) -> Any:
        try:
            name, config = objects.class_and_config(said)
            if name is None:
                return None
            if name in self._custom_objects:
                return self._of_the_program(name, config, where)
            return make(name, config)
        except objects.WrongValue as error:
            # It counts for further training alone.
            warnings.warn(
                printable(
                    f'The {where} is {error}. {self.library} has no such object, so the new model goes without it.'
                ),
                stacklevel=2,
            )
            return None

    def _of_the_program(self, name: str, config: Dict[str, Any], where: str) -> Any:
        custom = self._custom_objects[name]
        if not hasattr(custom, 'from_config'):
            return custom() if inspect.isclass(custom) else custom
        return custom.from_config(checked_config(config, where, self._custom_objects))

    def _initializer(self, name: str, config: Dict[str, Any]) -> Any:
        config = {key: value for key, value in config.items() if key not in ('dtype', 'partition_info')}
        if isinstance(config.get('distribution'), str):
            config['distribution'] = classes.DISTRIBUTIONS.get(config['distribution'], config['distribution'])
        # TensorFlow has numbered some of them.
        name = name[:-2] if name.endswith(('V1', 'V2')) else name
        space = self._keras.initializers
        try:
            return self._object(space, classes.INITIALIZERS, classes.OTHER_NAMES, name, config)
        except ValueError:
            if config.get('distribution') != 'truncated_normal':
                raise
            # Keras 2 has it under the name 'normal'.
            config['distribution'] = 'normal'
            return self._object(space, classes.INITIALIZERS, classes.OTHER_NAMES, name, config)

    def _regularizer(self, name: str, config: Dict[str, Any]) -> Any:
        known = known_name(name, classes.REGULARIZERS, classes.OTHER_REGULARIZERS)
        if known in ('L1', 'L2', 'L1L2') and config:
            # One class for the three: each Keras has it.
            name, config = 'L1L2', {key: config.get(key) or 0.0 for key in {'l1', 'l2', *config}}
        return self._object(self._keras.regularizers, classes.REGULARIZERS, classes.OTHER_REGULARIZERS, name, config)

    def _constraint(self, name: str, config: Dict[str, Any]) -> Any:
        if 'm' in config:  # Keras 1
            config['max_value'] = config.pop('m')
        return self._object(self._keras.constraints, classes.CONSTRAINTS, classes.OTHER_CONSTRAINTS, name, config)

    @staticmethod
    def _object(
        space: Any, table: objects.Table, others: Mapping[str, str], name: str, config: Mapping[str, Any]
    ) -> Any:
        """An object of a module of this Keras. Error: WrongValue."""
        known = known_name(name, table, others)
        # An older Keras has some of them as functions: glorot_uniform.
        kind = objects.found(space, [known, objects.snake_case(known), known.lower()])
        if kind is None:
            raise objects.WrongValue(objects.shown(name))
        keywords = objects.values(table[known], config, objects.takes(kind), known)
        try:
            return kind(**keywords)
        except (TypeError, ValueError) as error:
            # Each value is of its kind, and this one means nothing: a negative deviation.
            raise objects.WrongValue(f'{known} with {objects.shown(keywords)} ({error})') from error


def known_name(name: str, table: objects.Table, others: Mapping[str, str]) -> str:
    """The name in a table for one of a file: that of the class, or of the function. Error: WrongValue."""
    known = objects.name_in_table(others.get(name, name), table)
    if known is None:
        raise objects.WrongValue(objects.shown(name))
    return known


def shape(said: Any, layer: Layer) -> Tuple[Any, ...]:
    """The shape of an input with its batch axis. Error: UnreadableFileError, if the file does not say it."""
    if not isinstance(said, (list, tuple)) or not said:
        raise UnreadableFileError(
            f'The file does not say the shape of the input {layer.name}: the model was saved before it was built. '
            'Build the model in a program, and load the weights of the file into it.'
        )
    return tuple([None if size is None else int(size) for size in said])


def dtype(said: Any, layer: Layer, default: str) -> str:
    """The dtype of an input. Error: LayerConfigError, if the file says another than there is."""
    if not said:
        return default
    if not isinstance(said, str) or said not in objects.DTYPES:
        raise LayerConfigError(
            f'The input {layer.name} has dtype={objects.shown(said)}. These are known: {", ".join(objects.DTYPES)}.',
            layer.name,
        )
    return said


def cell_of(keras: Any, layer: Layer, make: Callable[[Layer], Any]) -> Dict[str, Any]:
    """The arguments of an RNN of a Keras: its cell, or several as one, and its options. make: makes a cell."""
    cells = [make(cell) for cell in layer.inner]
    cell = keras.layers.StackedRNNCells(cells) if layer.config.get('stacked') or len(cells) > 1 else cells[0]
    names = ('return_sequences', 'return_state', 'go_backwards', 'stateful', 'unroll')
    return {'cell': cell, **{name: bool(layer.config.get(name, False)) for name in names}}


def merge_mode(layer: Layer) -> Any:
    """How a Bidirectional merges its outputs. Error: LayerConfigError, if the file says another way than there is."""
    mode = layer.config.get('merge_mode', 'concat')
    if mode is not None and mode not in MERGE_MODES:
        raise unfit(layer, f'has merge_mode={objects.shown(mode)}. {", ".join(MERGE_MODES)} and None are possible.')
    return mode


def without(layer: Layer, key: str) -> Layer:
    """The layer without an entry of its configuration."""
    copied = copy.copy(layer)
    copied.config = {name: value for name, value in layer.config.items() if name != key}
    return copied
