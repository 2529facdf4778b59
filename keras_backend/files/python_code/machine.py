"""Functions of interpreted code, and one run of them: the variables and the stack. `handlers` does the single steps.

An example: the code of `lambda x: x * 2` is the steps `local x`, `constant 2`, `binary *`, `return`. With a tensor for
x, the third step multiplies it, and the fourth gives the product to the caller.
"""

import inspect
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from ...errors import RefusedCodeError
from .instructions import Step
from .limits import DEEPEST_CALL, STEPS_OF_CALL, Budget, NotAllowed, Running, in_words
from .marshal_data import Code
from .values import NULL, Allowed, Builtin, Iterator, Tensors
from .which_python import Program

COROUTINES = 0x80 | 0x100 | 0x200  # flags of a code


class Cell:
    """The place of a variable that functions share."""

    def __init__(self, value: Any = NULL) -> None:
        self.value = value


class World(NamedTuple):
    """What the functions of a program see: its codes, the global names, modules to import, tensors, and the steps."""

    program: Program
    names: Callable[[Mapping[str, Any], str], Any]
    given: Mapping[str, Any]  # the values of names that the program gives
    module: Callable[[str, Any], Any]
    tensors: Tensors
    handlers: Mapping[str, Callable[['Frame', Step], None]]
    where: str  # for errors: ' of the layer encode'

    def name(self, asked: str) -> Any:
        """The value of a global name. NotAllowed, if it has none."""
        return self.names(self.given, asked)


