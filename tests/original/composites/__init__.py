"""Seeded random programs in K: a graph of functions over one to three inputs, with its loss and gradients.

Every step is also computed in NumPy in double precision while the program is made. So a step is taken only where its
result is of a moderate size and far from ties and kinks, and the numbers of two engines can be compared.
"""

from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from composites.elementwise import binary, kinked, smooth, switched, with_number
from composites.making import Maker, Node, Step, Unfit, constant
from composites.products import looped, products
from composites.reductions import cumulative, normalised, reduction
from composites.shapes import by_index, joined, repeated, shuffled, sliced

MAKERS = [
    smooth, smooth, smooth, kinked, kinked, with_number, binary, binary, binary, reduction, reduction, cumulative,
    shuffled, shuffled, shuffled, repeated, joined, joined, sliced, sliced, products, products, products, normalised,
    normalised, switched, switched, by_index, by_index, looped,
]  # fmt: skip


def fed(make: Maker) -> List[Tuple[str, Any]]:
    """One to three inputs: 'placeholder', 'unknown' (its batch size) or 'variable', with the values."""
    batch, found = make.number(2, 4), []
    for _ in range(make.number(1, 3)):
        kind = make.of(['placeholder', 'unknown', 'unknown', 'variable'])
        rest = [make.number(1, 4) for _ in range(make.number(1, 2))]
        value = np.round(make.random.uniform(-1.5, 1.5, size=[batch] + rest), 3)
        found.append((kind, value))
        make.nodes.append(Node(value, kind == 'unknown'))
    if make.chance():
        # Integers choose rows of a table that is learned.
        ids, table = make.random.randint(0, 5, size=(batch,)), make.weights((5, make.number(1, 4)))
        found += [('ids', ids), ('variable', table)]
        make.nodes += [Node(table, False), Node(table[ids], True)]
    return found


def program(seed: int) -> Callable[[Any, Any], Dict[str, Any]]:
    """The program of a seed: a function of (K, np) that returns named values."""
    make = Maker(seed)
    inputs = fed(make)
    count, tries = make.number(5, 12), 0
    while len(make.steps) < count and tries < 400:
        tries += 1
        maker = make.of(MAKERS)
        try:
            sources, call, value, unknown = maker(make)
        except Unfit:
            continue
        value = np.asarray(value, 'float64')
        if not 1 <= value.size <= 64 or value.ndim > 4 or not np.abs(value).max() < 12:
            continue
        make.steps.append(Step(maker.__name__, sources, call))
        make.nodes.append(Node(value, unknown))
    return Program(make, inputs)


class Program:
    """A program that can be run on any K; `steps` and `truths` say what it does and what it should give."""

    def __init__(self, make: Maker, inputs: List[Tuple[str, Any]]) -> None:
        self.make, self.inputs, self.steps = make, inputs, make.steps
        self.first = len(make.nodes) - len(make.steps)
        read = {source for step in make.steps for source in step.sources}
        self.results = [n for n in range(self.first, len(make.nodes)) if n not in read]
        self.weights = [make.weights(make.nodes[n].value.shape[1:]) for n in self.results]

    @property
    def truths(self) -> Dict[str, Any]:
        """The results by NumPy in double precision."""
        return {f'result {n}': self.make.nodes[n].value for n in self.results}

    def __call__(self, K: Any, np: Any) -> Dict[str, Any]:
        dtype, nodes, fed, values, wanted = self.make.dtype, [], [], [], []
        ids = None
        for kind, value in self.inputs:
            if kind == 'ids':
                ids = K.placeholder((None,), dtype='int32')
                fed.append(ids)
                values.append(value.astype('int32'))
                continue
            value = value.astype(dtype)
            if kind == 'variable':
                node = K.variable(value, dtype=dtype)
            else:
                shape = (None,) + value.shape[1:] if kind == 'unknown' else value.shape
                node = K.placeholder(shape, dtype=dtype)
                fed.append(node)
                values.append(value)
            nodes.append(node)
            wanted.append(node)
        if ids is not None:
            nodes.append(K.gather(nodes[-1], ids))
        for step in self.steps:
            nodes.append(step.call(K, *[nodes[n] for n in step.sources]))
        results = [nodes[n] for n in self.results]
        loss = sum(K.mean(y * constant(K, self.make, w)) for y, w in zip(results, self.weights))
        gradients = K.gradients(loss, wanted)
        there = [n for n, gradient in enumerate(gradients) if gradient is not None]
        found = K.function(fed, results + [loss] + [gradients[n] for n in there])(values)
        names = [f'result {n}' for n in self.results] + ['loss'] + [f'gradient {n}' for n in there]
        return dict(zip(names, found))
