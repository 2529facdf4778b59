"""Values of tensors on JAX and PyTorch: `x.numpy()`, and what to write where a tensor has no value.

JAX compiles the steps of a model, and PyTorch notes what is computed for gradients. So NumPy and TensorFlow cannot
compute with the tensors in a layer or a loss. The errors of JAX and PyTorch say that in their own terms, and Keras
fails to repeat those of JAX.

`changed_classes.json` lists what the launcher changes of classes that are not of Keras, for the whole process: backend,
reason, attributes. The classes of Keras are its own matter. What can be done in the code of the program is done there.
"""

import dis
import functools
import os
import sys
import threading
from types import FrameType, FunctionType
from typing import Any, Dict, List, Optional, Set, Tuple

from ...basics.tables import beside
from ..launcher.cures import around
from .names import put_around
from .tensors import in_a_step

_OF_LIBRARIES = frozenset('jax jaxlib numpy torch keras keras_backend tensorflow functools contextlib inspect'.split())
# Functions with which TensorFlow surrounds its own.
_AROUND = frozenset(['error_handler', 'op_dispatch_handler', 'wrapper', 'new_func'])
_METHODS = 'fit evaluate predict train_on_batch test_on_batch predict_on_batch __call__'.split()
# Of an error of JAX: what asks for a value, and what to write.
_ASKING = beside(__file__, 'values_of_tensors.json')
_OF_NUMPY = ('x.numpy() asks', 'leave it a tensor, and compute by functions of K')
_BY_TENSORFLOW = 'write it by functions of K or keras.ops, or set KERAS_BACKEND=tensorflow'


class _Said(threading.local):
    """The last sentence about a value in this thread."""

    text = ''


_SAID = _Said()


def _caller() -> Tuple[str, str]:
    """The line of the program that runs, such as 'train.py:12', and the function of TensorFlow that it called."""
    frame: Optional[FrameType] = sys._getframe(1)
    called = ''
    while frame is not None:
        root = (frame.f_globals.get('__name__') or '').partition('.')[0]
        if root not in _OF_LIBRARIES:
            return f'{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}', called
        if root == 'tensorflow':
            name = frame.f_code.co_name
            called = called if called and name in _AROUND else name
        frame = frame.f_back
    return 'the program', called


def _sentence(asking: str, advice: str, state: str, instead: str) -> str:
    position, called = _caller()
    if called:
        name = '' if called.startswith('_') or called in _AROUND else f' ({called})'
        asking, advice, instead = f'a function of TensorFlow{name} asks', _BY_TENSORFLOW, ''
    _SAID.text = f'{position}: {asking} for the value of a tensor {state}; {advice}{instead}.'
    return _SAID.text


def _of_jax(asking: str, advice: str) -> str:
    return _sentence(asking, advice, 'that JAX traces, which has none before the model runs', '')


def values_on_jax(keras: Any) -> str:
    """Give tensors of JAX `numpy()`, and say what to write where one without a value is asked for it."""
    if keras.backend.backend() != 'jax':
        return ''
    import jax

    from ...engines.keras3_backend.vendor import COMPUTED

    for name, (asking, advice) in _ASKING.items():
        error = getattr(jax.errors, name)
        error.__init__ = _speaking(error.__init__, asking, advice)
    tracer: Any = jax.core.Tracer
    tracer.__getattr__ = _without_numpy(tracer.__getattr__)
    tracer.__bool__ = _condition(tracer.__bool__)
    for kind in COMPUTED:
        kind.numpy = _numpy
    put_around(keras.Model, _METHODS, _in_front)
    return 'the errors of JAX about values, and numpy() of its tensors'


@around
def _speaking(original: Any, asking: str, advice: str, self: Any, tracer: Any, *args: Any, **kwargs: Any) -> None:
    if isinstance(tracer, str):
        # Keras makes the error again, with the words of the first one in its own.
        TypeError.__init__(self, tracer) if isinstance(self, TypeError) else IndexError.__init__(self, tracer)
        return
    original(self, tracer, *args, **kwargs)
    self.args = (f'{_of_jax(asking, advice)}\n{self.args[0]}', *self.args[1:])


@around
def _without_numpy(original: Any, tensor: Any, name: str) -> Any:
    if name == 'numpy':
        # Programs ask by hasattr(x, 'numpy') whether a tensor has a value.
        raise AttributeError(_of_jax(*_OF_NUMPY))
    return original(tensor, name)


def _numpy(tensor: Any) -> Any:
    """The value of a tensor as an array."""
    import numpy as np

    return np.array(tensor)[()]


