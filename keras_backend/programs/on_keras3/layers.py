"""Calls of layers of a program: when they are made, and the learning phase."""

import functools
import inspect
import sys
from contextlib import ExitStack, suppress
from typing import Any, Callable, Dict, Iterator, Set

from ..launcher.cures import around, replacing
from .names import is_of_a_program, owner, prepare_classes

# -- the first call ----------------------------------------------------------------------------------------------------
# Layers of a program are called once when a model is built, as tf.keras called them: their weights are made there.
#
# Keras 3 takes the shape from `compute_output_shape` where a layer has it, and leaves `call` for the first run.
# Weights that are made in `call`, and those of layers that are built in it, are then missing in the new model.
# `load_weights` leaves them out without a word, and the first run makes others.


# What stands for sizes that are not known.
_SIZES = 2, 3
# The same where a layer makes weights. The first size is a multiple of 37, which sizes of layers are not. So a weight
# whose shape has such a multiple depends on the size that is not known.
_OF_SIZE = 37
_MADE_SIZES = 12 * _OF_SIZE, 12 * 41


def calls_while_building(keras: Any) -> str:
    """Let the `call` of a layer run when a model is built, also where the layer has `compute_output_shape`."""
    changed = []
    for layer_class in (keras.layers.Layer, *_below(keras.layers.Layer)):
        if 'compute_output_spec' in vars(layer_class) and _root(layer_class) == 'keras':
            layer_class.compute_output_spec = _calling(layer_class.compute_output_spec, keras)
            changed.append(layer_class.__name__)
    return ', '.join(changed)


def _below(made: Any) -> Iterator[Any]:
    for subclass in made.__subclasses__():
        yield subclass
        yield from _below(subclass)


def _root(made: type) -> str:
    return made.__module__.partition('.')[0]


@around
def _calling(original: Any, keras: Any, layer: Any, *args: Any, **kwargs: Any) -> Any:
    # A class of Keras may ask the one that it is derived from.
    if id(layer) in _BUSY or not _is_called(layer, keras):
        return original(layer, *args, **kwargs)
    _BUSY.add(id(layer))
    try:
        return _found(original, keras, layer, args, kwargs)
    finally:
        _BUSY.discard(id(layer))


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
    return not isinstance(layer, keras.Model) and any(_of_a_program(type(inner)) for inner in layer._flatten_layers())


def _found(original: Callable[..., Any], keras: Any, layer: Any, args: Any, kwargs: Any) -> Any:
    """The results of `call`, with the sizes that only `compute_output_shape` knows."""
    from ...engines.keras3_backend.vendor import layers_below, takes_training, unlocked

    weights = len(layer.weights)
    try:
        with ExitStack() as stack:
            for inner in layers_below(layer):
                # tf.keras let a layer that was built take new weights and layers.
                if inner.built and _of_a_program(type(inner)):
                    stack.enter_context(unlocked(inner))
            if takes_training(layer) and _adds_metrics(type(layer)):
                # A metric that is added in training alone has to be there before Keras compiles a step.
                keras.Operation.compute_output_spec(layer, *args, **dict(kwargs, training=True))
            called = _called(keras, layer, args, kwargs)
    except Exception:
        # Where nothing is left to be made, the shape is all that is needed.
        if len(layer.weights) != weights or not all(inner.built for inner in layers_below(layer)):
            raise
        return original(layer, *args, **kwargs)
    try:
        declared = original(layer, *args, **kwargs)
    except Exception:  # noqa: BLE001 - of any layer: the call itself has shown the shapes
        return called
    return _filled(keras, called, declared)


def _adds_metrics(kind: Any) -> bool:
    code = getattr(inspect.unwrap(kind.call), '__code__', None)
    return 'add_metric' in getattr(code, 'co_names', ())


