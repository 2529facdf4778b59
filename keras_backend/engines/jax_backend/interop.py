"""Functions of K as functions of JAX."""

from typing import Any, List, Sequence, Tuple

import numpy as np
from jax import numpy as jnp

from ...errors import ArgumentTypeError, FeedError
from ...graph.nodes.dims import known, ranked
from ...graph.nodes.tensor import Variable
from ...graph.run.function import Function
from .compiled_function import CompiledFunction
from .trace import DENSE

Array = Any


class PureFunction:
    """A function of K without state: `f(variables, inputs) -> (outputs, new variables)`, see `as_function`.

    variables: the K variables that it reads or updates, in the order of its first argument
    """

    def __init__(self, function: Function, run: CompiledFunction) -> None:
        self._run, self._inputs, self._name = run, function.inputs, function.name
        self.variables: List[Variable] = [v for _name, v in run.updated + run.kept]
        self._read = len(self.variables)
        for assign in run.assigns:
            if assign.variable not in self.variables:
                self.variables.append(assign.variable)

    def values(self) -> List[Array]:
        """The values of the variables now, as arrays of JAX that nothing else holds."""
        return [jnp.array(variable.data, copy=True) for variable in self.variables]

    def assign(self, values: Sequence[Array]) -> None:
        """Give the variables values, such as a call returned."""
        self._check('variables', values, self.variables)
        engine = self._run.engine
        with engine.lock:
            for variable, value in zip(self.variables, values):
                variable.data = jnp.array(value, variable.dtype, copy=True)

    def __call__(self, variables: Sequence[Array], inputs: Sequence[Array]) -> Tuple[List[Array], List[Array]]:
        self._check('variables', variables, self.variables)
        self._check('inputs', inputs, self._inputs)
        run = self._run
        old = [jnp.asarray(x, v.dtype) for x, v in zip(variables, self.variables)]
        names = run.lowering.inputs
        sizes: Any = {names[i]: np.asarray(inputs[i], self._inputs[i].dtype) for i in run.static}
        sizes[DENSE] = True
        fed = [jnp.asarray(inputs[i], self._inputs[i].dtype) for i in run.dynamic]
        new, results, _check = run.traced(sizes, (*old[: self._read], *fed))
        after = {assign.variable.id: value for assign, value in zip(run.assigns, new)}
        return results, [after.get(v.id, value) for v, value in zip(self.variables, old)]

    def _check(self, what: str, given: Sequence[Any], wanted: Sequence[Any]) -> None:
        if len(given) != len(wanted):
            count, names = len(wanted), ', '.join([t.name for t in wanted])
            raise FeedError(f'{self._name} as a function of JAX takes {count} {what} ({names}), got {len(given)}.')
        for t, shape in zip(wanted, map(np.shape, given)):
            if ranked(t) and (len(shape) != len(t.dims) or any([known(d) and d != n for d, n in zip(t.dims, shape)])):
                raise FeedError(f'{self._name}: {t.name} of shape {t.shape} cannot be an array of shape {shape}.')


def _run_of(what: str, function: Any) -> CompiledFunction:
    run = function._compile() if isinstance(function, Function) else None
    if isinstance(run, CompiledFunction):
        return run
    raise ArgumentTypeError(f'{what}: function has to be a result of K.function of the JAX engine, got {function!r}.')


def as_function(function: Any) -> PureFunction:
    """A function of K as a pure function of JAX, for `jax.grad`, `jax.vmap` and `jax.jit`.

    Parameters
    ----------
    function : result of K.function
        Its learning phase, and inputs that are sizes, have to be numbers in each call, not tracers.

    Returns
    -------
    f : `f(variables, inputs) -> (outputs, new variables)`
        All four are lists of arrays. `f.variables` are the K variables, `f.values()` their values now, and
        `f.assign(values)` gives them others. The variables of K do not change by a call. An index out of range is the
        nearest one in range.

    Raises
    ------
    ArgumentTypeError
        If `function` is something else, or of another engine.
    """
    return PureFunction(function, _run_of('as_function', function))


def explain(function: Any) -> str:
    """How a function of K runs: compiled, or one operation after the other and why.

    Parameters
    ----------
    function : result of K.function

    Raises
    ------
    ArgumentTypeError
        If `function` is something else, or of another engine.
    """
    run = _run_of('explain', function)
    if run.reason is not None:
        return f'not compiled: {run.reason}'
    return f'compiled by jax.jit for {run.traces} combination{"s"[: run.traces != 1]} of shapes'
