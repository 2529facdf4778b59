"""The learning phase in the calls of layers, as tf.keras hands it on.

A layer that is called without `training` has the phase of the call around it, whatever arguments that call has.
Keras 3 differs, and no error says so:

* `fit` tells the phase only to a model whose `call` has the argument `training`.
* On JAX, `fit` runs the `call` of a model outside of any call. Layers that are called in it learn no phase.
* `self.base(x, training=False)` says the phase for all layers that are called after it. So does `training=None`.
"""

import functools
import inspect
from typing import Any, Callable

from .classes_of_keras import owner
from .classes_of_programs import is_of_a_program, prepare_classes

# On the `call` of a program that has no argument `training` of its own.
_NAMES_NO_PHASE = '_keras_backend_names_no_phase'


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

    @functools.wraps(original)
    def call(layer: Any, *args: Any, **kwargs: Any) -> Any:
        phase = kwargs.get('training')
        if not hands_on:
            kwargs.pop('training', None)
        # What a step on JAX runs.
        if phase is not None and in_stateless_scope() and call_context() is None:
            with calling(layer, phase):
                return original(layer, *args, **kwargs)
        return original(layer, *args, **kwargs)

    if not is_named:
        vars(call)[_NAMES_NO_PHASE] = True
        training = inspect.Parameter('training', inspect.Parameter.KEYWORD_ONLY, default=None)
        at = len(parameters) - takes_any
        vars(call)['__signature__'] = signature.replace(parameters=[*parameters[:at], training, *parameters[at:]])
    return call


def phases_of_inner_layers(keras: Any) -> str:
    """Let a layer that is called without a phase have that of the call around it, whatever was called before."""
    from ...engines.keras3_backend.state.phase import fixed_phase
    from ...engines.keras3_backend.vendor import any_symbolic_tensors, call_context

    made = keras.layers.Layer
    original = made.__call__

    @functools.wraps(original)
    def __call__(layer: Any, *args: Any, **kwargs: Any) -> Any:
        context = call_context()
        if context is None:
            # A graph is made for both phases.
            if kwargs.get('training') is None and not any_symbolic_tensors(args, kwargs):
                phase = fixed_phase()
                if phase is not None or isinstance(layer, keras.Model) or hasattr(layer.call, _NAMES_NO_PHASE):
                    kwargs['training'] = bool(phase)
            return original(layer, *args, **kwargs)
        phase = context.training
        if phase is not None and kwargs.get('training', phase) is None:
            del kwargs['training']
        try:
            return original(layer, *args, **kwargs)
        finally:
            context.training = phase

    made.__call__ = __call__
    return 'Layer.__call__'
