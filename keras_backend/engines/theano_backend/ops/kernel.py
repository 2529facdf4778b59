"""Primitives that run on the NumPy kernels, and their gradients by the rules of the K graph.

Convolution and pooling are among them. In training steps (forward and gradients, one thread, processor time) the
kernels took 0.6 to 1.0 of the time of Theano's products of matrices in C, and 0.35 to 1.0 of that of poolings in C++.
"""

from functools import partial
from typing import Any, Callable, Dict, List

from ....graph.ops import OPS
from ....kernels import IMPLEMENTATIONS
from ..graph import engine
from ..graph.sizes import items, sizes
from ..graph.static import Outline, dims_of, set_dims, sizes_in, value_of
from ..graph.tensors import Operators, adopt, constant
from ..library import Apply, DisconnectedType, Op, T, TensorType, Variable

Tensor = Any
PRIMITIVES = ('conv', 'depthwise_conv', 'conv_input_grad', 'max_pool', 'avg_pool', 'ctc_greedy', 'ctc_beam')
# They read places off the first input and have no slope in it.
_BY_PLACES = ('max_pool_grad', 'max_pool_select')


class Kernel(Op):
    """A primitive of the K graph with its attributes. Sizes that are not known are inputs."""

    __props__ = ('primitive', 'attributes')
    _f16_ok = True

    def __init__(self, primitive: str, **attributes: Any) -> None:
        self.primitive, self.attributes = primitive, tuple(sorted(attributes.items()))

    def _parameters(self) -> List[str]:
        """The name of each input."""
        return [p for p in OPS[self.primitive].parameters if p not in dict(self.attributes)]

    def make_node(self, *inputs: Tensor) -> Any:
        given: List[Any] = []
        for name, x in zip(self._parameters(), inputs):
            if name in OPS[self.primitive].sizes:
                entries = value_of(x)
                given.append(sizes_in(entries if isinstance(entries, list) else [None] * dims_of(x)[0]))
            else:
                given.append(Outline(x))
        inferred = OPS[self.primitive].infer(*given, **dict(self.attributes))
        outputs = []
        for dims, dtype in [inferred] if isinstance(inferred[1], str) else inferred:
            outputs.append(set_dims(TensorType(dtype, [n == 1 for n in dims])(), dims))
        return Apply(self, list(inputs), outputs)

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        found = IMPLEMENTATIONS[self.primitive](*inputs, **dict(self.attributes))
        for made, out in zip(found if len(outputs) > 1 else [found], outputs):
            out[0] = made

    def connection_pattern(self, node: Any) -> List[List[bool]]:
        rule, sizes_of_rule = OPS[self.primitive].gradient, OPS[self.primitive].sizes
        return [
            [rule is not None and name not in sizes_of_rule and not (self.primitive in _BY_PLACES and i == 0)]
            * len(node.outputs)
            for i, name in zip(range(len(node.inputs)), self._parameters())
        ]

    def L_op(self, inputs: Any, outputs: Any, gradients: Any) -> List[Tensor]:
        rule: Any = OPS[self.primitive].gradient
        # It has the sizes of the result. To look for them in the gradient of a loop would ask for those of the loop.
        if '_keras_dims' not in gradients[0].__dict__:
            set_dims(gradients[0], dims_of(outputs[0]))
        # Rules use the operators of K, so what is Theano's own takes part as a copy.
        given = [x if isinstance(x, Operators) else adopt(T.tensor_copy(x)) for x in [*inputs, *outputs, gradients[0]]]
        found = rule(_F, given[: len(inputs)], given[-2], dict(self.attributes), given[-1])
        made = [g() if callable(g) and not isinstance(g, Variable) else g for g in found]
        return [
            DisconnectedType()() if g is None else T.patternbroadcast(g, x.type.broadcastable)
            for g, x in zip(made, inputs)
        ]


class _Recorder:
    """The primitives of K, and those that gradient rules ask for beside them."""

    items, sizes, constant = staticmethod(items), staticmethod(sizes), staticmethod(constant)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        made: Callable[..., Any] = getattr(engine.F, name, None) or partial(kernel, name)
        return made


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


def _function(name: str) -> Callable[..., Any]:
    def function(*args: Any, **attributes: Any) -> Any:
        return kernel(name, *args, **attributes)

    function.__name__ = name
    return function


FUNCTIONS: Dict[str, Callable[..., Any]] = {name: _function(name) for name in PRIMITIVES}
