"""`tf.GradientTape`, `tf.function` and `tf.custom_gradient` of functions that compute with tensors of Keras."""

import functools
import inspect
import sys
import threading
from typing import Any, Callable, List, Optional, Tuple

from ...launcher.cures import around, being_true
from .dispatch import any_of_keras, is_no_stand_in, is_on_another

# -- decorators --------------------------------------------------------------------------------------------------------
# `tf.function` and `tf.custom_gradient` of functions that compute with tensors of Keras.
#
# Source: the documentation of TensorFlow 2.


class _Graph(threading.local):
    """Whether a step runs in this thread that TensorFlow would compile."""

    runs = False


GRAPH = _Graph()


@around
def as_graph(original: Any, *args: Any, **kwargs: Any) -> Any:
    """`original`, which TensorFlow would compile."""
    with being_true(GRAPH, 'runs'):
        return original(*args, **kwargs)


def function(func: Any = None, *args: Any, **options: Any) -> Any:
    """`tf.function` without TensorFlow: the function itself, since Keras compiles what it trains."""
    return as_graph if func is None else as_graph(func)


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """`tf.custom_gradient`: `f` returns its result and the function of its gradient."""
    from keras import ops

    def forward(*args: Any) -> Tuple[Any, Callable[..., Any]]:
        result, gradient = f(*args)

        def grad(*given: Any, upstream: Any = None) -> Any:
            return gradient(*(given if upstream is None else (upstream,)))

        return result, grad

    return functools.wraps(f)(ops.custom_gradient(forward))


class _Function:
    """A function that TensorFlow compiles for its graphs alone: a pipeline of `tf.data`."""

    def __init__(self, func: Callable[..., Any], compiled: Any) -> None:
        self._func, self._compiled = as_graph(func), compiled
        functools.update_wrapper(self, func)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        eager = sys.modules['tensorflow'].executing_eagerly()
        return (self._func if eager else self._compiled)(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._compiled, name)


def decorators(tensorflow: Any) -> str:
    """Let functions under `tf.function` and `tf.custom_gradient` compute with tensors of JAX and PyTorch."""
    if not is_no_stand_in(tensorflow) or not is_on_another():
        return ''
    tensorflow.function = _of_python(tensorflow.function)
    tensorflow.custom_gradient = _of_both(tensorflow.custom_gradient)
    return 'tf.function, tf.custom_gradient'


@around
def _of_python(original: Any, func: Any = None, *args: Any, **options: Any) -> Any:
    if func is None:
        return functools.partial(_of_python(original), **options)
    return _Function(func, original(func, *args, **options))


@around
def _of_both(original: Any, f: Callable[..., Any]) -> Callable[..., Any]:
    of_tensorflow, of_keras = original(f), custom_gradient(f)

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        return (of_keras if any_of_keras(args, kwargs) else of_tensorflow)(*args, **kwargs)

    return call


# -- GradientTape ------------------------------------------------------------------------------------------------------
# `tf.GradientTape` of tensors of Keras: PyTorch notes what is computed anyway, and JAX cannot be asked afterwards.
#
# Source: the documentation of tf.GradientTape.


_INSTEAD = (
    'JAX has gradients of functions alone. Write the loss as a function and take K.gradients(loss, weights) where the '
    'model is built, or keras.StatelessScope with jax.grad; or run the program on TensorFlow or PyTorch: set '
    'KERAS_BACKEND=torch.'
)
_active: List['GradientTape'] = []


class GradientTape:
    """Gradients of what is computed in its `with` block, of tensors of TensorFlow by its own tape."""

    # The tape of TensorFlow, None where it is not installed.
    original: Any = None

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self.persistent, self._used, self._watched = persistent, False, []  # type: bool, bool, List[Any]
        self._tape = None if self.original is None else self.original(persistent, watch_accessed_variables)

    def __enter__(self) -> 'GradientTape':
        _active.append(self)
        if self._tape is not None:
            self._tape.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        _active.remove(self)
        if self._tape is not None:
            self._tape.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        if name.startswith('_') or self._tape is None:
            raise AttributeError(f'tf.GradientTape has no {name!r} here; it has watch() and gradient().')
        return getattr(self._tape, name)

    def watch(self, tensor: Any) -> None:
        """Note what is computed from a tensor."""
        if not any_of_keras((tensor,), None):
            if self._tape is not None:
                self._tape.watch(tensor)
            return
        _only_on_torch('watch')
        for leaf in _flat(tensor):
            if _is_leaf(leaf) and not leaf.requires_grad:
                leaf.requires_grad_(True)
                self._watched.append(leaf)

    def gradient(
        self, target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: Any = 'none'
    ) -> Any:
        """The gradients of a target, or of the sum of several, of sources in their structure; None of no connection."""
        if not any_of_keras((target,), None):
            if self._tape is None:
                raise TypeError(f'tf.GradientTape.gradient: the target {target!r} is no tensor.')
            return self._tape.gradient(target, sources, output_gradients, unconnected_gradients)
        _only_on_torch('gradient')
        if self._used and not self.persistent:
            raise RuntimeError('A tape gives gradients once; write tf.GradientTape(persistent=True).')
        self._used = True
        import keras

        gradients = _gradients(
            _flat(target),
            _flat(sources),
            None if output_gradients is None else _flat(output_gradients),
            keep=self.persistent or bool(_active),
            differentiable=bool(_active),
            zeros=str(getattr(unconnected_gradients, 'value', unconnected_gradients)) == 'zero',
        )
        if not self.persistent:
            for tensor in self._watched:
                tensor.requires_grad_(False)
        return keras.tree.pack_sequence_as(sources, gradients)


