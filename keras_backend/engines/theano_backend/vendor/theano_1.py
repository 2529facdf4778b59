"""Theano 1.0.5 itself: imported quietly, and told what K knows better."""

# ruff: noqa: E402, F401 (names are imported to be handed on by _library)
import logging
import warnings

import numpy as np

from .... import config
from ... import needs
from . import shims as _shims
from .compiler import linker_flags

needs.of_theano()
_shims.install()
# Its warnings of no compiler and no BLAS are answered here.
_loggers = {logger: logger.level for logger in map(logging.getLogger, ('theano.configdefaults', 'theano.tensor.blas'))}
for _logger in _loggers:
    _logger.setLevel(logging.ERROR)
# Theano sets how NumPy answers a division by zero, for everybody; it is put back as it was.
with np.errstate(), warnings.catch_warnings():
    # Theano is from before these warnings; no user can do anything about them.
    warnings.simplefilter('ignore')
    import theano
    import theano.sparse
    import theano.tensor
    import theano.tensor.nnet.neighbours
for _logger, _level in _loggers.items():
    _logger.setLevel(_level)

# Choose what the user left to Theano and K knows better.
settings, kinds = theano.config, type(theano.config)
_flags = linker_flags(settings.cxx, not kinds.cxx.is_default, 'THEANO_FLAGS')
if not settings.blas.ldflags and type(settings.blas).ldflags.is_default:
    settings.blas.ldflags = _flags
if kinds.floatX.is_default:
    # Beside a Python float, tensors of `theano.tensor` would become float64.
    settings.floatX = config.floatx()

T, sparse = theano.tensor, theano.sparse

from theano.compile import SharedVariable
from theano.compile.mode import Mode
from theano.compile.ops import DeepCopyOp, Shape, Shape_i, ViewOp
from theano.gof import Apply, Constant, Op, Variable, local_optimizer
from theano.gof.graph import io_toposort
from theano.gof.link import raise_with_op
from theano.gof.opt import Optimizer as GraphRewriter
from theano.gof.opt import in2out
from theano.gof.toolbox import Feature, ReplaceValidate
from theano.gof.vm import VM_Linker
from theano.gradient import DisconnectedType, NullType, disconnected_grad
from theano.ifelse import IfElse, ifelse
from theano.scalar import Sgn as Sign
from theano.sparse import SparseConstant, SparseType, SparseVariable
from theano.sparse.sharedvar import SparseTensorSharedVariable as SparseSharedVariable
from theano.tensor import Join, Reshape, TensorConstant, TensorType, TensorVariable
from theano.tensor.basic import Rebroadcast, ScalarFromTensor, TensorFromScalar
from theano.tensor.elemwise import DimShuffle, Elemwise, Prod, Sum
from theano.tensor.opt import Assert, MakeVector
from theano.tensor.sharedvar import TensorSharedVariable
from theano.tensor.subtensor import Subtensor, get_idx_list

NAME, VERSION = 'Theano', theano.__version__
# Operations that give the tensor that they take.
HANDED_ON = (TensorFromScalar, ScalarFromTensor, Rebroadcast, ViewOp, Assert, DeepCopyOp)
