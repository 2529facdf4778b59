"""A program as a function: one `jax.jit`, or its statements one by one where JAX cannot compile it.

The arrays of variables that are updated are donated: XLA writes new values where the old ones are. So nobody else may
hold them. As in `graph.run.row_updates`, the array is taken away from its variable meanwhile, and Python counts who
holds it.

What is compiled holds none of the tensors of its program. So it serves each function of the same structure (see
`structure`). Where JAX traces once more, it traces the statements of the function that is being called.

A donated array is gone, also where the run fails. So the first run of each combination of shapes, which compiles and
may need more memory than there is, leaves variables what they had until it has ended well. So does each run that calls
Python from inside, to draw in a loop or to print: Ctrl-C may arrive there.
"""

import re
import threading
import weakref
from contextlib import nullcontext
from itertools import starmap
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Set, Tuple

import jax
import numpy as np
from jax import numpy as jnp

from ...errors import ScopeError
from ...graph.nodes.base import make_room
from ...graph.run.failures import Place, at_node, interpreted
from ...graph.run.interpreter import fits
from ...graph.run.lowering import lowered
from ...graph.run.row_updates import ALONE, take
from ...graph.run.sizes import Lookups, Sized
from ...graph.run.statements import Compute
from ..process import Runs
from . import mesh
from .primitives import DRAWS, ON_HOST, clean, tracing
from .primitives.common import Checks, check_places, refuse_noted, valued
from .structure import compiled_once, structure
from .trace import PLAN, Draw, Executor, NotTraceable, Write, merged

if TYPE_CHECKING:
    from ...graph.run.kernels import HasKernels
    from ...graph.run.program import Program

Array = Any
Shapes = Tuple[Tuple[int, ...], ...]
# New values of variables, results, and what checks found.
Traced = Tuple[List[Array], List[Array], Any]
# The function that `jax.jit` made, and the shapes of what was fed in runs that ended well.
Jitted = Tuple[Callable[..., Any], Set[Shapes]]
# The same with the draws that it takes.
Variant = Tuple[Callable[..., Any], List[Draw], Set[Shapes]]

# The errors of JAX where Python code asks for the value of a tracer.
_NO_VALUE = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.TracerBoolConversionError,
    jax.errors.NonConcreteBooleanIndexError,
    NotTraceable,
)

_NO_LOCK = nullcontext()


class _Calling(threading.local):
    """Of each thread: the function that was called last, weakly."""

    function: Callable[[], 'Optional[CompiledFunction]'] = staticmethod(lambda: None)


_calling = _Calling()

_runs = Runs('JAX')

# So many values of sizes are compiled for. More are run one by one.
_MOST_VARIANTS = 32


