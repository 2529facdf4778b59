"""`K.function`: a part of the graph of the functional API, compiled by the library of Keras."""

from contextlib import nullcontext
from typing import Any, Callable, ContextManager, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ...basics.calls import Function as _Function
from ...basics.dtypes import by_rows, fitting, numbers
from ...basics.misuse import OfThisProcess
from ...contract.kinds import shown
from ...errors import ArgumentTypeError, ArgumentValueError, FeedError
from ..process import Runs
from .graph.functional_graph import models_around, refuse_inside, run, walk
from .graph.gradients import Gradients
from .graph.recipes import nothing, symbol
from .primitives.places import in_words, noting, refuse_noted
from .state.draws import Draws, is_seed
from .state.updates import LOCK, PHASE, Planned, fixed_phase, planned, snapshot
from .state.variable import value_now
from .tensors.operations import OwnLayer, registered
from .tensors.valued import Valued, is_constant
from .vendor import BACKEND, KerasVariable, Scope, is_symbolic, keras, layers_below

# -- what is fed -------------------------------------------------------------------------------------------------------
# Sparse matrices that K.function is fed with, in the form that the backend has.


def sparse_of(value: Any, dtype: str) -> Any:
    """A matrix of SciPy, or an array, as a sparse tensor of TensorFlow or JAX; their own as they are."""
    if type(value).__name__ in ('SparseTensor', 'BCOO'):
        return value
    if hasattr(value, 'tocoo'):
        matrix = by_rows(value)
        matrix.sum_duplicates()
        matrix = matrix.tocoo()
        indices, entries, shape = np.stack([matrix.row, matrix.col], 1), matrix.data, matrix.shape
    else:
        array = numbers(value)
        indices, shape = np.argwhere(array), array.shape
        entries = array[tuple(indices.T)]
    entries = fitting(np.asarray(entries), dtype)
    if BACKEND == 'tensorflow':
        import tensorflow as tf

        return tf.sparse.reorder(tf.SparseTensor(indices.astype('int64'), entries, shape))
    from jax.experimental import sparse

    return sparse.BCOO((entries, indices), shape=shape)


Values = List[Any]
# From the values of the inputs to those of the outputs, updates made.
Compiled = Callable[[Values], Values]


def _is_tensor(t: Any) -> bool:
    return is_symbolic(t) or t is PHASE or isinstance(t, (KerasVariable, Valued)) or bool(keras.ops.is_tensor(t))


class Function(OfThisProcess, _Function):
    """The result of `K.function`: compiled at the first call, once for each learning phase that it is called with."""

    def __init__(self, inputs: Any, outputs: Any, updates: Sequence[Any] = (), name: Optional[str] = None) -> None:
        super().__init__(name, inputs, outputs, fixed_phase(), _is_tensor)
        self.inputs = self._feeding.tensors
        self._phased = [t is PHASE for t in self.inputs]
        self._feeds = [_feed(t, i) for i, t in enumerate(self.inputs) if t is not PHASE]
        fed = [t for t in self.inputs if t is not PHASE]
        self.outputs = [symbol(t) if t.__class__ is Valued and not t.changed else t for t in self.outputs]
        for i, t in enumerate(self.outputs):
            if not is_symbolic(t) and not isinstance(t, KerasVariable) and not is_constant(t):
                raise ArgumentValueError(
                    f'outputs[{i}] of K.function was computed already, {shown(t)}, and cannot be computed again; '
                    'build it from K.placeholder or an Input.'
                )
        self.updates = planned(updates, symbol)
        self._program = _Program(fed, self.outputs, self.updates)
        read = self._program.read
        self._feeds = [feed if id(t) in read else _unread(t) for feed, t in zip(self._feeds, fed)]
        self._compiled: Dict[Optional[bool], Compiled] = {}

    def _defaults(self) -> Dict[int, Any]:
        last = len(self.inputs) - 1
        return {i: fixed_phase() or 0 for i, phased in enumerate(self._phased) if phased and i == last}

    def _results(self, values: Sequence[Any]) -> Values:
        training = fixed_phase()
        training = None if training is None else bool(training)
        if any(self._phased):
            training = _phase(values[self._phased.index(True)])
            values = [value for value, phased in zip(values, self._phased) if not phased]
        with LOCK:
            compiled = self._compiled.get(training)
            if compiled is None:
                compiled = self._compiled[training] = _COMPILERS[BACKEND](self._program, training)
        results = compiled([feed(value) for feed, value in zip(self._feeds, values)])
        # Scalars are numbers of NumPy, as on every engine.
        return [result if result.ndim else result[()] for result in results]


