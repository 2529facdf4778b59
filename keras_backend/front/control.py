"""Functions, gradients, phases, and choices, which may be of structures of tensors."""

from copy import copy
from typing import Any, Callable, Iterable, List, Sequence

import numpy as np

from ..basics import dtypes
from ..basics.dtypes import foreign
from ..basics.library import Branch, Tensor, Tensors
from ..contract.kinds import shown
from ..errors import ArgumentTypeError, ArgumentValueError, ShapeError
from .base import Api, Operands


class Control(Operands):
    def function(self, inputs: Any, outputs: Any, updates: Any = None, **kwargs: Any) -> Callable[..., Any]:
        library = self.library
        if not library.is_tensor(outputs):
            outputs = self.listed(outputs, 'outputs')
            _refuse_values(self, 'outputs', outputs)
        updates = () if updates is None else updates.items() if hasattr(updates, 'items') else updates
        updates = self.listed(updates, 'updates')
        for update in updates:
            if isinstance(update, (list, tuple)) and len(update) == 2 and update[1] is None:
                raise ArgumentTypeError(f'updates has to hold new values, got None for {shown(update[0])}.')
        return library.function(inputs, outputs, updates, **kwargs)

    def gradients(self, loss: Any, variables: Any) -> List[Any]:
        library = self.library
        variables = [variables] if library.is_tensor(variables) else self.listed(variables, 'variables')
        if callable(loss) and not library.is_tensor(loss):
            loss = loss(*variables)
        losses = list(loss) if isinstance(loss, (list, tuple)) and loss else [loss]
        for what, tensors in (('loss', losses), ('variables', variables)):
            _refuse_values(self, what, tensors)
        if len(losses) > 1:
            total = self.sum(losses[0])
            for other in losses[1:]:
                total = self.binary('add', total, self.sum(other))
            losses = [total]
        return self.noted(losses[0], variables, library.gradients(losses[0], variables))

    def noted(self, loss: Any, variables: Sequence[Any], gradients: List[Any]) -> List[Any]:
        """`gradients`, after the reason is kept for each that is None."""
        lacking = [v for v, gradient in zip(variables, gradients) if gradient is None]
        if lacking:
            self.slopeless = _why_none(self, loss, lacking)
        return gradients

    def stop_gradient(self, variables: Any) -> Any:
        if isinstance(variables, (list, tuple)):
            return [self.F.stop_gradient(self.operand(v)) for v in variables]
        return self.F.stop_gradient(self.operand(variables))

    def switch(self, condition: Any, then_expression: Any, else_expression: Any) -> Any:
        library = self.library
        if not library.is_tensor(condition):
            if not isinstance(condition, (bool, int, float, np.ndarray, np.generic)):
                raise ArgumentTypeError(f'condition has to be a tensor or a number, got {condition!r}.')
            if not np.ndim(condition):
                chosen = alone(_value(self, then_expression if condition else else_expression))
                return like(chosen, [self.operand(value) for value in leaves(chosen)])
        condition = self.operand(condition)
        if library.rank(condition) == 0:
            return _lazily(self, condition, then_expression, else_expression)
        condition = self.converted(condition, 'bool')
        then, other = self.together(_value(self, then_expression), _value(self, else_expression))
        rank, first, second = [library.rank(x) for x in (condition, then, other)]
        if rank is None or first is None or second is None:
            return self.F.where(condition, then, other)
        full = max(first, second)
        if rank > full:
            raise ShapeError(
                f'condition has more axes than the expressions: {library.describe(condition)}, and expressions of '
                f'rank {full}.'
            )
        for axis in range(rank, full):
            condition = self.F.expand_dims(condition, axis=axis)
        return self.F.where(condition, then, other)


def _refuse_values(K: Operands, what: str, tensors: Iterable[Any]) -> None:
    """Refuse the argument `what` if it holds anything but tensors."""
    for t in tensors:
        if not K.library.is_tensor(t):
            if foreign(t):
                K.operand(t)  # says so
            raise ArgumentTypeError(f'{what} has to hold K tensors, got {shown(t)}.')