@around
def _condition(original: Any, tensor: Any) -> Any:
    try:
        return original(tensor)
    except ValueError as error:  # of several elements
        raise ValueError(f'{_of_jax(*_ASKING["TracerBoolConversionError"])}\n{error}') from error


@around
def _in_front(original: Any, *args: Any, **kwargs: Any) -> Any:
    """A method of models that puts the sentence in front of what Keras says about its own layers."""
    try:
        return original(*args, **kwargs)
    except Exception as error:
        sentence, text = _SAID.text, str(error)
        if sentence and sentence in text and not text.startswith((sentence, 'K.')):
            error.args = (f'{sentence}\n{text}',)
        raise


def values_on_torch(keras: Any) -> str:
    """Give tensors of PyTorch that have a gradient `numpy()`, and say what to write where NumPy is to compute."""
    if keras.backend.backend() != 'torch':
        return ''
    import torch

    of_numpy, as_array = torch.Tensor.numpy, torch.Tensor.__array__

    @functools.wraps(of_numpy)
    def numpy(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        # tf.keras took the value, and left the gradient.
        return of_numpy(tensor.detach() if tensor.requires_grad else tensor, *args, **kwargs)

    @functools.wraps(as_array)
    def __array__(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        if tensor.requires_grad and (_caller()[1] or in_a_step()):
            asking, advice = _ASKING['TracerArrayConversionError']
            state = 'of PyTorch that has a gradient, which would be lost'
            raise TypeError(_sentence(asking, advice, state, ', or np.array(x.numpy()) if none is wanted'))
        return as_array(tensor.detach(), *args, **kwargs)

    torch.Tensor.numpy, torch.Tensor.__array__ = numpy, __array__
    put_around(keras.Model, _METHODS, _in_front)
    return 'torch.Tensor.numpy, torch.Tensor.__array__'


# -- losses over tensors of the model ----------------------------------------------------------------------------------
# A loss or a metric function that closes over tensors between layers, as programs without eager mode did.


_GRAPH = 'of the graph of the model'
# Words of Keras and JAX where they are given a tensor between layers.
_OF_SYMBOLIC = ('KerasTensor', '__jax_array__')
_WITH_LOSSES = 'fit evaluate train_on_batch test_on_batch'.split()


def tensors_in_losses(keras: Any) -> str:
    """Say what to write where a loss or a metric uses tensors between layers, which Keras calls symbolic."""
    # What a model was compiled with is kept by `metrics.metrics_of_layers`.
    return put_around(keras.Model, _WITH_LOSSES, _naming_tensors, keras)


@around
def _naming_tensors(original: Any, keras: Any, model: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return original(model, *args, **kwargs)
    except (TypeError, ValueError) as error:
        from ...engines.keras3_backend.added import COMPILED

        # `fit` calls `evaluate`.
        if any(word in str(error) for word in _OF_SYMBOLIC) and _GRAPH not in str(error):
            for function in keras.tree.flatten(vars(model).get(COMPILED, ())):
                names = _tensors_of(function, keras.KerasTensor, set())
                if names:
                    error.args = (f'{_of_graph(function, names)}\n{error}',)
                    break
        raise


def _tensors_of(function: Any, kind: Any, known: Set[int]) -> List[str]:
    """The names of tensors between layers that a function of a program, or one that it calls, has from outside."""
    root = (getattr(function, '__module__', '') or '').partition('.')[0]
    if not isinstance(function, FunctionType) or root in _OF_LIBRARIES or id(function) in known:
        return []
    known.add(id(function))
    names: Set[str] = set()
    for name, value in _from_outside(function).items():
        names.update([name] if isinstance(value, kind) else _tensors_of(value, kind, known))
    return sorted(names)


def _from_outside(function: FunctionType) -> Dict[str, Any]:
    """What a function reads that is not its own: of its module, and of the functions around it."""
    codes, values = [function.__code__], {}
    for code in codes:
        read = [step.argval for step in dis.get_instructions(code) if step.opname == 'LOAD_GLOBAL']
        values.update({name: function.__globals__.get(name) for name in read})
        codes += [constant for constant in code.co_consts if isinstance(constant, type(code))]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            values[name] = cell.cell_contents
        except ValueError:  # it is not assigned yet
            continue
    return values


def _of_graph(function: FunctionType, names: List[str]) -> str:
    code = function.__code__
    return (
        f'{os.path.basename(code.co_filename)}:{code.co_firstlineno}: {code.co_name} uses {", ".join(names)} {_GRAPH}, '
        'and a loss or a metric is given values of a batch alone; compute this term from the tensors outside of the '
        'function, and write model.add_loss(K.mean(term)), or model.add_metric(term, name=...) for a metric.'
    )