def _phase(value: Any) -> bool:
    """The value that is fed for the learning phase, as a bool."""
    if np.ndim(value) or np.asarray(value).item() not in (0, 1):
        raise FeedError(f'the learning phase is 0 (test) or 1 (train), got {shown(value)}.')
    return bool(np.asarray(value).item())


def _feed(t: Any, i: int) -> Callable[[Any], Any]:
    """A function that turns what is fed for the tensor `t` into an array of its dtype and shape."""
    if not is_symbolic(t):
        raise ArgumentTypeError(f'inputs[{i}] of K.function has to be a placeholder or an Input, got {shown(t)}.')
    dtype = keras.backend.standardize_dtype(t.dtype)
    shape = tuple(t.shape)
    as_is = np.dtype(dtype) if dtype != 'bfloat16' else None

    def feed(value: Any) -> Any:
        if value.__class__ is np.ndarray and value.dtype is as_is:
            array = value
        elif keras.ops.is_tensor(value):
            array = keras.ops.cast(value, dtype)
        elif is_symbolic(value):
            raise FeedError(f'{t.name} cannot be fed with the KerasTensor {value.name}; feed its value.')
        elif t.sparse:
            array = sparse_of(value, dtype)
        else:
            try:
                array = numbers(value)
                array = array.astype('float32') if as_is is None else fitting(array, as_is)
            except (TypeError, ValueError) as error:
                raise FeedError(
                    f'{t.name} of shape {shape} and dtype {dtype} cannot be fed with {type(value).__name__}: '
                    f'{str(error).rstrip(".")}.'
                ) from None
        got = tuple(array.shape)
        if len(got) != len(shape) or any(d is not None and d != n for d, n in zip(shape, got)):
            raise FeedError(f'{t.name} of shape {shape} and dtype {dtype} cannot be fed with an array of shape {got}.')
        return array

    return feed


def _unread(t: Any) -> Callable[[Any], Any]:
    """The same for a tensor that nothing depends on."""
    nothing = np.zeros([n or 0 for n in t.shape], 'float32')
    return lambda _value: nothing