def _gradients(targets: Any, sources: Any, weights: Any, keep: bool, differentiable: bool, zeros: bool) -> List[Any]:
    import torch

    connected = [i for i, source in enumerate(sources) if source.requires_grad]
    gradients: List[Optional[Any]] = [None] * len(sources)
    kept = [i for i, target in enumerate(targets) if target.requires_grad]
    if connected and kept:
        computed = torch.autograd.grad(
            [targets[i] for i in kept],
            [sources[i] for i in connected],
            [torch.ones_like(targets[i]) if weights is None else weights[i] for i in kept],
            retain_graph=keep,
            create_graph=differentiable,
            allow_unused=True,
        )
        for i, gradient in zip(connected, computed):
            gradients[i] = gradient
    return [torch.zeros_like(source) if zeros and g is None else g for source, g in zip(sources, gradients)]


def _flat(structure: Any) -> List[Any]:
    import keras

    return [leaf.value if isinstance(leaf, keras.Variable) else leaf for leaf in keras.tree.flatten(structure)]


def _is_leaf(tensor: Any) -> bool:
    return bool(tensor.is_leaf and tensor.is_floating_point())


def _only_on_torch(method: str) -> None:
    backend = sys.modules['keras'].backend.backend()
    if backend != 'torch':
        raise NotImplementedError(f'tf.GradientTape.{method} was given a tensor of Keras on {backend}. {_INSTEAD}')


def gradient_tapes(tensorflow: Any) -> str:
    """Let `tf.GradientTape` give gradients of tensors of PyTorch, and say what to write on JAX."""
    if not is_no_stand_in(tensorflow) or not is_on_another():
        return ''
    GradientTape.original = tensorflow.GradientTape
    tensorflow.GradientTape = GradientTape
    return 'tf.GradientTape'


def steps_with_tapes(keras: Any) -> str:
    """Let models train by a `train_step(self, data)` with a tape on PyTorch; on JAX they say what to write."""
    if keras.backend.backend() == 'tensorflow':
        return ''
    for name, changed in (('fit', _checked), ('train_on_batch', _checked), ('_symbolic_build', _if_it_can_be_called)):
        owner = next((base for base in keras.Model.__mro__ if name in vars(base)), None)
        if owner is not None:
            setattr(owner, name, changed(getattr(owner, name)))
    return 'Model.fit, Model.train_on_batch'


@around
def _if_it_can_be_called(original: Any, model: Any, *args: Any, **kwargs: Any) -> Any:
    """`original`, which calls a model to build its metrics. A model that has parts alone cannot be called."""
    import keras

    has_none = type(model).call in (keras.Model.call, keras.Layer.call)
    return None if has_none else original(model, *args, **kwargs)


def _without_call(model: Any) -> None:
    """Keras on PyTorch calls a model to build it, also one that has parts alone, which its `train_step` calls."""
    if type(model).call.__module__.startswith('keras.') and all(layer.built for layer in model.layers):
        model.built = True


@around
def _checked(original: Any, model: Any, *args: Any, **kwargs: Any) -> Any:
    step = type(model).train_step
    if not step.__module__.startswith('keras.') and len(inspect.signature(step).parameters) == 2:
        if sys.modules['keras'].backend.backend() == 'torch':
            _without_call(model)
            return original(model, *args, **kwargs)
        raise NotImplementedError(
            f'{type(model).__name__}.train_step(self, data) trains by tf.GradientTape, and Keras on JAX calls '
            f'train_step(self, state, data). {_INSTEAD}'
        )
    return original(model, *args, **kwargs)
