"""The tracing of a program by JAX: a loop becomes one `lax.scan`, and a choice one `lax.cond`."""

from functools import partial
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence, Set, Tuple

import jax
import numpy as np
from jax import core, lax
from jax import numpy as jnp

from ...graph.run.interpreter import Interpreter, Values, keeps
from ...graph.run.kernels import kernel_for
from ...graph.run.sizes import SymbolicSizes, is_symbolic, size_positions
from ...graph.run.statements import Choice, Compute, Loop
from ..numpy_backend import library as of_numpy
from .primitives import DRAWS, NUMPY, ON_HOST, PRIMITIVES
from .primitives.common import Checks, computed_first, is_host, sizes, spread, valued

if TYPE_CHECKING:
    from ...graph.run.kernels import Kernels
    from ...graph.run.lowering import Lowering

Array = Any
Draw = Tuple[str, Callable[[], np.ndarray]]  # the name of the result, and what draws it

# The name of a list that is to get the draws that run once in each call (see Draw).
PLAN = 'plan'
# The name of the key of draws, where a program has no state to draw from.
KEY = 'key'
# The name of whether gradients of lookups have all rows: JAX cannot differentiate how single rows are written.
DENSE = 'dense'

# Sizes that `jax.export` leaves open.
_OPEN_SIZES = SymbolicSizes(NUMPY, core.max_dim, core.min_dim)

_NEVER_FOLDED = DRAWS | ON_HOST | {'print'}


class NotTraceable(Exception):
    """The error for a program that a compiled function cannot run. Its message is the reason, for people."""


class Write:
    """Rows that are written into the table of a variable after all else: XLA then need not copy the table for a reader.

    XLA sees what comes first where the rows depend on it. So they depend on the results of the function that have one
    element, such as a loss. A zero that XLA cannot work out is computed of them and added to the places: the number of
    leading zero bits, which is at most 64, shifted right by 7 bits.
    """

    def __init__(self, kernel: Callable[..., Array], x: Array, places: Array, sums: Array) -> None:
        self.kernel, self.operands = kernel, (x, places, sums)

    def keeps(self, table: Optional[Array]) -> bool:
        """Whether nothing but rows of `table` changes. Then a check that fails can prevent it without a copy."""
        x, rows, _sums = self.operands
        return x is table and rows is not None

    def after(self, results: Sequence[Array], failed: Optional[Array]) -> Array:
        """The table with the rows; the results have been computed before. Where a check `failed`, no row is written."""
        x, rows, sums = self.operands
        if rows is None:
            return self.kernel(x, rows, sums)
        if failed is not None:
            rows = jnp.where(failed, x.shape[0], rows)
            sums = sums.at[-1].set(jnp.where(failed, jnp.zeros_like(sums[-1]), sums[-1]))
        for result in results:
            if isinstance(result, core.Tracer) and result.size == 1 and result.dtype.kind in 'fiu':
                bits = lax.bitcast_convert_type(result, np.dtype(f'uint{8 * result.dtype.itemsize}'))
                rows = rows + jnp.reshape(lax.clz(bits).astype(rows.dtype) >> 7, ())
        return self.kernel(x, rows, sums)


def _written_last(lowering: 'Lowering') -> Set[str]:
    """The names of updates by rows whose value goes to one variable and nowhere else."""
    computed = [s for s in lowering.top.statements if isinstance(s, Compute)]
    names = {s.makes[0] for s in computed if s.node.op.name in ('add_rows', 'sub_rows')}
    if names:
        names.difference_update([result.name for result in lowering.results])
        for block in lowering.blocks():
            for statement in block.statements:
                names -= statement.reads
    assigned = [assign.value for assign in lowering.assigns]
    return {name for name in names if assigned.count(name) == 1}


