"""PyTensor, the living descendant of Theano, under the names of Theano: for Pythons that Theano does not install on.

Names that PyTensor changed are found in their old form here. Functions that it dropped are made of those that it has.
It dropped the convolutions in C for good. The engine computes these itself.
"""

# ruff: noqa: F401 (names are imported to be handed on by _library)
import warnings
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, Optional, Sequence

import pytensor
import pytensor.scalar.math
import pytensor.sparse
import pytensor.tensor
from pytensor import config as settings
from pytensor.compile import SharedVariable
from pytensor.compile.mode import Mode
from pytensor.compile.ops import DeepCopyOp, ViewOp
from pytensor.conditional.op import IfElse, ifelse
from pytensor.gradient import DisconnectedType, disconnected_grad
from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.graph.features import Feature, ReplaceValidate
from pytensor.graph.null_type import NullType
from pytensor.graph.rewriting.basic import GraphRewriter, in2out, node_rewriter
from pytensor.graph.traversal import io_toposort
from pytensor.graph.utils import MethodNotDefined
from pytensor.link.c.op import COp
from pytensor.link.utils import raise_with_op
from pytensor.link.vm import VMLinker as VM_Linker
from pytensor.raise_op import Assert
from pytensor.scalar import Sign
from pytensor.sparse.sharedvar import SparseTensorSharedVariable as SparseSharedVariable
from pytensor.sparse.variable import SparseConstant, SparseVariable
from pytensor.tensor import math, special
from pytensor.tensor.basic import Join, MakeVector, ScalarFromTensor, TensorFromScalar
from pytensor.tensor.elemwise import DimShuffle, Elemwise
from pytensor.tensor.math import Prod, Sum
from pytensor.tensor.shape import Reshape, Shape, Shape_i
from pytensor.tensor.sharedvar import TensorSharedVariable
from pytensor.tensor.subtensor import Subtensor, indices_from_subtensor
from pytensor.tensor.type import TensorType as AnyTensorType
from pytensor.tensor.variable import TensorConstant, TensorVariable

from .... import config
from .compiler import linker_flags
from .shims import Namespace

NAME, VERSION = 'PyTensor', pytensor.__version__
Tensor = Any
Function = Callable[..., Any]
sparse, SparseType = pytensor.sparse, pytensor.sparse.SparseTensorType


class _Dense(type(AnyTensorType)):  # type: ignore[misc]
    """The class of a TensorType as Theano understands it: sparse types are none."""

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, AnyTensorType) and not isinstance(x, pytensor.sparse.SparseTensorType)

    def __call__(cls, dtype: str, broadcastable: Sequence[bool]) -> Any:
        return AnyTensorType(dtype, shape=[1 if flag else None for flag in broadcastable])


class TensorType(AnyTensorType, metaclass=_Dense):
    """The type of dense tensors, made of a dtype and of which sizes are 1."""


class Op(COp):
    """An operation in the terms of Theano."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if 'L_op' in vars(cls):
            cls.pullback = cls.L_op
        if 'do_constant_folding' in vars(cls):
            asked = cls.do_constant_folding
            cls.do_constant_folding = lambda self, _graph, node: asked(self, node)

    def c_code(self, node: Any, name: str, inputs: List[str], outputs: List[str], sub: Dict[str, str]) -> str:
        raise MethodNotDefined('c_code')

    def make_thunk(self, *args: Any, **kwargs: Any) -> Any:
        if type(self).c_code is Op.c_code:
            kwargs['impl'] = 'py'
        return super().make_thunk(*args, **kwargs)


class Retyped(Op):
    """A tensor as it is, in a type that says something else of which of its sizes are 1; a run is held to it."""

    __props__ = ('shape',)
    _f16_ok = silent = True
    view_map = {0: [0]}

    def __init__(self, shape: Sequence[Optional[int]]) -> None:
        self.shape = tuple(shape)

    def make_node(self, x: Tensor) -> Any:
        return Apply(self, [x], [x.type.clone(shape=self.shape)()])

    def infer_shape(self, node: Any, shapes: Sequence[Any]) -> Sequence[Any]:
        return shapes

    def perform(self, node: Any, inputs: Sequence[Any], outputs: Sequence[List[Any]]) -> None:
        (x,) = inputs
        if any(expected not in (None, n) for expected, n in zip(self.shape, x.shape)):
            raise ValueError(f'A tensor of shape {x.shape} came where the shape {self.shape} was promised.')
        outputs[0][0] = x

    def L_op(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], gradients: Sequence[Tensor]) -> List[Tensor]:
        return [patternbroadcast(gradients[0], inputs[0].type.broadcastable)]


def addbroadcast(x: Tensor, *axes: int) -> Tensor:
    return patternbroadcast(x, [flag or i in axes for i, flag in enumerate(x.type.broadcastable)])


def unbroadcast(x: Tensor, *axes: int) -> Tensor:
    return patternbroadcast(x, [flag and i not in axes for i, flag in enumerate(x.type.broadcastable)])


def patternbroadcast(x: Tensor, flags: Sequence[bool]) -> Tensor:
    """`x` with a type that says of these axes that their size is 1, and of no others."""
    if tuple(flags) == x.type.broadcastable:
        return x
    return Retyped([1 if flag else None if n == 1 else n for flag, n in zip(flags, x.type.shape)])(x)


def get_idx_list(inputs: Sequence[Tensor], idx_list: Any) -> Any:
    return indices_from_subtensor(inputs[1:], idx_list)


def scan(*args: Any, mode: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        # Updates are returned beside the results for as long as this is said to be deprecated.
        warnings.simplefilter('ignore', DeprecationWarning)
        # The mode of the function is that of its loops.
        return pytensor.scan(*args, **kwargs)


def grad(cost: Tensor, wrt: Sequence[Tensor], return_disconnected: str, **options: Any) -> Any:
    return pytensor.grad(cost, wrt, return_disconnected=return_disconnected.lower(), **options)


def local_optimizer(tracks: Optional[Sequence[type]], inplace: bool = False) -> Callable[[Function], Any]:
    """A function of a node as a rewriter of PyTensor, which hands it the whole graph, too."""
    return lambda function: node_rewriter(tracks, inplace=inplace)(lambda _graph, node: function(node))


# Operations that give the tensor that they take.
HANDED_ON = (TensorFromScalar, ScalarFromTensor, Retyped, ViewOp, Assert, DeepCopyOp)
T = Namespace(
    pytensor.tensor,
    abs_=math.abs,
    sgn=math.sign,
    addbroadcast=addbroadcast,
    unbroadcast=unbroadcast,
    patternbroadcast=patternbroadcast,
    nnet=SimpleNamespace(sigmoid=math.sigmoid, softmax=lambda x: special.softmax(x, axis=-1)),
)
theano = Namespace(pytensor, tensor=T, grad=grad, scan=scan)

# Choose the settings that the user left to PyTensor and K knows better.
_default = {name: setting.is_default for name, setting in settings._config_var_dict.items()}
if _default['floatX']:
    settings.floatX = config.floatx()
if _default['blas__ldflags']:
    # Its own search says in four lines that there is none where NumPy was installed by pip.
    settings.blas__ldflags = linker_flags(settings.cxx, not _default['cxx'], 'PYTENSOR_FLAGS')