class Function:
    """A function of interpreted code. It can be called as any other.

    anew: each call from outside begins with the defaults, the closure and the names as they were at first. A file
    keeps nothing from one call to the next, and two threads share nothing.
    """

    def __init__(
        self,
        world: World,
        code: Code,
        defaults: Tuple[Any, ...] = (),
        keywords: Optional[Mapping[str, Any]] = None,
        closure: Tuple[Any, ...] = (),
        anew: bool = False,
    ) -> None:
        self.anew = anew
        self.world, self.code, self.defaults, self.closure = world, code, tuple(defaults), tuple(closure)
        self.keywords: Dict[str, Any] = dict(keywords or {})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with Running(self.world.tensors.shape) as (budget, is_outermost):
            if not is_outermost:
                return self._run(args, kwargs, budget)
            budget.give([*args, *kwargs.values()])
            try:
                result = (self._copy() if self.anew else self)._run(copied(args), copied(kwargs), budget)
                budget.walk(result)
                return result
            except NotAllowed as error:
                raise refused(self, error) from None
            except RecursionError:
                raise refused(self, 'its calls or values are nested deeper than Python allows') from None

    def _copy(self) -> 'Function':
        cells = tuple([Cell(copied(cell.value)) for cell in self.closure])
        world = self.world._replace(given=copied(self.world.given))
        return Function(world, self.code, copied(self.defaults), self.keywords, cells)

    def signature(self) -> inspect.Signature:
        """The arguments of the function."""
        code, kinds = self.code, inspect.Parameter
        defaults = dict(zip(code.varnames[code.argcount - len(self.defaults) : code.argcount], self.defaults))
        defaults.update(self.keywords)
        parameters, rest = [], list(code.varnames[code.argcount + code.kwonlyargcount :])
        for i, name in enumerate(code.varnames[: code.argcount + code.kwonlyargcount]):
            if i == code.argcount and code.flags & 4:
                parameters.append(kinds(rest.pop(0), kinds.VAR_POSITIONAL))
            kind = kinds.POSITIONAL_OR_KEYWORD if i < code.argcount else kinds.KEYWORD_ONLY
            parameters.append(kinds(name, kind, default=defaults.get(name, kinds.empty)))
        if code.flags & 4 and not code.kwonlyargcount:
            parameters.append(kinds(rest.pop(0), kinds.VAR_POSITIONAL))
        if code.flags & 8:
            parameters.append(kinds(rest.pop(0), kinds.VAR_KEYWORD))
        return inspect.Signature(parameters)

    def _run(self, args: Tuple[Any, ...], kwargs: Dict[str, Any], budget: Budget) -> Any:
        code = self.code
        budget.depth += 1
        try:
            if budget.depth > DEEPEST_CALL:
                raise NotAllowed(f'its calls are more than {DEEPEST_CALL} deep in each other')
            if code.flags & COROUTINES:
                raise NotAllowed('it is a coroutine')
            budget.step(STEPS_OF_CALL + len(code.varnames) + len(code.cellvars) + len(code.freevars) + len(kwargs))
            return Frame(self, self._bound(args, kwargs), budget).run()
        except NotAllowed as error:
            raise refused(self, error) from None
        finally:
            budget.depth -= 1

    def _bound(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Dict[str, Any]:
        """The local variables that the arguments are. TypeError, if they do not fit."""
        code = self.code
        names = code.varnames[: code.argcount]
        only = code.varnames[code.argcount : code.argcount + code.kwonlyargcount]
        rest = list(code.varnames[code.argcount + code.kwonlyargcount :])
        variables = dict(zip(names, args))
        if code.flags & 4:
            variables[rest.pop(0)] = tuple(args[len(names) :])
        elif len(args) > len(names):
            raise TypeError(f'{code.name}() takes {len(names)} arguments, got {len(args)}.')
        more: Dict[str, Any] = {}
        by_name = {*names[code.posonlyargcount :], *only}
        for name, value in kwargs.items():
            if name in by_name and name not in variables:
                variables[name] = value
            elif code.flags & 8 and name not in by_name:
                more[name] = value
            else:
                raise TypeError(f'{code.name}() has no use for the argument {name}.')
        if code.flags & 8:
            variables[rest.pop(0)] = more
        for name, value in [*zip(names[len(names) - len(self.defaults) :], self.defaults), *self.keywords.items()]:
            variables.setdefault(name, value)
        missing = [name for name in names + only if name not in variables]
        if missing:
            raise TypeError(f'{code.name}() needs the argument {missing[0]}.')
        return variables


def copied(value: Any) -> Any:
    """A value whose lists, dicts and arrays are others."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) in (list, tuple):
        return type(value)([copied(element) for element in value])
    return {name: copied(element) for name, element in value.items()} if type(value) is dict else value


class Frame:
    """One run of a function."""

    def __init__(self, function: Function, variables: Dict[str, Any], budget: Budget) -> None:
        self.function, self.world, self.code = function, function.world, function.code
        self.locals, self.budget, self.stack = variables, budget, []  # type: Dict[str, Any], Budget, List[Any]
        shared = function.closure
        if len(shared) != len(self.code.freevars) or not all([isinstance(cell, Cell) for cell in shared]):
            raise NotAllowed('its variables do not fit those that the functions around it share with it')
        self.cells: Dict[str, Cell] = dict(zip(self.code.freevars, shared))
        # Since Python 3.11 the operation `make cell` does it, which may come where a cell is made anew.
        self.cells.update({name: Cell(variables.get(name, NULL)) for name in self.code.cellvars})
        self.blocks: List[Tuple[int, int]] = []
        self.keywords: Tuple[str, ...] = ()
        self.yielded: List[Any] = []
        self.place, self.result = 0, NULL  # type: int, Any

    def run(self) -> Any:
        steps, handlers = self.world.program.steps_of(self.code), self.world.handlers
        while self.result is NULL:
            step = steps[self.place]
            self.place += 1
            self.budget.step()
            try:
                handlers[step.operation.kind](self, step)
            except NotAllowed as error:
                where = f'{step.instruction} in line {step.line}'
                raise refused(self.function, f'{error} ({where})') from None
        return Iterator(self.yielded, self.budget) if self.code.is_generator else self.result

    # -- the stack -------------------------------------------------------------------------------------------------
    def push(self, value: Any) -> None:
        self.stack.append(value)

    def pop(self) -> Any:
        return self.stack.pop()

    def take(self, count: int) -> List[Any]:
        """The last values, which leave the stack."""
        start = len(self.stack) - count
        self.budget.step(count // 10)
        taken = self.stack[start:]
        del self.stack[start:]
        return taken

    def below(self, count: int, kind: type) -> Any:
        """The container that is so many values below the top."""
        container = self.stack[-count] if count > 0 else None
        if type(container) is not kind:
            raise NotAllowed(f'it adds to {in_words(container)} in the place of a {kind.__name__}')
        return container

    # -- calls -----------------------------------------------------------------------------------------------------
    def join(self, texts: Tuple[Any, ...]) -> str:
        """The texts, one behind the other."""
        self.budget.text(sum([len(text) for text in texts]))
        return ''.join(texts)

    def call(self, function: Any, args: List[Any], kwargs: Dict[str, Any]) -> Any:
        self.budget.step()
        if isinstance(function, Function):
            return function(*args, **kwargs)
        if not isinstance(function, Allowed):
            raise NotAllowed(f'it calls {in_words(function)}')
        if isinstance(function, Builtin):
            return self._builtin(function, args, kwargs)
        self.budget.step(STEPS_OF_CALL)
        self.budget.walk(*args, *kwargs.values())
        named = {name: self._callable(value) for name, value in kwargs.items()}
        return function.function(*map(self._callable, args), **named)

    def _builtin(self, function: Builtin, args: List[Any], kwargs: Dict[str, Any]) -> Any:
        try:
            return function.function(self, *args, **kwargs)
        except TypeError:
            try:
                inspect.signature(function.function).bind(self, *args, **kwargs)
            except TypeError:  # it names functions of ours
                arguments = ', '.join([*['...'] * len(args), *[f'{name}=...' for name in kwargs]])
                raise TypeError(f'{function.name} cannot be called as {function.name}({arguments[:200]}).') from None
            raise

    def _callable(self, value: Any) -> Any:
        """A value for a function of K, which calls functions that it is given itself."""
        return Callback(self.function, value) if isinstance(value, Allowed) else value


class Callback:
    """A function of a table, for a function of K that calls it. It is called as the code would call it."""

    def __init__(self, caller: Function, function: Allowed) -> None:
        self.caller, self.function = caller, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with Running(self.caller.world.tensors.shape) as (budget, _):
            try:
                return Frame(self.caller, {}, budget).call(self.function, list(args), kwargs)
            except NotAllowed as error:
                raise refused(self.caller, error) from None


def refused(function: Function, reason: Any) -> RefusedCodeError:
    """The error for a function that does something that is not allowed."""
    return RefusedCodeError(f'The function {function.code.name}{function.world.where} is not run, because {reason}.')