class Executor(Interpreter):
    """Runs the blocks of a lowering.

    sized:   ids of the nodes that tell sizes or conditions; NumPy computes them, where it can, whatever their dtype
    checked: ids of the lookups whose places are known to be in range
    last:    names of updates by rows that nothing else reads; their values are of the class `Write`
    """

    def __init__(self, lowering: 'Lowering', kernels: 'Kernels', sized: Set[int], checked: Set[int]) -> None:
        super().__init__(lowering, kernels)
        self.sized, self.checked = sized, checked
        self.last = _written_last(lowering)

    def compute(self, compute: Compute, arguments: List[Array], values: Values) -> Any:
        """The result of a primitive: of NumPy's kernel where it is a size."""
        node, name = compute.node, compute.node.op.name
        if name in DRAWS and values.get(PLAN) is not None:
            return _planned(compute, arguments, values[PLAN])
        if name in DRAWS and KEY in values:
            return _drawn_by_key(compute, arguments, self._key(values, node.id))
        if any([is_symbolic(x) for x in arguments]):
            if all([is_host(x) for x in arguments]):
                size = _OPEN_SIZES.computed(name, arguments, node.attrs, node.dtype)
                if size is not None:
                    return size
            kept = size_positions(node)
            dtypes = [x.dtype for x in node.inputs]
            arguments = [x if i in kept else valued(x, dtypes[i]) for i, x in enumerate(arguments)]
        elif name not in _NEVER_FOLDED and self._on_host(node.id, arguments):
            result = kernel_for(of_numpy, node)(*arguments)
            return result if node.results else np.asarray(result)
        if compute.makes[0] in self.last and DENSE not in values:
            return Write(PRIMITIVES[name], *arguments)
        attrs = dict(node.attrs, dense=True) if name == 'rows' and DENSE in values else node.attrs
        kernel = partial(PRIMITIVES[name], *arguments, **attrs)
        result, checks = Checks.inside(kernel, self.lowering.key(node.id))
        for check in checks if node.id not in self.checked else ():
            Checks.note(check)
        return result

    def _on_host(self, key: int, arguments: Sequence[Array]) -> bool:
        if not all([is_host(x) for x in arguments]):
            return False
        return key in self.sized or all([x.dtype.kind in 'iub' for x in arguments])

    def loop(self, loop: Loop, values: Values, length: Any) -> Tuple[List[Any], List[Array]]:
        """One `lax.scan` where something is traced."""
        traced = KEY in values or any([isinstance(values.get(name), core.Tracer) for name in loop.reads])
        if not length or not traced:
            return super().loop(loop, values, length)
        tensors = [loop.scan.states[i][0] for i in sorted(self.lowering.program.states[loop.scan.id])]
        states = [_array(values[first], t.dtype) for t, (first, _inner, _new) in zip(tensors, loop.states)]
        sequences = [_array(_stacked(values[name])) for name, _is_list, _element in loop.elements]
        if KEY in values:
            states.append(self._key(values, loop.scan.id))
        # XLA reads a step's part of a sequence inside of what uses it, number by number. Loops of a training step have
        # more parts, and are not faster if these are read first.
        is_prediction = DENSE not in values and len(sequences) <= 2 and len(loop.collected) <= 1

        def step(carry: Sequence[Array], elements: Sequence[Array]) -> Any:
            inside = dict(values, **{PLAN: None})
            if is_prediction:
                elements = computed_first(elements)
            inside.update(zip([element for _n, _l, element in loop.elements], elements))
            inside.update(zip([inner for _f, inner, _n in loop.states], carry))
            if KEY in values:
                inside[KEY] = carry[-1]
            _nothing, checks = Checks.inside(partial(self.block, loop.block, inside))
            new = [_array(inside[name], t.dtype) for t, (_f, _i, name) in zip(tensors, loop.states)]
            for position, index in loop.checked:
                keeps(loop.scan.body.what, index, tuple(carry[position].shape), tuple(new[position].shape))
            if KEY in values:
                new.append(jax.random.fold_in(carry[-1], 0))
            return new, ([_array(inside[inner]) for _name, inner in loop.collected], merged(checks))

        if isinstance(length, int):
            last, (collected, checks) = lax.scan(step, states, sequences, length, loop.scan.reverse)
        else:
            last, (collected, checks) = _of_open_length(step, states, sequences, length, loop.scan.reverse)
        if checks is not None:
            Checks.note(checks[jnp.argmax(checks[:, 0])])
        return collected, last

    def _key(self, values: Values, key: int) -> Array:
        """The key of what has the id `key`. The steps of a loop have 0."""
        return jax.random.fold_in(values[KEY], self.lowering.key(key))

    def choice(self, choice: Choice, values: Values) -> None:
        """One `lax.cond` where the condition is traced."""
        condition = values[choice.condition]
        if not isinstance(condition, core.Tracer):
            super().choice(choice, values)
            return
        tensors = [tensor for _key, tensor in sorted(self.lowering.program.chosen[choice.cond.id].items())]
        shapes: List[Any] = [None, None]

        def branch(side: int, wanted: Any) -> Any:
            inside = dict(values, **{PLAN: None})
            _nothing, checks = Checks.inside(partial(self.block, choice.branches[side], inside))
            results = [_array(inside[names[side]], p.dtype) for p, (_n, names) in zip(tensors, choice.parts)]
            shapes[side] = [m.shape for m in results]
            if wanted is not None:
                results = [spread(m, shape) for m, shape in zip(results, wanted)]
            elif side and shapes[0] != shapes[1]:
                raise _Mismatch
            return results, merged(checks, always=True)

        condition = condition if condition.dtype == bool else condition != 0
        try:
            results, checks = lax.cond(condition, partial(branch, 0, None), partial(branch, 1, None))
        except _Mismatch:
            expected = [_common(tensor, *pair) for tensor, pair in zip(tensors, zip(*shapes))]
            results, checks = lax.cond(condition, partial(branch, 0, expected), partial(branch, 1, expected))
        Checks.note(checks)
        values.update(zip([name for name, _values in choice.parts], results))


