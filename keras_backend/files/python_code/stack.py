"""How many values are on the stack at each step: a code that fits its Python comes out with what it says itself."""

from typing import Dict, List, Tuple

from ...errors import UnreadableCodeError
from .instructions import Step
from .operations import REFUSED

_State = Tuple[int, Tuple[Tuple[int, int], ...]]  # the depth, and (where it goes on, depth) of each loop
ENDS = ('return', 'return constant', REFUSED)
DEEPEST_LOOP = 20  # as in Python


def deepest(steps: List[Step]) -> int:
    """The largest number of values on the stack.

    Errors: UnreadableCodeError, if a step takes more than there is, if two ways to a step come with different numbers,
    or if a way leads behind the last step.
    """
    seen: Dict[int, _State] = {}
    ways: List[Tuple[int, _State]] = [(0, (0, ()))]
    most = 0
    while ways:
        place, state = ways.pop()
        if place >= len(steps):
            raise UnreadableCodeError('The code has no end.')
        if place in seen:
            if seen[place] != state:
                raise UnreadableCodeError(f'The stack at {steps[place].instruction} has one depth or another.')
            continue
        seen[place] = state
        depth, blocks = state
        operation, target = steps[place].operation, steps[place].target
        if operation.takes > depth:
            raise UnreadableCodeError(f'{steps[place].instruction} takes more than there is on the stack.')
        after = depth + operation.effect
        most = max(most, after)
        kind = operation.kind
        if kind in ENDS:
            continue
        if kind == 'block':
            if len(blocks) >= DEEPEST_LOOP:
                raise UnreadableCodeError(f'More than {DEEPEST_LOOP} loops are in each other.')
            ways.append((place + 1, (after, (*blocks, (target, depth)))))
        elif kind in ('break', 'end block'):
            if not blocks:
                raise UnreadableCodeError(f'{steps[place].instruction} is outside of a loop.')
            *outer, (behind, outside) = blocks
            ways.append((behind, (outside, tuple(outer))) if kind == 'break' else (place + 1, (after, tuple(outer))))
        else:
            if kind != 'jump':
                ways.append((place + 1, (after, blocks)))
            if target >= 0:
                ways.append((target, (depth + operation.jump_effect, blocks)))
                most = max(most, depth + operation.jump_effect)
    return most
