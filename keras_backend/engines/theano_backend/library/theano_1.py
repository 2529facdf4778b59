"""Theano 1.0.5 itself: imported quietly, and told what K knows better."""

# ruff: noqa: E402, F401 (names are imported to be handed on by _library)
import contextlib
import logging
import warnings

import numpy as np

from .... import config
from ... import _theano_numpy
from . import shims as _shims
from .compiler import linker_flags


class _Withheld(logging.Filter):
    """Keeps warnings of Theano back that are answered here: no compiler, no BLAS."""

    def filter(self, record):
        return record.levelno != logging.WARNING


@contextlib.contextmanager
def _quiet():
    """What Theano says and does at its import beside defining names."""
    loggers = [logging.getLogger('theano.' + name) for name in ('configdefaults', 'tensor.blas')]
    withheld = _Withheld()
    for logger in loggers:
        logger.addFilter(withheld)
    # Theano sets how NumPy answers a division by zero, for everybody; it is put back as it was.
    before = np.geterr()
    try:
        with warnings.catch_warnings():
            # Theano is from before these warnings; no user can do anything about them.
            warnings.simplefilter('ignore')
            yield
    finally:
        np.seterr(**before)
        for logger in loggers:
            logger.removeFilter(withheld)


def _configure(settings):
    """Choose what the user left to Theano and K knows better."""
    flags = linker_flags(settings.cxx, not type(settings).cxx.is_default, 'THEANO_FLAGS')
    if not settings.blas.ldflags and type(settings.blas).ldflags.is_default:
        settings.blas.ldflags = flags
    if type(settings).floatX.is_default:
        # Beside a Python float, tensors of `theano.tensor` would become float64.
        settings.floatX = config.floatx()


_theano_numpy.provide()
_shims.install()
with _quiet():
    import theano
    import theano.sparse
    import theano.tensor
    import theano.tensor.nnet.neighbours
_configure(theano.config)

T = theano.tensor
sparse = theano.sparse

from theano.compile import SharedVariable
from theano.compile.mode import Mode
from theano.compile.ops import DeepCopyOp, Shape, Shape_i, ViewOp
from theano.gof import Apply, Constant, Op, Variable, local_optimizer
from theano.gof.graph import io_toposort
from theano.gof.link import raise_with_op
from theano.gof.opt import in2out
from theano.gof.vm import VM_Linker
from theano.gradient import DisconnectedType, NullType, disconnected_grad
from theano.ifelse import ifelse
from theano.sparse import SparseConstant, SparseType, SparseVariable
from theano.sparse.sharedvar import SparseTensorSharedVariable as SparseSharedVariable
from theano.tensor import Join, Reshape, TensorConstant, TensorType, TensorVariable
from theano.tensor.basic import Rebroadcast, ScalarFromTensor, TensorFromScalar
from theano.tensor.blas import BatchedDot
from theano.tensor.elemwise import DimShuffle, Elemwise, Prod
from theano.tensor.opt import Assert, MakeVector
from theano.tensor.sharedvar import TensorSharedVariable
from theano.tensor.subtensor import Subtensor, get_idx_list

NAME, VERSION = 'Theano', theano.__version__
# What gives the tensor that it takes.
HANDED_ON = (TensorFromScalar, ScalarFromTensor, Rebroadcast, ViewOp, Assert, DeepCopyOp)
