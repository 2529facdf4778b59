"""Theano itself: imported quietly, with the names that this engine uses of it gathered in one place."""
import numpy as np

from ...errors import EngineNotInstalled


def _load():
    # Theano sets how NumPy answers a division by zero, for everybody; it is put back as it was.
    before = np.geterr()
    try:
        import theano
        import theano.sparse
        import theano.tensor
    except ImportError as error:
        if getattr(error, 'name', None) != 'theano':
            raise
        raise EngineNotInstalled('The theano engine needs Theano, which is not installed; type: '
                                 'pip install "keras_backend[theano]"', 'theano') from error
    finally:
        np.seterr(**before)
    return theano


theano = _load()
T = theano.tensor
sparse = theano.sparse

from theano.compile.mode import Mode  # noqa: E402
from theano.gof import Apply, Constant, Op, Variable  # noqa: E402
from theano.gof.graph import clone_get_equiv, io_toposort  # noqa: E402
from theano.gof.graph import inputs as roots_of  # noqa: E402
from theano.gof.vm import VM_Linker  # noqa: E402
from theano.gradient import DisconnectedType, disconnected_grad, grad_undefined  # noqa: E402
from theano.gradient import NullType  # noqa: E402
from theano.ifelse import IfElse, ifelse  # noqa: E402
from theano.sparse import SparseConstant, SparseType, SparseVariable  # noqa: E402
from theano.sparse.sharedvar import SparseTensorSharedVariable as SparseSharedVariable  # noqa: E402
from theano.tensor import TensorConstant, TensorType, TensorVariable  # noqa: E402
from theano.tensor.sharedvar import TensorSharedVariable  # noqa: E402
from theano.compile import SharedVariable  # noqa: E402

__all__ = ['theano', 'T', 'sparse', 'SparseConstant', 'SparseType', 'SparseVariable', 'SparseSharedVariable', 'Mode', 'Apply', 'Constant', 'Op', 'Variable', 'clone_get_equiv', 'io_toposort', 'roots_of',
           'VM_Linker', 'DisconnectedType', 'disconnected_grad', 'grad_undefined', 'NullType', 'IfElse', 'ifelse', 'TensorConstant',
           'TensorType', 'TensorVariable', 'TensorSharedVariable', 'SharedVariable']
