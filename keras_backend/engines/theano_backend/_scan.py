"""One step function over the slices of tensors, as a loop of Theano.

The step is recorded once, on variables of its own. What it computes without them is computed once, outside of the loop.
"""

import threading

from ...graph.dims import Dim
from ...shapes import known
from ._broadcast import aligned
from ._convert import cast, constant, operand, promote
from ._graph import describe, engine
from ._library import Constant, SparseType, T, TensorType, theano
from ._mode import default_mode
from ._static import dims_of, set_dims
from ._variables import KVariable


class _Places(threading.local):
    """The numbers of the steps of the loops whose step functions are being recorded, the outermost first."""

    steps = ()


places = _Places()


def _inner(kind, name, dims):
    made = KVariable(kind, None, None, name)
    made._keras_session, made._keras_inner = engine.session, True
    return set_dims(made, dims)


def _slice_of(x):
    """A variable that stands for one slice of `x` along axis 0."""
    return _inner(TensorType(x.dtype, x.type.broadcastable[1:]), describe(x) + '[t]', dims_of(x)[1:])


def loop(step, sequences, states, reverse=False, what='K.rnn', mask=None, repeat=True):
    """Run `step` over axis 0 of `sequences`, from the end if `reverse`.

    `step(elements, states)` returns (outputs, new states). Returns what the outputs are over time, in order of
    iteration, the last states, and what the outputs of the step were. Where `mask` (time, samples) is false, the states
    stay as they are, and the only output is the one before (`repeat`) or zeros.
    """
    slices = [_slice_of(x) for x in sequences]
    # In the type of a state is what is known for certain, so that the new one has it too.
    states = [_typed(s, dims_of(s)) for s in states]
    before = [_inner(s.type, describe(s) + '[t-1]', dims_of(s)) for s in states]
    number = _inner(TensorType('int64', ()), 't', ())
    outer, places.steps = places.steps, places.steps + (number,)
    try:
        samples, after = step(list(slices), list(before))
    finally:
        places.steps = outer
    after = [_as_state(new, old, i, what) for i, (new, old) in enumerate(zip(after, before))]
    results, count = [operand(x) for x in samples], len(states)
    if mask is not None:
        here = _slice_of(mask)
        idle = T.zeros_like(results[0])
        if repeat:
            states = states + [_zeros_before(results[0], slices, sequences, before, states)]
            idle = _inner(states[-1].type, 'output[t-1]', dims_of(results[0]))
            before = before + [idle]
        results = [select(here, results[0], idle)]
        after = [_typed(select(here, n, b), dims_of(b)) for n, b in zip(after + results * repeat, before)]
        sequences, slices = sequences + [mask], slices + [here]
    body = Body(slices + before + [number], after + results)
    if number in body.used:
        counted = T.arange(sequences[0].shape[0])
        # Counted in order of iteration, which turns all sequences around.
        sequences, slices = sequences + [counted[::-1] if reverse else counted], slices + [number]
    steps = dims_of(sequences[0])[0]

    def run(*arguments):
        return body.outputs_of(dict(zip(slices + before + body.outside, arguments)))

    made, updates = theano.scan(
        run,
        sequences=sequences,
        outputs_info=[{'initial': s} for s in states] + [None] * len(results),
        non_sequences=body.outside,
        n_steps=int(steps) if known(steps) else None,
        go_backwards=reverse,
        return_list=True,
        mode=default_mode(),
        name=what.replace('K.', ''),
    )
    for variable, new in updates.items():
        # A stream of random numbers of Theano's own, used in the step.
        variable.default_update = new
    final = [_shaped(m[-1], _joined(s, n)) for m, s, n in zip(made, states, after)]
    over_time = [
        _shaped(m, (steps,) + _visible_outside(dims_of(x), sequences, states))
        for m, x in zip(made[len(states) :], results)
    ]
    return over_time, final[:count], samples


def select(mask, new, old):
    """`new` for the samples where `mask` holds, else `old`."""
    return T.switch(*aligned(mask.dimshuffle([0] + ['x'] * (new.type.ndim - 1)), new, old))


