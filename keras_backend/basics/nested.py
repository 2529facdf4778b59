"""Tensors in lists, tuples and dicts: what a branch of `K.switch` may return."""

from copy import copy
from typing import Any, List

from ..errors import ArgumentValueError


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
