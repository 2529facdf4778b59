"""Functions of K as functions of JAX."""

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Sequence, Tuple

import jax
import numpy as np
from jax import numpy as jnp

from ...errors import ArgumentTypeError, ExportError, FeedError
from ...graph.nodes.base import known, ranked
from ...graph.nodes.tensor import Variable
from ...graph.run.failures import said
from ...graph.run.function import Function
from ...graph.run.lowering import lowered
from ...graph.run.sizes import Lookups, Sized
from ...graph.run.statements import Compute
from . import library
from .compiled_function import CompiledFunction
from .primitives import ON_HOST
from .primitives.common import Checks, valued
from .trace import DENSE, KEY, Executor

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


# -- without state -----------------------------------------------------------------------------------------------------
# A program of any engine on the K graph as a function of JAX without state, as `jax.export` takes it.


if TYPE_CHECKING:
    from ...graph.run.lowering import Lowering
    from ...graph.run.program import Program


class _Executor(Executor):
    """Prints nothing: a file has no callbacks to Python."""

    def compute(self, compute: Compute, arguments: List[Array], values: Dict[str, Any]) -> Any:
        """The result of a primitive."""
        return arguments[0] if compute.node.op.name == 'print' else super().compute(compute, arguments, values)


class Stateless:
    """The program as a function of arrays: of inputs, of variables, and of a number that draws begin with.

    to_numpy: makes an array of NumPy of a constant of the engine that recorded the program
    """

    def __init__(self, program: 'Program', to_numpy: Callable[[Any], np.ndarray]) -> None:
        kernels: Any = library
        drawn = {t.id for t in program.draws.values()}

        def change(lowering: 'Lowering') -> None:
            streams = {lowering.name(t) for t in program.draws.values()}
            for name, constant in lowering.constants.items():
                if name not in streams:
                    lowering.constants[name] = to_numpy(constant)

        self.lowering = lowering = lowered(program, kernels, change)
        _refuse_host(lowering)
        sized = Sized(lowering, ON_HOST)
        self.draws = bool(drawn)
        self._executor = _Executor(lowering, kernels, sized.nodes, Lookups(lowering).nodes)

    def __call__(self, inputs: Sequence[Array], variables: Sequence[Array], seed: Array = 0) -> List[Array]:
        """The outputs. `variables`: values for `lowering.variables`, in that order."""
        lowering = self.lowering
        values: Dict[str, Any] = dict(lowering.constants)
        values[DENSE] = True
        if self.draws:
            values[KEY] = jax.random.PRNGKey(seed)
        values.update(zip(lowering.variables, variables))
        values.update(zip(lowering.inputs, inputs))
        with np.errstate(all='ignore'):
            Checks.inside(lambda: self._executor.block(lowering.top, values))
        return [jnp.asarray(valued(values[r.name], r.tensor.dtype), r.tensor.dtype) for r in lowering.results]


def _refuse_host(lowering: 'Lowering') -> None:
    """Refuse what JAX has no operation for."""
    for block in lowering.blocks():
        for statement in block.statements:
            if isinstance(statement, Compute) and statement.node.op.name in ON_HOST:
                who, name = said(statement.node)
                raise ExportError(
                    f'{who}: StableHLO cannot say {name}: NumPy computes it on the host; export as ONNX, or leave it '
                    'out of the function.',
                    who,
                )
