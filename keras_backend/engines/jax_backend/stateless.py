"""A program of any engine on the K graph as a function of JAX without state, as `jax.export` takes it."""

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Sequence

import jax
import numpy as np
from jax import numpy as jnp

from ...errors import ExportError
from ...graph.run.failures import said
from ...graph.run.lowering import lowered
from ...graph.run.sizes import Lookups, Sized
from ...graph.run.statements import Compute
from . import library
from .primitives import ON_HOST
from .primitives.common import Checks, valued
from .trace import DENSE, KEY, Executor

if TYPE_CHECKING:
    from ...graph.run.lowering import Lowering
    from ...graph.run.program import Program

Array = Any


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