def _typed(x, dims):
    return T.patternbroadcast(x, [known(n) and n == 1 for n in dims])


def _shaped(x, dims):
    """`x` with the sizes `dims`, also in its type."""
    x = _typed(x, dims)
    return x if '_keras_dims' in x.__dict__ else set_dims(x, dims)


def _joined(state, new):
    """The sizes of the last value of a state: it had its first sizes and those that the step gave it."""
    return [n if known(n) else m for m, n in zip(dims_of(state), dims_of(new))]


def _visible_outside(dims, sequences, states):
    """`dims` of an inner tensor, with a new Dim for each that means nothing outside."""
    there = {id(n) for x in sequences + states for n in dims_of(x)}
    return tuple([n if known(n) or id(n) in there else Dim() for n in dims])


def _as_state(new, old, index, what):
    new = operand(new, old.dtype)
    if promote(new.dtype, old.dtype) != old.dtype:
        raise TypeError(
            f'State {index} of {what} is {old.dtype}, but the step returns {new.dtype} for it; start it as {new.dtype}.'
        )
    return _typed(cast(new, old.dtype), dims_of(old))


def _zeros_before(sample, slices, sequences, before, states):
    """Zeros of the sizes of an output of the step, made outside of the loop."""
    entries = []
    for n in dims_of(sample):
        if not known(n):
            n = next(
                (
                    x.shape[axis]
                    for x, first in [(s, 1) for s in sequences] + [(s, 0) for s in states]
                    for axis, m in enumerate(dims_of(x))
                    if m is n and axis >= first
                ),
                None,
            )
        entries.append(n)
    if None in entries:
        # Nothing outside has this size: what the first step gives has it.
        first = dict(zip(slices + before, [x[0] for x in sequences] + states))
        zeros = T.zeros_like(Body(slices + before, [sample]).outputs_of(first)[0])
    else:
        zeros = T.alloc(constant(0, sample.dtype), *[constant(n, 'int64') if known(n) else n for n in entries])
    return _typed(zeros, dims_of(sample))


class Body:
    """The part of a graph between the variables `own` of a step and `outputs`.

    `outside`: what it reads that does not depend on `own`, constants apart. `used`: those of `own` that are needed.
    """

    def __init__(self, own, outputs):
        self.outputs = outputs
        self.nodes, self.outside, self.used = [], [], []
        self._own = set(own)
        self._depends = {}
        for x in outputs:
            self._visit(x)
        seen = set()
        for x in [i for node in self.nodes for i in node.inputs] + list(outputs):
            if x in seen or isinstance(x, Constant):
                continue
            seen.add(x)
            if x in self._own:
                self.used.append(x)
            elif not self._depends.get(x):
                self.outside.append(x)

    def _visit(self, start):
        """Find the operations that depend on `own`, each after those it needs."""
        depends, todo = self._depends, [(start, False)]
        done = set(self.nodes)
        while todo:
            x, ready = todo.pop()
            if x in depends:
                continue
            if x in self._own or x.owner is None:
                depends[x] = x in self._own
            elif not ready:
                todo.append((x, True))
                todo.extend([(i, False) for i in x.owner.inputs if i not in depends])
            else:
                depends[x] = any([depends[i] for i in x.owner.inputs])
                if depends[x]:
                    self._include(x.owner, done)

    def _include(self, node, done):
        if node in done:
            return
        done.add(node)
        for i in node.inputs:
            # A loop of Theano is handed tensors only; what is none is made inside.
            if i.owner is not None and not self._depends[i] and not isinstance(i.type, (TensorType, SparseType)):
                self._depends[i] = True
                self._include(i.owner, done)
        self.nodes.append(node)

    def outputs_of(self, given):
        """The outputs, computed anew from what `given` maps the variables of the step and `outside` to."""
        made = dict(given)
        for node in self.nodes:
            twin = node.clone_with_new_inputs([made.get(i, i) for i in node.inputs])
            made.update(zip(node.outputs, twin.outputs))
        return [made.get(x, x) for x in self.outputs]