def _why_none(K: Operands, loss: Any, variables: Sequence[Any]) -> str:
    """Sentences that say for which variables K.gradients gave None, and why."""
    several = ', '.join([shown(v) for v in variables[:3]]) + (', ...' if len(variables) > 3 else '')
    told = f' K.gradients last gave None for {several}: '
    if not any([dtypes.is_float(K.library.dtype(v)) for v in variables]):
        return f'{told}only floats have gradients.'
    return (
        f'{told}the loss, {shown(loss)}, does not depend on {"it" if len(variables) == 1 else "them"}, or only through '
        'what has no gradient, such as K.stop_gradient, K.argmax, K.round, comparisons and integers.'
    )


def _value(K: Operands, expression: Any) -> Any:
    return expression() if callable(expression) and not K.library.is_tensor(expression) else expression


def _lazily(K: Operands, condition: Tensor, *expressions: Any) -> Any:
    """The value of one of two expressions; the other one is not computed if it is a callable."""
    results: List[Any] = []

    def branch(expression: Any) -> Branch:
        def build() -> Tensors:
            results.append(alone(_value(K, expression)))
            check_branches(results[0], results[-1])
            return leaves(results[-1])

        return build

    values = K.library.choice(condition, [branch(expression) for expression in expressions])
    return like(results[0], values)


# -- said in other K functions -----------------------------------------------------------------------------------------


class ComposedControl(Api):
    def in_train_phase(self, x: Any, alt: Any, training: Any = None) -> Tensor:
        return _phase(self, x, alt, training)

    def in_test_phase(self, x: Any, alt: Any, training: Any = None) -> Tensor:
        return _phase(self, alt, x, training)


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


# -- structures --------------------------------------------------------------------------------------------------------
# Tensors in lists, tuples and dicts: what a branch of `K.switch` may return.


def leaves(structure: Any) -> List[Any]:
    """The leaves of a structure, in order. Anything but a list, tuple or dict is a leaf."""
    if isinstance(structure, dict):
        structure = [structure[key] for key in sorted(structure)]
    elif not isinstance(structure, (list, tuple)):
        return [structure]
    return [leaf for member in structure for leaf in leaves(member)]


def like(structure: Any, values: Any) -> Any:
    """The structure with `values` in place of its leaves."""
    return _filled(structure, iter(values))


def _filled(structure: Any, values: Any) -> Any:
    if isinstance(structure, dict):
        filled = copy(structure)
        filled.update([(key, _filled(structure[key], values)) for key in sorted(structure)])
        return filled
    if not isinstance(structure, (list, tuple)):
        return next(values)
    members = [_filled(member, values) for member in structure]
    return type(structure)(*members) if hasattr(structure, '_fields') else type(structure)(members)


def alone(structure: Any) -> Any:
    """The value of a list or tuple of length one; anything else as it is."""
    return structure[0] if isinstance(structure, (list, tuple)) and len(structure) == 1 else structure


def check_branches(then: Any, other: Any) -> None:
    """Refuse what two branches return if it cannot take each other's place."""
    if not leaves(then):
        raise ArgumentValueError(
            f'A branch of K.switch returns nothing, {then!r}; return a tensor, or a list of tensors.'
        )
    if _outline(then) != _outline(other):
        raise ArgumentValueError(
            f'The branches of K.switch return structures that differ, {_outline(then)} and {_outline(other)}; return '
            'as many tensors from both, in lists or tuples of one kind.'
        )


def _outline(structure: Any) -> str:
    """The structure in words, with a word in place of each leaf."""
    if isinstance(structure, dict):
        return f'{{{", ".join([f"{key!r}: {_outline(structure[key])}" for key in sorted(structure)])}}}'
    if not isinstance(structure, (list, tuple)):
        return 'tensor'
    brackets = '[%s]' if isinstance(structure, list) else '(%s)'
    return brackets % ', '.join([_outline(member) for member in structure])