class _Program:
    """The work of a function: nodes in order, from the values of `inputs` to outputs and the values of updates."""

    def __init__(self, inputs: Values, outputs: Values, updates: Sequence[Planned]) -> None:
        self.inputs, self.outputs, self.updates = inputs, outputs, updates
        targets = [t for t in outputs if is_symbolic(t)]
        targets += [v for plan in updates for v in plan.values if is_symbolic(v)]
        fed = {id(t) for t in [nothing(), *inputs]}
        self.nodes, leaves, variables = walk(targets, fed)
        for node in self.nodes:
            _refuse_values(node)
        for leaf in leaves:
            if id(leaf) not in fed:
                refuse_inside(targets)
                raise FeedError(_missing(leaf, inputs + outputs))
        # An input that nobody reads may be fed with anything.
        self.read = {id(leaf) for leaf in leaves}
        by_id = {id(v): v for v in variables}
        by_id.update((id(v), v) for v in outputs if isinstance(v, KerasVariable))
        by_id.update((id(plan.variable), plan.variable) for plan in updates)
        by_id.update((id(v), v) for plan in updates for v in plan.values if isinstance(v, KerasVariable))
        self.variables = list(by_id.values())
        # Variables that layers would change by themselves in learning phase 1, such as averages of batch normalization.
        # K.function changes only what is among its updates. Seeds move on: else each call would draw the same numbers.
        updated = {id(plan.variable) for plan in updates}
        self.kept = [v for v in self.variables if not v.trainable and not is_seed(v) and id(v) not in updated]
        # Only a gradient evaluates a node twice.
        again = any(isinstance(node.operation, Gradients) for node in self.nodes)
        self._once: Callable[[], ContextManager[None]] = nullcontext
        if again:
            draws = Draws(self.nodes)
            self._once = draws.once
            self.variables.append(draws.generator.state)
        self._changes = bool(updates or self.kept) or any(is_seed(v) for v in self.variables)

    def alone(self) -> ContextManager[Any]:
        """A context for a run: no other thread changes the variables from where they are read to where they are set."""
        # A variable of TensorFlow is read as a whole by itself. One of PyTorch changes in place.
        guarded = self._changes if BACKEND == 'tensorflow' else bool(self.variables)
        return LOCK if guarded else nullcontext()

    def evaluate(self, given: Values, training: Optional[bool]) -> Tuple[Values, Values]:
        """The values of the outputs, and the new ones of the variables that are updated."""
        values = {id(t): x for t, x in zip([nothing(), *self.inputs], [keras.ops.zeros(()), *given])}
        with self._once():
            run(self.nodes, values, training, {})

        def value(t: Any) -> Any:
            if isinstance(t, KerasVariable):
                return value_now(t)
            return values[id(t)] if is_symbolic(t) else t

        outputs = [_dense(value(t)) for t in self.outputs]
        return outputs, [
            plan.new(plan.variable.value, [_apart(value(v), v) for v in plan.values]) for plan in self.updates
        ]


def _apart(x: Any, t: Any) -> Any:
    """The value `x` of `t`, which stays what it is when a variable changes in place."""
    return x.clone() if BACKEND == 'torch' and isinstance(t, KerasVariable) else x


def _dense(x: Any) -> Any:
    return keras.ops.convert_to_tensor(x, sparse=False)


def _refuse_values(node: Any) -> None:
    """Refuse what Keras made a constant of, as its operators and functions do, and what changes with a variable."""
    for x in keras.tree.flatten((node.arguments.args, node.arguments.kwargs)):
        if x.__class__ is Valued:
            raise ArgumentValueError(
                f'an output of K.function depends on {shown(x)}, which K has computed from variables, and of which '
                f'Keras has made a constant in {type(node.operation).__name__}; write it on the left of the operator, '
                'or use a function of K.'
            )


def _missing(leaf: Any, tensors: Values) -> str:
    """The message for a tensor that is needed and not fed."""
    nodes = walk([t for t in tensors if is_symbolic(t)]).nodes
    around = models_around(leaf, nodes)
    if around:
        base = around[0].name
        return (
            f'an output of K.function depends on {leaf.name}, an input of the model {base!r} that is used as a layer '
            f'here and has a graph of its own; use {base}.inputs as inputs, or build the rest from {base}.output.'
        )
    return (
        f'an output of K.function depends on {leaf.name} of shape {tuple(leaf.shape)}, which is not among the inputs; '
        'list it there.'
    )


@registered
class Body(OwnLayer):
    """A program as the call of a layer: layers without an argument `training` learn the phase from it."""

    def __init__(self, program: _Program) -> None:
        super().__init__()
        self.__dict__['program'] = program

    def call(self, *given: Any, training: Optional[bool] = None) -> Any:
        return self.__dict__['program'].evaluate(given, training)

    def _flatten_layers(self, include_self: bool = True, recursive: bool = True) -> Any:
        # Where `generator` looks for the source of random numbers of the model.
        layers = [self] if include_self else []
        for node in self.__dict__['program'].nodes if recursive else ():
            if isinstance(node.operation, keras.layers.Layer):
                layers += layers_below(node.operation)
        return layers


