"""Phases, loops, maps and scopes, said in other K functions."""

from typing import Any, Callable, ContextManager, List, Optional, Tuple

import numpy as np

from ...errors import UnsupportedByEngine
from ...library import Tensor
from ...nested import leaves
from ...shapes import check_states, rnn_length
from ..api import Api
from .sizes import Scope, at


class ComposedControl(Api):
    needs = {
        'stop_gradient': '',
        'in_train_phase': 'learning_phase switch',
        'in_test_phase': 'learning_phase switch',
        'rnn': 'dtype int_shape ndim not_equal squeeze stack switch zeros_like',
        'map_fn': 'cast dtype int_shape stack',
        'foldl': 'int_shape',
        'foldr': 'int_shape',
        'symbolic': '',
        'eager': '',
        'name_scope': '',
        'control_dependencies': '',
    }

    def stop_gradient(self, variables: Any) -> Tensor:
        # Where there are no gradients, nothing has to be done to stop them.
        if self.supports('gradients'):
            raise UnsupportedByEngine(
                'stop_gradient',
                self.backend(),
                'it has gradients and no way to stop them',
                'Define stop_gradient in the engine.',
            )
        return variables

    def in_train_phase(self, x: Any, alt: Any, training: Any = None) -> Tensor:
        return _phase(self, x, alt, training)

    def in_test_phase(self, x: Any, alt: Any, training: Any = None) -> Tensor:
        return _phase(self, alt, x, training)

    def rnn(
        self,
        step_function: Any,
        inputs: Any,
        initial_states: Any,
        go_backwards: bool = False,
        mask: Any = None,
        constants: Any = None,
        unroll: bool = False,
        input_length: Any = None,
        time_major: bool = False,
        zero_output_for_mask: bool = False,
    ) -> Tuple[Tensor, Tensor, List[Tensor]]:
        length = rnn_length(
            self.int_shape(inputs),
            None if mask is None else self.int_shape(mask),
            initial_states,
            unroll,
            input_length,
            time_major,
        )
        if length is None:
            raise UnsupportedByEngine(
                'rnn',
                self.backend(),
                'it has no loops, and the number of time steps is not known before a run',
                'Give the placeholder a fixed length or pass input_length.',
            )
        time = 0 if time_major else 1
        if mask is not None:
            mask = mask if self.dtype(mask) == 'bool' else self.not_equal(mask, 0)
            mask = self.squeeze(mask, -1) if self.ndim(mask) == 3 else mask
        states, constants = list(initial_states or []), list(constants or [])
        outputs: List[Tensor] = []
        phased = False
        for t in reversed(range(length)) if go_backwards else range(length):
            output, new_states = step_function(inputs[at(time, t)], states + constants)
            phased = phased or getattr(output, '_uses_learning_phase', False)
            new_states = list(new_states)
            check_states([self.int_shape(state) for state in states], [self.int_shape(state) for state in new_states])
            if mask is not None:
                taken = mask[at(time, t)]
                idle = outputs[-1] if outputs and not zero_output_for_mask else self.zeros_like(output)
                output = self.switch(taken, output, idle)
                new_states = [self.switch(taken, new, old) for new, old in zip(new_states, states)]
            outputs.append(output)
            states = new_states
        stacked = self.stack(outputs, axis=time)
        if phased:
            outputs[-1]._uses_learning_phase = stacked._uses_learning_phase = True
        return outputs[-1], stacked, states

    def map_fn(self, fn: Any, elems: Any, name: Optional[str] = None, dtype: Any = None) -> Tensor:
        results = [fn(elem) for elem in _elements(self, 'map_fn', elems)]
        if isinstance(results[0], (list, tuple)):
            dtypes = dtype if isinstance(dtype, (list, tuple)) else [dtype] * len(results[0])
            return type(results[0])([_collected(self, parts, each) for parts, each in zip(zip(*results), dtypes)])
        return _collected(self, results, dtype)

    def foldl(self, fn: Any, elems: Any, initializer: Any = None, name: Optional[str] = None) -> Tensor:
        return _fold(fn, _elements(self, 'foldl', elems), initializer)

    def foldr(self, fn: Any, elems: Any, initializer: Any = None, name: Optional[str] = None) -> Tensor:
        return _fold(fn, _elements(self, 'foldr', elems)[::-1], initializer)

    def symbolic(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func

    def eager(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func

    def name_scope(self, name: str) -> ContextManager[Any]:
        return Scope()

    def control_dependencies(self, control_inputs: Any) -> ContextManager[Any]:
        if control_inputs is not None and (not isinstance(control_inputs, (list, tuple)) or len(control_inputs)):
            raise UnsupportedByEngine(
                'control_dependencies',
                self.backend(),
                'it cannot run updates beside the tensors made in a block',
                'Pass them to K.function as updates.',
            )
        return Scope()


def _phase(K: Api, train: Any, test: Any, training: Any) -> Tensor:
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


def _collected(K: Api, parts: Any, dtype: Any) -> Tensor:
    stacked = K.stack(list(parts), axis=0)
    return stacked if dtype is None or K.dtype(stacked) == dtype else K.cast(stacked, dtype)


def _fold(fn: Any, elements: Any, initializer: Any) -> Tensor:
    if initializer is None:
        initializer, elements = elements[0], elements[1:]
    for element in elements:
        initializer = fn(initializer, element)
    return initializer


def _elements(K: Api, name: str, elems: Any) -> List[Any]:
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