def _called(keras: Any, layer: Any, args: Any, kwargs: Any) -> Any:
    """What `call` returns of tensors without values.

    For sizes that are not known Keras takes names on JAX, and large numbers on PyTorch. `table[:, :length]` of a table
    of 9 rows has min(9, length) rows then, which do not fit where `length` are wanted. A name of JAX that is cast to
    another dtype is no size any more. Two calls with numbers tell which sizes of the results are not known.
    """
    try:
        return keras.Operation.compute_output_spec(layer, *args, **kwargs)
    except Exception:  # of any layer: it is raised again unless numbers tell the sizes
        tensors = [tensor for tensor in keras.tree.flatten((args, kwargs)) if isinstance(tensor, keras.KerasTensor)]
        if keras.backend.backend() == 'tensorflow' or not any(None in tensor.shape for tensor in tensors):
            raise
        before = {id(weight) for weight in layer.weights}
        for sizes in (_MADE_SIZES, _SIZES) if keras.backend.backend() == 'jax' else (_SIZES,):
            results = []
            with suppress(Exception):  # of any layer: the first error is raised again
                results = [_with_size(keras, layer, args, kwargs, size) for size in sizes]
            if not results:
                continue
            made = [weight for weight in layer.weights if id(weight) not in before]
            if made and (sizes is _SIZES or any(size % _OF_SIZE == 0 for weight in made for size in weight.shape)):
                break
            return keras.tree.map_structure(lambda *same: _met(keras, same), *results)
        raise


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
    filled = []
    for tensor, other in zip(flat, others):
        there, dims = getattr(tensor, 'shape', ()), getattr(other, 'shape', ())
        if None in there and len(there) == len(dims):
            tensor = keras.KerasTensor(
                tuple(m if n is None else n for n, m in zip(there, dims)),
                tensor.dtype,
                sparse=getattr(tensor, 'sparse', False),
            )
        filled.append(tensor)
    return keras.tree.pack_sequence_as(called, filled)


def models_that_are_built(keras: Any) -> str:
    """Let `model.build((None, 28, 28, 1))` of a model with a `call` of the program make its weights, as in tf.keras."""
    if keras.backend.backend() == 'tensorflow':
        return ''
    # The layers of Keras inherit the same method.
    keras.Model.build = _making(keras.Model.build, keras)
    return 'Model.build'


@around
def _making(original: Any, keras: Any, model: Any, input_shape: Any = None, *args: Any, **kwargs: Any) -> Any:
    if input_shape is not None and _of_a_program(type(model)) and not _is_of_keras(sys._getframe(1)):
        known = inspect.signature(model.call).parameters.get('training')
        phase = {'training': False} if known is not None and known.default is known.empty else {}
        with suppress(Exception):  # of any model: the first call makes the weights then, as in Keras 3
            _called(keras, model, (_tensors_of(keras, input_shape),), phase)
    return original(model, input_shape, *args, **kwargs)


def _is_of_keras(frame: Any) -> bool:
    """Whether Keras builds a model, which it does where the model is called."""
    while frame is not None:
        root = str(frame.f_globals.get('__name__', '')).partition('.')[0]
        if root == 'keras' and frame.f_code.co_name != 'build_wrapper':
            return True
        if root not in ('keras', 'keras_backend', 'functools', 'contextlib'):
            return False
        frame = frame.f_back
    return False


def _tensors_of(keras: Any, shape: Any) -> Any:
    """Tensors without values for a shape, or for a list or dict of them."""
    if isinstance(shape, dict):
        return {key: _tensors_of(keras, inner) for key, inner in shape.items()}
    if all(size is None or isinstance(size, int) for size in shape):
        return keras.KerasTensor(tuple(shape), keras.config.floatx())
    return [_tensors_of(keras, inner) for inner in shape]


# -- the learning phase ------------------------------------------------------------------------------------------------
# The learning phase in the calls of layers, as tf.keras hands it on.
#
# A layer that is called without `training` has the phase of the call around it, whatever arguments that call has.
# Keras 3 differs, and no error says so:
#
# * `fit` tells the phase only to a model whose `call` has the argument `training`.
# * On JAX, `fit` runs the `call` of a model outside of any call. Layers that are called in it learn no phase.
# * `call(self, x, training)` without a default gets no phase between layers of the functional API, which is an error.
# * `self.base(x, training=False)` says the phase for all layers that are called after it. So does `training=None`.
# * `Dropout(0.5)(x, training=True)` between layers of the functional API says nothing: `fit`, `predict` and the call of
#   the model give the layer their own phase. The example of books is a base model that is called with `training=False`,
#   and trained: the averages of its batch normalization are to stay.


# On the `call` of a program that has no argument `training` of its own.
_NAMES_NO_PHASE = '_keras_backend_names_no_phase'
# And on one that would not take it as `**kwargs` either. tf.keras lets it go there.
_TAKES_NO_PHASE = '_keras_backend_takes_no_phase'
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def phases_of_calls(keras: Any) -> str:
    """Let `call` of the layers and models of a program take `training`, so that Keras says the phase to it."""
    prepare_classes(keras.layers.Layer, functools.partial(_prepare, keras.layers.Layer))
    return 'Layer.call'


def _prepare(base: Any, made: Any) -> None:
    definer = owner(made, 'call')
    # A class that is no layer was not prepared when it was made.
    if is_of_a_program(definer) and (definer is made or not issubclass(definer, base)):
        original = inspect.getattr_static(definer, 'call')
        # `call = keras.Model.call` is no call of a program, and a static method has no layer.
        if is_of_a_program(original) and not isinstance(original, (staticmethod, classmethod)):
            made.call = _with_phase(original)