def _of_open_length(step: Any, states: List[Array], sequences: List[Array], length: Any, reverse: bool) -> Any:
    """`lax.scan` over sequences whose length `jax.export` leaves open.

    JAX wants to know that there is a step. Where this is not known, a step in front has no effect.
    """
    one_more = core.max_dim(length, 1) != length
    real = jnp.ones((length,), bool)
    if one_more:
        real = jnp.concatenate([np.zeros(1, bool), real])
        sequences = [jnp.concatenate([jnp.zeros((1, *s.shape[1:]), s.dtype), s]) for s in sequences]

    def checked(carry: Sequence[Array], elements: Any) -> Any:
        is_real, inside = elements
        new, (collected, checks) = step(carry, inside)
        if one_more:
            new = [jnp.where(is_real, a, b) for a, b in zip(new, carry)]
            checks = None if checks is None else jnp.where(is_real, checks, 0)
        return new, (collected, checks)

    last, (collected, checks) = lax.scan(checked, states, (real, sequences), reverse=reverse)
    return last, ([c[1:] for c in collected] if one_more else collected, checks)


def _planned(compute: Compute, arguments: Sequence[Any], plan: List[Draw]) -> Array:
    """Note a draw, and stand in for it."""
    attrs = dict(compute.node.attrs)
    shape = sizes(attrs.pop('shape') if len(arguments) == 1 else arguments[1])
    plan.append((compute.makes[0], partial(NUMPY[compute.node.op.name], arguments[0], shape, **attrs)))
    return jnp.zeros(shape, attrs['dtype'])


def _drawn_by_key(compute: Compute, arguments: Sequence[Any], key: Array) -> Array:
    """A draw of JAX, from the distribution that K has."""
    attrs, name = compute.node.attrs, compute.node.op.name
    shape = sizes(attrs['shape'] if len(arguments) == 1 else arguments[1])
    if name == 'truncated_normal':
        return jax.random.truncated_normal(key, -2, 2, shape, attrs['dtype'])
    draw = jax.random.uniform if name == 'random_uniform' else jax.random.normal
    return draw(key, shape, attrs['dtype'])


class _Mismatch(Exception):
    """The branches of a choice give other shapes."""


def _common(part: Any, first: Tuple[int, ...], second: Tuple[int, ...]) -> Tuple[int, ...]:
    """The shape of what is chosen: of what one branch does not know, a size of 1 is any size."""
    if first == second:
        return first
    if not part.optional or len(first) != len(second):
        raise NotTraceable(f'the branches of {part.name} give arrays of the shapes {first} and {second}')
    return tuple([max(sizes) if 0 not in sizes else 0 for sizes in zip(first, second)])


def merged(found: List[Array], always: bool = False) -> Any:
    """One vector for several checks: the first that found something. None, or zeros, where there are none."""
    if not found:
        return jnp.zeros(Checks.ENTRIES, np.int64) if always else None
    if len(found) == 1:
        return found[0]
    table = jnp.stack(found)
    return table[jnp.argmax(table[:, 0])]


def _array(x: Any, dtype: Any = None) -> Array:
    x = valued(x, dtype or np.int32)
    return jnp.asarray(x, dtype) if dtype is None or x.dtype != dtype or is_host(x) else x


def _stacked(x: Any) -> Array:
    return jnp.stack([_array(step) for step in x]) if isinstance(x, list) else x