class CompiledFunction:
    """A program as the function `run(*fed arrays) -> list of outputs`.

    reason: why it is not compiled, in words; None where it is
    traces: how often it has been traced, which is once for each combination of shapes
    """

    def __init__(self, program: 'Program', engine: 'HasKernels') -> None:
        _runs.begin()  # constants are computed here
        self.engine = engine
        self.lowering = lowering = lowered(program, engine.kernels)
        sized = Sized(lowering, ON_HOST)
        self.reason, self.traces = sized.reason, 0
        lookups = Lookups(lowering)
        self._lookups = [(i, size, lowering.key(node)) for i, size, node in sorted(lookups.of_inputs)]
        self._executor = Executor(lowering, engine.kernels, sized.nodes, lookups.nodes)
        read = {v.id: (name, v) for name, v in lowering.variables.items()}
        # XLA gives the arrays to new values of the same shape, in order: each variable is to get its own.
        self.assigns = sorted(lowering.assigns, key=lambda assign: assign.variable.id not in read)
        self.updated = [read.pop(a.variable.id) for a in self.assigns if a.variable.id in read]
        self.kept = list(read.values())
        fed = list(zip(lowering.inputs, program.inputs))
        self.static = [i for i, (_name, t) in enumerate(fed) if t.id in sized.static]
        self.dynamic = [i for i, (_n, t) in enumerate(fed) if t.id not in sized.static and t.id in program.used]
        # As arguments: XLA computes with large constants while it compiles, and older versions lose the sign of zeros.
        self._constants = {name: jnp.array(c) for name, c in lowering.constants.items() if _is_large(c)}
        self._marked = sized.nodes | lookups.nodes
        self._weakly = weakref.ref(self)
        self._variants: Dict[Any, Variant] = {}
        self._keys: Set[Any] = set()
        self._structure: Any = None
        computed = [s.node.op.name for b in lowering.blocks() for s in _computed(b)]
        self._draws, self._prints = bool(program.draws), 'print' in computed
        inside = [s.node.op.name for b in lowering.blocks() if b is not lowering.top for s in _computed(b)]
        self._calls_python = self._prints or not DRAWS.isdisjoint(inside)
        self._guarded = bool(lowering.assigns or read)
        self._reads_only = not (lowering.assigns or self._draws or self._calls_python)
        # How deep JAX traces loops and choices in each other: Python has room for a few of them.
        depth = max([region.depth for region in program.blocks if region is not None], default=0)
        self._depth = depth if depth > 10 else 0

    def __call__(self, *fed: Array) -> List[Any]:
        if not clean() and (tracing() or any([isinstance(x, jax.core.Tracer) for x in fed])):
            raise ScopeError(
                'A K function cannot run while JAX traces (in jax.jit, jax.grad, jax.vmap ...): its variables would be '
                'lost; use keras_backend.engines.jax_backend.as_function(function) there.'
            )
        _runs.begin()
        with self.engine.lock if self._guarded else _NO_LOCK:
            if self._depth:
                with make_room(self._depth):
                    results, hand_out = self._run(fed)
            else:
                results, hand_out = self._run(fed)
        return [hand_out(result) for result in results]

    def _run(self, fed: Tuple[Array, ...]) -> Tuple[List[Any], Callable[[Any], Any]]:
        """The results, and what makes of one what the user gets."""
        kernels: Any = self.engine.kernels
        if self.reason is None:
            for i, size, key in self._lookups:
                check_places(mesh.on_host(fed[i]), size, key=key)
            try:
                variant = self._variant(fed)
                if variant is not None:
                    return self._compiled(variant, [fed[i] for i in self.dynamic]), kernels.given_away
            except _NO_VALUE as error:  # the table says for each why
                self.reason = str(error).split('\n')[0]
        return self._one_by_one(fed), kernels.to_numpy

    def located(self, error: BaseException) -> Optional[Place]:
        """See `graph.run.kernels.Run`."""
        key = getattr(error, 'key', None)
        return interpreted(error) if key is None else at_node(key, self.lowering)

    # -- compiled ------------------------------------------------------------------------------------------------
    def _variant(self, fed: Tuple[Array, ...]) -> Optional[Variant]:
        """The compiled function for these values of sizes and conditions; None where there are too many."""
        key: Any = mesh.current()
        if self.static:
            arrays = [np.asarray(fed[i]) for i in self.static]
            key = (key, *[(array.shape, array.tobytes()) for array in arrays])
        if key not in self._keys:
            if len(self._keys) >= _MOST_VARIANTS:
                return None
            self._keys.add(key)
        if self._draws:
            key = (key, *[fed[i].shape for i in self.dynamic])
        variant = self._variants.get(key)
        if variant is None:
            names = self.lowering.inputs
            known = {names[i]: np.asarray(fed[i]) for i in self.static}
            draws = self._planned(known, [fed[i] for i in self.dynamic]) if self._draws else []
            jitted, proven = self._jitted_for(key, known, [name for name, _draw in draws])
            variant = self._variants[key] = jitted, draws, proven
        return variant

    def _planned(self, known: Dict[str, np.ndarray], fed: List[Array]) -> List[Draw]:
        """The draws that run once in each call. They are made before it, and are arguments."""
        plan: List[Draw] = []
        variables = [jax.ShapeDtypeStruct(v.dims, v.dtype) for _name, v in self.updated + self.kept]
        inputs = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in fed]
        jax.eval_shape(lambda *arrays: self.traced({**known, PLAN: plan}, arrays), *variables, *inputs)
        return plan

    def _jitted_for(self, key: Any, known: Dict[str, np.ndarray], drawn: List[str]) -> Jitted:
        """The function of JAX for a variant: that of an older function of the same structure, where there is one."""

        def make() -> Jitted:
            return self._jitted(known, drawn), set()

        if self._calls_python or mesh.current() is not None:
            return make()
        if self._structure is None:
            self._structure = structure(self.lowering, self._constants, self._marked)
        if self._structure is None:
            return make()
        shared: Jitted = compiled_once(self.engine.session, (self._structure, key, tuple(drawn)), make)
        return shared

    def _jitted(self, known: Dict[str, np.ndarray], drawn: List[str]) -> Callable[..., Any]:
        updated = len(self.updated)
        first, names = updated + len(self.kept), [*self._constants, *drawn]
        last = first + len(names)

        def function(*arrays: Array) -> Any:
            called = _calling.function()
            assert called is not None
            called.traces += 1
            return called.traced({**known, **dict(zip(names, arrays[first:last]))}, arrays[:first] + arrays[last:])

        jitted: Callable[..., Any] = jax.jit(function, donate_argnums=tuple(range(updated)))
        return jitted

    def traced(self, known: Dict[str, Array], arrays: Tuple[Array, ...]) -> Traced:
        """New values, results, and what checks found, of the arrays of variables and inputs."""
        lowering = self.lowering
        names = [name for name, _v in self.updated + self.kept] + [lowering.inputs[i] for i in self.dynamic]
        values: Dict[str, Any] = dict(lowering.constants)
        values.update(known)
        values.update(zip(names, arrays))
        old = dict(zip(names, arrays))
        # NumPy computes sizes, and JAX lets it compute what is known. It would warn of divisions by zero.
        with np.errstate(all='ignore'):
            _nothing, checks = Checks.inside(lambda: self._executor.block(lowering.top, values))
        check = merged(checks)
        failed = None if check is None else check[0] != 0
        layout = mesh.current()
        new, results = [], [valued(values[r.name], r.tensor.dtype) for r in lowering.results]
        for assign in self.assigns:
            update, before = values[assign.value], old.get(lowering.name(assign.variable))
            kept = isinstance(update, Write) and update.keeps(before)
            update = update.after(results, failed if kept else None) if isinstance(update, Write) else update
            # A copy for JAX, which XLA makes where two variables, or one and a result, would share an array.
            value = jnp.array(valued(update, assign.variable.dtype), assign.variable.dtype, copy=True)
            if assign.checked:
                value = fits(assign.variable, value)
            if layout is not None:
                value = layout.settled(assign.variable.name, value)
            if failed is not None and before is not None and not kept:
                value = jnp.where(failed, before, value)
            new.append(value)
        return new, [jnp.array(result, copy=True) for result in results], check

    def _compiled(self, variant: Variant, fed: List[Array]) -> List[Any]:
        jitted, draws, proven = variant
        _calling.function = self._weakly
        if self._reads_only and mesh.current() is None:
            # No array is donated, so an error takes nothing away.
            arrays = [_on_device(variable) for _name, variable in self.kept]
            traced: Traced = jitted(*arrays, *self._constants.values(), *fed)
            if traced[2] is not None:
                refuse_noted(np.asarray(traced[2]).tolist())
            return traced[1]
        taken: List[List[Any]] = []
        arrays = []
        outcomes: List[Traced] = []
        drawn = [np.asarray(draw()) for _name, draw in draws]
        shapes = tuple([x.shape for x in fed]) if self.assigns else ()
        first = bool(self.assigns) and (self._calls_python or shapes not in proven)
        try:
            for _name, variable in self.updated:
                arrays.append(self._donated(variable, taken, first))
            layout = mesh.current()
            for _name, variable in self.kept:
                arrays.append(_on_device(variable))
            if layout is not None:
                variables = [variable for _name, variable in self.updated + self.kept]
                arrays = [layout.variable(v.name, array) for v, array in zip(variables, arrays)]
                fed, drawn = [[layout.fed(x) for x in group] for group in (fed, drawn)]
            arguments = (*arrays, *self._constants.values(), *drawn, *fed)
            if first:
                outcomes.append(jax.block_until_ready(jitted(*arguments)))
                proven.add(shapes)
            else:
                # Without a line of Python between the call and the list, where Ctrl-C would lose the only arrays.
                outcomes.extend(starmap(jitted, (arguments,)))
            wrong = self._settle(*outcomes[0])
        except BaseException as error:
            if outcomes:
                self._settle(*outcomes[0])
            else:
                for variable, array in taken:
                    variable.data = array
            # JAX hands on the text of what Python raised.
            if self._calls_python and re.search('^KeyboardInterrupt', str(error), re.MULTILINE):
                raise KeyboardInterrupt from error
            raise
        new, results, _check = outcomes[0]
        if self._prints:
            jax.effects_barrier()
        refuse_noted(wrong)
        if new and not results:
            # what is fed may be changed by the caller as soon as this returns
            new[0].block_until_ready()
        return results

    @staticmethod
    def _donated(variable: Any, taken: List[List[Any]], first: bool) -> Array:
        """The array of a variable for a run that does away with it; `taken` gets what an error leaves."""
        alone = take(variable, taken) == ALONE
        array = taken[-1][1]
        if isinstance(array, np.ndarray) or not alone:
            return jnp.array(array, copy=True)
        if first and array.is_fully_addressable:
            if {device.platform for device in array.devices()} == {'cpu'}:
                return jnp.array(array, copy=True)
            # The memory of a GPU may not hold the array twice.
            taken[-1][1] = mesh.on_host(array)
        return array

    def _settle(self, new: List[Array], _results: List[Array], check: Any) -> List[int]:
        """Give variables their new values; returns what checks found. To do so twice is the same."""
        # Those that were read have their old values in `new` where a check found something.
        count = len(self.updated)
        self._assign(new[:count])
        wrong: List[int] = [0] if check is None else np.asarray(check).tolist()
        if not wrong[0]:
            self._assign(new)
        return wrong

    def _assign(self, new: List[Array]) -> None:
        """All of them, also where Ctrl-C comes meanwhile."""
        try:
            for assign, value in zip(self.assigns, new):
                assign.variable.data = value
        except BaseException:
            for assign, value in zip(self.assigns, new):
                assign.variable.data = value
            raise

    def _one_by_one(self, fed: Tuple[Array, ...]) -> List[Any]:
        variables = tuple([_on_device(variable) for _name, variable in self.updated + self.kept])
        new, results, _check = self.traced(dict(zip(self.lowering.inputs, fed)), variables)
        self._assign(new)
        return results


def _computed(block: Any) -> List[Compute]:
    return [s for s in block.statements if isinstance(s, Compute)]


def _on_device(variable: Any) -> Array:
    """The array of a variable, brought to JAX at the first time."""
    data = variable.data
    if isinstance(data, np.ndarray):
        data = variable.data = jnp.array(data, copy=True)
    return data


def _is_large(constant: Any) -> bool:
    if not isinstance(constant, np.ndarray) or not constant.ndim:
        return False
    large: bool = constant.size > 1 if constant.dtype.kind == 'f' else constant.size > 1024
    return large
