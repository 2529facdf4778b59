"""Phases, loops, maps and scopes, said in other K functions."""

import numpy as np

from ..errors import UnsupportedByEngine
from ..nested import leaves
from ..shapes import check_states, rnn_length
from ._dims import Scope, at

K = None  # the engine's namespace, set by binding.rebind


def stop_gradient(variables):
    # Where there are no gradients, nothing has to be done to stop them.
    if K._engine.supports('gradients'):
        raise UnsupportedByEngine(
            'stop_gradient',
            K.backend(),
            'it has gradients and no way to stop them',
            'Define stop_gradient in the engine.',
        )
    return variables


def in_train_phase(x, alt, training=None):
    return _phase(x, alt, training)


def in_test_phase(x, alt, training=None):
    return _phase(alt, x, training)


def _phase(train, test, training):
    phase = K.learning_phase() if training is None else training
    if isinstance(phase, (bool, int, np.bool_, np.integer)):
        chosen = train if phase else test
        return chosen() if callable(chosen) else chosen
    if callable(train) or callable(test):
        # Lazy if one of them is: a switch between two callables runs only the one that is taken.
        chosen = K.switch(phase, train if callable(train) else lambda: train, test if callable(test) else lambda: test)
    else:
        chosen = K.switch(phase, train, test)
    if training is None or getattr(training, '_uses_learning_phase', False):
        for tensor in leaves(chosen):
            tensor._uses_learning_phase = True
    return chosen


def rnn(
    step_function,
    inputs,
    initial_states,
    go_backwards=False,
    mask=None,
    constants=None,
    unroll=False,
    input_length=None,
    time_major=False,
    zero_output_for_mask=False,
):
    length = rnn_length(
        K.int_shape(inputs),
        None if mask is None else K.int_shape(mask),
        initial_states,
        unroll,
        input_length,
        time_major,
    )
    if length is None:
        raise UnsupportedByEngine(
            'rnn',
            K.backend(),
            'it has no loops, and the number of time steps is not known before a run',
            'Give the placeholder a fixed length or pass input_length.',
        )
    time = 0 if time_major else 1
    if mask is not None:
        mask = mask if K.dtype(mask) == 'bool' else K.not_equal(mask, 0)
        mask = K.squeeze(mask, -1) if K.ndim(mask) == 3 else mask
    states, constants = list(initial_states or []), list(constants or [])
    outputs, phased = [], False
    for t in reversed(range(length)) if go_backwards else range(length):
        output, new_states = step_function(inputs[at(time, t)], states + constants)
        phased = phased or getattr(output, '_uses_learning_phase', False)
        new_states = list(new_states)
        check_states([K.int_shape(state) for state in states], [K.int_shape(state) for state in new_states])
        if mask is not None:
            taken = mask[at(time, t)]
            idle = outputs[-1] if outputs and not zero_output_for_mask else K.zeros_like(output)
            output = K.switch(taken, output, idle)
            new_states = [K.switch(taken, new, old) for new, old in zip(new_states, states)]
        outputs.append(output)
        states = new_states
    stacked = K.stack(outputs, axis=time)
    if phased:
        outputs[-1]._uses_learning_phase = stacked._uses_learning_phase = True
    return outputs[-1], stacked, states


def map_fn(fn, elems, name=None, dtype=None):
    results = [fn(elem) for elem in _elements('map_fn', elems)]
    if isinstance(results[0], (list, tuple)):
        dtypes = dtype if isinstance(dtype, (list, tuple)) else [dtype] * len(results[0])
        return type(results[0])([_collected(parts, each) for parts, each in zip(zip(*results), dtypes)])
    return _collected(results, dtype)


def _collected(parts, dtype):
    stacked = K.stack(list(parts), axis=0)
    return stacked if dtype is None or K.dtype(stacked) == dtype else K.cast(stacked, dtype)


def foldl(fn, elems, initializer=None, name=None):
    return _fold(fn, _elements('foldl', elems), initializer)


def foldr(fn, elems, initializer=None, name=None):
    return _fold(fn, _elements('foldr', elems)[::-1], initializer)


def _fold(fn, elements, initializer):
    if initializer is None:
        initializer, elements = elements[0], elements[1:]
    for element in elements:
        initializer = fn(initializer, element)
    return initializer


def _elements(name, elems):
    first = elems[0] if isinstance(elems, (list, tuple)) else elems
    length = K.int_shape(first)[0]
    if not length:
        raise UnsupportedByEngine(
            name,
            K.backend(),
            'it has no loops, and the length of the first axis is '
            f'{"not known before a run" if length is None else "0"}',
            'Give the placeholder a fixed length there.',
        )
    if first is elems:
        return [elems[i] for i in range(length)]
    return [type(elems)([elem[i] for elem in elems]) for i in range(length)]


def symbolic(func):
    return func


def eager(func):
    return func


def name_scope(name):
    return Scope()


def control_dependencies(control_inputs):
    if control_inputs is not None and (not isinstance(control_inputs, (list, tuple)) or len(control_inputs)):
        raise UnsupportedByEngine(
            'control_dependencies',
            K.backend(),
            'it cannot run updates beside the tensors made in a block',
            'Pass them to K.function as updates.',
        )
    return Scope()
