"""How functions are compiled by PyTensor."""

from typing import Any, List, Union

from ..vendor import Elemwise, Mode, VM_Linker, in2out, local_optimizer, theano
from . import NOT_OF_NAN
from .rewritings import ByRows, KeepsOrder, in_place

# NumPy computes with no more arrays at a time.
MOST = 30


@local_optimizer([Elemwise])
def in_parts(node: Any) -> Union[List[Any], bool]:
    """A sum or product of more arrays than NumPy takes, as one of sums or products."""
    if len(node.inputs) <= MOST or node.op.scalar_op.__class__.__name__ not in ('Add', 'Mul'):
        return False
    chunks = [node.inputs[i : i + MOST] for i in range(0, len(node.inputs), MOST)]
    return [node.op(*[node.op(*chunk) if len(chunk) > 1 else chunk[0] for chunk in chunks])]


optdb = theano.compile.mode.optdb
# First of all, on the graph as it was written; and in place, with PyTensor's own operations, which is before the end.
optdb.register('keras_by_rows', ByRows(), 'keras', position=0.5)
optdb.register('keras_rows_in_place', in2out(in_place, name='keras_rows_in_place'), 'keras', 'inplace', position=60)
optdb.register('keras_overwrites_last', KeepsOrder(), 'keras', position=1000)
# After sums and products have been joined, and before anything is computed in place.
optdb.register('keras_in_parts', in2out(in_parts, name='keras_in_parts'), 'keras_python', position=49.2)

# It makes 0 of x - x. Without 'local_mul_canonizer', which makes 1 of x / x, steps would be slower by up to 10 percent.
_CANCELS = 'local_add_canonizer'

_compiled = Mode('cvm', 'fast_run').including('keras').excluding(*NOT_OF_NAN)
# Nothing is compiled, after the rewriting that is quick to do and that which makes formulas exact.
_python = (
    Mode(VM_Linker(use_cloop=False, c_thunks=False), 'fast_compile')
    .including('stabilize', 'keras', 'keras_python')
    .excluding(*NOT_OF_NAN, _CANCELS)
)


def default_mode() -> Any:
    """The mode that PyTensor is configured for; where nothing is said, C, which is there at once, and not Numba."""
    settings = theano.config
    if settings.mode != 'Mode' or settings.linker != 'auto':
        return theano.compile.get_default_mode()
    return _compiled if settings.cxx else _python


def mode_to_run_once() -> Any:
    """The mode for what may never run again: compiling takes longer than running in Python."""
    mode = default_mode()
    return _python if mode is _compiled else mode