def _with_phase(original: Callable[..., Any]) -> Callable[..., Any]:
    from ...engines.keras3_backend.vendor import call_context, calling, in_stateless_scope

    try:
        signature = inspect.signature(original)
    except (TypeError, ValueError):  # a function of C may have no signature
        return original
    parameters = list(signature.parameters.values())
    is_named = 'training' in signature.parameters
    takes_any = bool(parameters) and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD
    hands_on = is_named or takes_any

    is_wanted = is_named and signature.parameters['training'].default is inspect.Parameter.empty
    place = [parameter.name for parameter in parameters].index('training') if is_wanted else 0

    @functools.wraps(original)
    def call(layer: Any, *args: Any, **kwargs: Any) -> Any:
        phase = kwargs.get('training')
        if not hands_on:
            kwargs.pop('training', None)
        if is_wanted and len(args) < place:
            kwargs.setdefault('training', None)
        # What a step on JAX runs.
        if phase is not None and in_stateless_scope() and call_context() is None:
            with calling(layer, phase):
                return original(layer, *args, **kwargs)
        return original(layer, *args, **kwargs)

    if not is_named:
        vars(call)[_NAMES_NO_PHASE] = True
        vars(call)[_TAKES_NO_PHASE] = not takes_any
        training = inspect.Parameter('training', inspect.Parameter.KEYWORD_ONLY, default=None)
        at = len(parameters) - takes_any
        vars(call)['__signature__'] = signature.replace(parameters=[*parameters[:at], training, *parameters[at:]])
    elif is_wanted and all(
        p.default is not inspect.Parameter.empty or p.kind in _VARIABLE for p in parameters[place + 1 :]
    ):
        parameters[place] = parameters[place].replace(default=None)
        vars(call)['__signature__'] = signature.replace(parameters=parameters)
    return call


def phases_of_inner_layers(keras: Any) -> str:
    """Let a layer that is called without a phase have that of the call around it, whatever was called before."""
    from ...engines.keras3_backend.state.updates import fixed_phase
    from ...engines.keras3_backend.vendor import any_symbolic_tensors, call_context

    layer_class = keras.layers.Layer
    original = layer_class.__call__

    @functools.wraps(original)
    def __call__(layer: Any, *args: Any, **kwargs: Any) -> Any:
        context, said = call_context(), kwargs.get('training')
        if context is None:
            # A graph is made for both phases.
            if said is None and not any_symbolic_tensors(args, kwargs):
                phase = fixed_phase()
                if phase is not None or isinstance(layer, keras.Model) or hasattr(layer.call, _NAMES_NO_PHASE):
                    kwargs['training'] = bool(phase)
            return _written(original, said, layer, args, kwargs)
        phase = context.training
        if phase is not None and kwargs.get('training', phase) is None:
            del kwargs['training']
        try:
            return _written(original, said, layer, args, kwargs)
        finally:
            context.training = phase

    layer_class.__call__ = __call__
    return 'Layer.__call__'


def _written(original: Callable[..., Any], said: Any, layer: Any, args: Any, kwargs: Any) -> Any:
    """The result of a call. Where a graph writes the call down, it has the phase that the program said."""
    from ...engines.keras3_backend.vendor import calls_in_graphs, keep_phase

    before = len(calls_in_graphs(layer))
    result = original(layer, *args, **kwargs)
    is_known = said is None or isinstance(said, (bool, int))
    # A phase that is a tensor is an input of the graph.
    if is_known and len(calls_in_graphs(layer)) > before:
        is_lost = said is None or getattr(layer.call, _TAKES_NO_PHASE, False)
        keep_phase(calls_in_graphs(layer)[-1], None if is_lost else bool(said))
    return result


def phases_in_graphs(keras: Any) -> str:
    """Let `Dropout(0.5)(x, training=True)` of the functional API be in training in `predict`, too."""
    from ...engines.keras3_backend.vendor import graphs_of_layers

    @replacing(graphs_of_layers, 'operation_fn')
    def operation_fn(original: Any, operation: Any, **context: Any) -> Any:
        in_run = original(operation, **context)

        def call(*args: Any, **kwargs: Any) -> Any:
            own = kwargs.get('training')
            if not isinstance(own, (bool, int)):
                return in_run(*args, **kwargs)
            return original(operation, **dict(context, training=bool(own)))(*args, **kwargs)

        return call

    return 'Functional.call'