def _body(program: _Program, training: Optional[bool]) -> Callable[[Values], Tuple[Values, Values]]:
    """The program as a function of the values of its inputs."""
    if training is None:
        return lambda given: program.evaluate(given, None)
    body = Body(program)

    def restoring(given: Values) -> Tuple[Values, Values]:
        before = [snapshot(v) for v in program.kept]
        results: Tuple[Values, Values] = body(*given, training=training)
        for v, value in zip(program.kept, before):
            v.assign(value)
        return results

    return restoring if training and program.kept else lambda given: body(*given, training=training)


def _with_tensorflow(program: _Program, training: Optional[bool]) -> Compiled:
    import tensorflow as tf

    body = _body(program, training)

    @tf.function(reduce_retracing=True, autograph=False)
    def compiled(given: Values) -> Values:
        outputs, new = body(given)
        # After everything has been computed from the old values.
        with tf.control_dependencies([*outputs, *new]):
            outputs = [tf.identity(o) for o in outputs]
            new = [tf.identity(n) for n in new]
        for plan, value in zip(program.updates, new):
            plan.variable.assign(value)
        return outputs

    def call(given: Values) -> Values:
        arrays = [x if isinstance(x, tf.SparseTensor) else tf.convert_to_tensor(x) for x in given]
        with program.alone(), in_words():
            outputs = compiled(arrays)
        return [keras.ops.convert_to_numpy(o) for o in outputs]

    return call


RUNS_OF_JAX = Runs('JAX')


def _with_jax(program: _Program, training: Optional[bool]) -> Compiled:
    import jax

    body, variables = _body(program, training), program.variables

    def pure(state: Values, given: Values) -> Tuple[Values, Dict[int, Any], List[Any]]:
        with Scope(state_mapping=list(zip(variables, state))) as scope, noting([*state, *given]) as notes:
            outputs, new = body(given)
            for plan, value in zip(program.updates, new):
                plan.variable.assign(value)
        changed = {i: scope.get_current_value(v) for i, v in enumerate(variables)}
        # Only what has changed: XLA would copy the rest of the state.
        return outputs, {i: value for i, value in changed.items() if value is not state[i]}, notes

    compiled = jax.jit(pure)

    def call(given: Values) -> Values:
        RUNS_OF_JAX.begin()
        with program.alone():
            outputs, changed, notes = compiled([v.value for v in variables], given)
            refuse_noted(notes)
            for i, value in changed.items():
                variables[i].assign(value)
        # Copies, which the caller may change; JAX gives its own memory.
        return [np.array(o) for o in outputs]

    return call


def _with_torch(program: _Program, training: Optional[bool]) -> Compiled:
    import torch

    body = _body(program, training)

    def call(given: Values) -> Values:
        with torch.no_grad(), program.alone():
            outputs, new = body([keras.ops.convert_to_tensor(x) for x in given])
            # An array of NumPy would otherwise be the memory of a variable that changes.
            arrays = [keras.ops.convert_to_numpy(o).copy() for o in outputs]
            for plan, value in zip(program.updates, new):
                plan.variable.assign(value)
        return arrays

    return call


_COMPILERS: Dict[str, Callable[[_Program, Optional[bool]], Compiled]] = {
    'tensorflow': _with_tensorflow,
    'jax': _with_jax,
    'torch': _with_torch,
}


def function(
    inputs: Any, outputs: Any, updates: Sequence[Any] = (), name: Optional[str] = None, **kwargs: Any
) -> Function:
    """A function of Keras's tensors; see `Function`."""
    if kwargs:
        raise ArgumentValueError(
            f'{", ".join(sorted(kwargs))}: these are arguments of sessions, and Keras 3 has none; besides inputs, '
            'outputs and updates K.function takes name.'
        )
    return Function(inputs, outputs, updates, name)
