"""Layers of a program are called once when a model is built, as tf.keras called them: their weights are made there.

Keras 3 takes the shape from `compute_output_shape` where a layer has it, and leaves `call` for the first run. Weights
that are made in `call`, and those of layers that are built in it, are then missing in the new model. `load_weights`
leaves them out without a word, and the first run makes others.
"""

import functools
import inspect
from contextlib import ExitStack
from typing import Any, Callable, Dict, Iterator, Set

from .classes_of_keras import owner

# What stands for sizes that are not known.
_SIZES = 2, 3


def calls_while_building(keras: Any) -> str:
    """Let the `call` of a layer run when a model is built, also where the layer has `compute_output_shape`."""
    changed = []
    for made in (keras.layers.Layer, *_below(keras.layers.Layer)):
        if 'compute_output_spec' in vars(made) and _root(made) == 'keras':
            made.compute_output_spec = _calling(made.compute_output_spec, keras)
            changed.append(made.__name__)
    return ', '.join(changed)


def _below(made: Any) -> Iterator[Any]:
    for each in made.__subclasses__():
        yield each
        yield from _below(each)


def _root(made: type) -> str:
    return made.__module__.partition('.')[0]


def _calling(original: Callable[..., Any], keras: Any) -> Callable[..., Any]:
    @functools.wraps(original)
    def compute_output_spec(layer: Any, *args: Any, **kwargs: Any) -> Any:
        # A class of Keras may ask the one that it is derived from.
        if id(layer) in _BUSY or not _is_called(layer, keras):
            return original(layer, *args, **kwargs)
        _BUSY.add(id(layer))
        try:
            return _found(original, keras, layer, args, kwargs)
        finally:
            _BUSY.discard(id(layer))

    return compute_output_spec


_BUSY: Set[int] = set()
_OF_PROGRAMS: Dict[type, bool] = {}


def _of_a_program(kind: type) -> bool:
    """Whether the `call` of a class of layers is neither of Keras nor of this package."""
    known = _OF_PROGRAMS.get(kind)
    if known is None:
        definer = owner(kind, 'call')
        known = _OF_PROGRAMS[kind] = _root(definer) not in ('keras', 'keras_backend')
    return known


def _is_called(layer: Any, keras: Any) -> bool:
    if _of_a_program(type(layer)):
        return True
    # The layers of a graph were called when it was made. Wrappers and recurrent layers call those that they hold.
    return not isinstance(layer, keras.Model) and any(_of_a_program(type(each)) for each in layer._flatten_layers())


def _found(original: Callable[..., Any], keras: Any, layer: Any, args: Any, kwargs: Any) -> Any:
    """The results of `call`, with the sizes that only `compute_output_shape` knows."""
    from ...engines.keras3_backend.vendor import layers_below, takes_training, unlocked

    weights = len(layer.weights)
    try:
        with ExitStack() as stack:
            for each in layers_below(layer):
                # tf.keras let a layer that was built take new weights and layers.
                if each.built and _of_a_program(type(each)):
                    stack.enter_context(unlocked(each))
            if takes_training(layer) and _adds_metrics(type(layer)):
                # A metric that is added in training alone has to be there before Keras compiles a step.
                keras.Operation.compute_output_spec(layer, *args, **dict(kwargs, training=True))
            called = _called(keras, layer, args, kwargs)
    except Exception:
        # Where nothing is left to be made, the shape is all that is needed.
        if len(layer.weights) != weights or not all(each.built for each in layers_below(layer)):
            raise
        return original(layer, *args, **kwargs)
    try:
        said = original(layer, *args, **kwargs)
    except Exception:  # noqa: BLE001 - of any layer: the call itself has shown the shapes
        return called
    return _filled(keras, called, said)


def _adds_metrics(kind: Any) -> bool:
    code = getattr(inspect.unwrap(kind.call), '__code__', None)
    return 'add_metric' in getattr(code, 'co_names', ())


def _called(keras: Any, layer: Any, args: Any, kwargs: Any) -> Any:
    """What `call` returns of tensors without values.

    For sizes that are not known Keras takes names on JAX, and large numbers on PyTorch. `table[:, :length]` of a table
    of 9 rows has min(9, length) rows then, which do not fit where `length` are wanted. Two calls with small numbers
    tell which sizes of the results are not known.
    """
    try:
        return keras.Operation.compute_output_spec(layer, *args, **kwargs)
    except Exception:  # of any layer: it is raised again unless numbers tell the sizes
        tensors = [each for each in keras.tree.flatten((args, kwargs)) if isinstance(each, keras.KerasTensor)]
        if keras.backend.backend() == 'tensorflow' or not any(None in each.shape for each in tensors):
            raise
        weights = len(layer.weights)
        try:
            found = [_with_size(keras, layer, args, kwargs, size) for size in _SIZES]
        except Exception:  # noqa: BLE001 - of any layer: the first error is raised again
            found = []
        if not found or len(layer.weights) != weights:
            raise
        return keras.tree.map_structure(lambda *same: _met(keras, same), *found)


def _with_size(keras: Any, layer: Any, args: Any, kwargs: Any, size: int) -> Any:
    def known(x: Any) -> Any:
        if not isinstance(x, keras.KerasTensor):
            return x
        return keras.KerasTensor(tuple(size if n is None else n for n in x.shape), x.dtype, sparse=x.sparse)

    args, kwargs = keras.tree.map_structure(known, (args, kwargs))
    return keras.Operation.compute_output_spec(layer, *args, **kwargs)


def _met(keras: Any, found: Any) -> Any:
    """One tensor for those of several calls."""
    if not isinstance(found[0], keras.KerasTensor):
        return found[0]
    shapes = [x.shape for x in found]
    if len({len(shape) for shape in shapes}) != 1:
        raise ValueError(f'The number of axes depends on sizes that are not known: {shapes}.')
    shape = [sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*shapes)]
    return keras.KerasTensor(shape, found[0].dtype, sparse=found[0].sparse)


def _filled(keras: Any, called: Any, said: Any) -> Any:
    flat, others = keras.tree.flatten(called), keras.tree.flatten(said)
    if len(flat) != len(others):
        return called
    made = []
    for each, other in zip(flat, others):
        there, dims = getattr(each, 'shape', ()), getattr(other, 'shape', ())
        if None in there and len(there) == len(dims):
            each = keras.KerasTensor(
                tuple(m if n is None else n for n, m in zip(there, dims)),
                each.dtype,
                sparse=getattr(each, 'sparse', False),
            )
        made.append(each)
    return keras.tree.pack_sequence_as(called, made)
