"""The operations into which instructions of all Pythons are translated, each with its effect on the stack.

An example: Python 3.13 has the instruction LOAD_FAST_LOAD_FAST, Python 2.7 needs LOAD_FAST twice. Both are the
operations `local x`, `local y`. So the interpreter knows some fifty operations and no version of Python.
"""

from typing import Any, Callable, List, NamedTuple, Optional, Tuple


class Operation(NamedTuple):
    """One step of the interpreter.

    `takes` values have to be on the stack before it. It changes the number of them by `effect`, and by `jump_effect`
    where it jumps to the byte `target`.
    """

    kind: str
    value: Any = None
    takes: int = 0
    effect: int = 0
    target: Optional[int] = None
    jump_effect: int = 0


class Call(NamedTuple):
    """The shape of a call on the stack, from the top downwards.

    `stars`: `**kwargs` is there. `star`: `*args` is there. `names`: a tuple of the names of the last arguments is
    there. `pairs`: so many pairs of a name and a value, as before Python 3.6. `args`: so many arguments. Below them is
    the function, as two values since Python 3.11 (`two`): the function and its first argument, or one of them NULL.
    """

    args: int = 0
    pairs: int = 0
    names: bool = False
    star: bool = False
    stars: bool = False
    two: bool = False
    star_first: bool = False  # `*args` is below the pairs, as in Python 3.5

    @property
    def takes(self) -> int:
        """The number of values that the call takes from the stack."""
        return self.args + 2 * self.pairs + self.names + self.star + self.stars + 1 + self.two

    def taken(
        self, run: Any, is_null: Callable[[Any], bool], star: Any, stars: Any
    ) -> Tuple[Any, List[Any], Any, List[Any], Any, Any]:
        """What the call takes: the function, its arguments, names of the last ones, pairs, `*args`, `**kwargs`.

        run: what has the stack. star, stars: what stands for `*args` and `**kwargs` that are not there.
        """
        stars = run.pop() if self.stars else stars
        star = run.pop() if self.star and not self.star_first else star
        names, run.keywords = (run.pop() if self.names else run.keywords), ()
        pairs = run.take(2 * self.pairs)
        star = run.pop() if self.star_first and self.star else star
        args, function = run.take(self.args), run.pop()
        if self.two:
            first = run.pop()
            if is_null(function):
                function = first
            elif not is_null(first):
                function, args = first, [function, *args]
        return function, args, names, pairs, star, stars


REFUSED = 'refused'


def push(kind: str, value: Any = None) -> Operation:
    """An operation that pushes one value."""
    return Operation(kind, value, 0, 1)


def replace(kind: str, takes: int, value: Any = None, gives: int = 1) -> Operation:
    """An operation that takes values from the top and pushes others."""
    return Operation(kind, value, takes, gives - takes)


def call(shape: Call) -> Operation:
    """A call of this shape."""
    return replace('call', shape.takes, shape)


def jump(kind: str, target: int, takes: int, effect: int, jump_effect: int, value: Any = None) -> Operation:
    """An operation that may go on at another place."""
    return Operation(kind, value, takes, effect, target, jump_effect)
