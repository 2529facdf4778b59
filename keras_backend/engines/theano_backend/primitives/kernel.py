"""Primitives that run on the NumPy kernels, and their gradients by the rules of the K graph.

Convolution and pooling are among them. In training steps (forward and gradients, one thread, processor time) the
kernels took 0.6 to 1.0 of the time of Theano's products of matrices in C, and 0.35 to 1.0 of that of poolings in C++.

A random draw is a function of a seed, of the number of the run, and of the steps of the loops around it. Nothing is
drawn from a state, so a loop may compute a draw again on its way back, and does for gradients.
"""

from functools import partial
from types import SimpleNamespace
from typing import Any, Callable, List, Tuple

import numpy as np

from ....basics.dtypes import is_float
from ....graph.primitives import OPS
from ....graph.run.sizes import SIZES
from ....kernels import PRIMITIVES, VIEWS
from ....kernels.random import generator_at
from ..graph import engine
from ..graph.static import Outline, dims_of, set_dims, sizes_in, value_of
from ..graph.tensors import Operators, adopt, constant, items, sizes, vector
from ..vendor import Apply, DisconnectedType, Op, T, TensorSharedVariable, TensorType, Variable

Tensor = Any
# They read places off the first input and have no slope in it.
_BY_PLACES = ('max_pool_grad', 'max_pool_select')


class Kernel(Op):
    """A primitive of the K graph with its attributes. Sizes that are not known are inputs."""

    __props__ = ('primitive', 'attributes')
    _f16_ok = True

    def __init__(self, primitive: str, **attributes: Any) -> None:
        self.primitive, self.attributes = primitive, tuple(sorted(attributes.items()))
        if primitive in VIEWS:
            self.view_map = {0: [0]}

    def make_node(self, *inputs: Tensor) -> Any:
        arguments: List[Any] = []
        names = [p for p in OPS[self.primitive].parameters if p not in dict(self.attributes)]
        for name, x in zip(names, inputs):
            if name not in SIZES:
                arguments.append(Outline(x))
            elif x.type.ndim:
                entries = value_of(x)
                arguments.append(sizes_in(entries if isinstance(entries, list) else [None] * dims_of(x)[0]))
            else:
                arguments.append(value_of(x))
        inferred = OPS[self.primitive].infer(*arguments, **dict(self.attributes))
        outputs = []
        for dims, dtype in [inferred] if isinstance(inferred[1], str) else inferred:
            outputs.append(set_dims(TensorType(dtype, [n == 1 for n in dims])(), dims))
        return Apply(self, list(inputs), outputs)

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        results = PRIMITIVES[self.primitive](*inputs, **dict(self.attributes))
        for result, out in zip(results if len(outputs) > 1 else [results], outputs):
            # C code takes no scalar of NumPy.
            out[0] = result if result.__class__ is np.ndarray else np.asarray(result)

    def connection_pattern(self, node: Any) -> List[List[bool]]:
        has_slope = OPS[self.primitive].gradient is not None
        return [
            [has_slope and is_float(x.dtype) and not (self.primitive in _BY_PLACES and i == 0)] * len(node.outputs)
            for i, x in enumerate(node.inputs)
        ]

    def L_op(self, inputs: Any, outputs: Any, gradients: Any) -> List[Tensor]:
        if not is_float(outputs[0].dtype):
            # A cast to integers: the gradient is zeros, as that of Theano's own cast.
            return [T.zeros_like(x) for x in inputs]
        rule: Any = OPS[self.primitive].gradient
        # It has the sizes of the result. To look for them in the gradient of a loop would ask for those of the loop.
        if '_keras_dims' not in gradients[0].__dict__:
            set_dims(gradients[0], dims_of(outputs[0]))
        # Rules use the operators of K, so what is Theano's own takes part as a copy.
        copies = [x if isinstance(x, Operators) else adopt(T.tensor_copy(x)) for x in [*inputs, *outputs, gradients[0]]]
        slopes = rule(_F, copies[: len(inputs)], copies[-2], dict(self.attributes), copies[-1])
        computed = [g() if callable(g) and not isinstance(g, Variable) else g for g in slopes]
        return [
            DisconnectedType()() if g is None else T.patternbroadcast(g, x.type.broadcastable)
            for g, x in zip(computed, inputs)
        ]


class _Recorder:
    """The primitives of K, and those that gradient rules ask for beside them."""

    items, sizes, constant = staticmethod(items), staticmethod(sizes), staticmethod(constant)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(engine.F, name, None) or partial(kernel, name)
        return function


_F = _Recorder()


def kernel(primitive: str, *args: Any, **attributes: Any) -> Any:
    """The result of a primitive, or the list of its results."""
    inputs, more = [], dict(attributes)
    for name, a in zip(OPS[primitive].parameters, args):
        a = sizes(a) if name in OPS[primitive].sizes else a
        if isinstance(a, Variable):
            inputs.append(a)
        else:
            more[name] = a
    return Kernel(primitive, **more)(*inputs)


# -- draws ------------------------------------------------------------------------------------------------------------
def draw(kind: str, shape: Any, *, dtype: str, seed: int) -> Tensor:
    """A tensor of standard draws, other ones in every run."""
    number = TensorSharedVariable(name='draws', type=TensorType('int64', ()), value=np.zeros((), 'int64'), strict=True)
    number.default_update = T.add(number, T.constant(1, dtype='int64'))
    entries = items(shape)
    dims = sizes_in(entries)
    flags = tuple([n == 1 for n in dims])
    # A copy, so that a loop is not handed the counter, which it would count on.
    counters = T.tensor_copy(number), *(engine.session.region or ())
    return set_dims(_Draw(kind, dtype, int(seed), flags)(vector(entries), *counters), dims)


class _Draw(Op):
    """A standard draw of a shape, in the run of a number and the step of a loop."""

    __props__ = ('kind', 'dtype', 'seed', 'flags')
    _f16_ok = silent = True

    def __init__(self, kind: str, dtype: str, seed: int, flags: Tuple[bool, ...]) -> None:
        self.kind, self.dtype, self.seed, self.flags = kind, dtype, seed, flags

    def make_node(self, shape: Tensor, number: Tensor, *steps: Tensor) -> Any:
        return Apply(self, [shape, number, *steps], [TensorType(self.dtype, self.flags)()])

    def infer_shape(self, node: Any, shapes: Any) -> List[Any]:
        return [tuple([node.inputs[0][i] for i in range(len(self.flags))])]

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        shape, number, steps = inputs[0], int(inputs[1]), inputs[2:]
        step = 0
        for t in steps:
            # No two places of nested loops may be one, and none is that of no loop.
            step = (step << 24) + int(t) + 1
        # The stream that a kernel draws from: it has one place.
        stream: Any = SimpleNamespace(next=partial(generator_at, self.seed, number, step))
        drawn = PRIMITIVES[self.kind](stream, tuple(shape.tolist()), self.dtype)
        outputs[0][0] = np.asarray(drawn, self.dtype)

    def connection_pattern(self, node: Any) -> List[List[bool]]:
        return [[False] for _ in node.inputs]

    def do_constant_folding(self, node: Any) -> bool:
        return False
