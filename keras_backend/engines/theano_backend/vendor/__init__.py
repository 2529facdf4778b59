"""The library that runs: Theano itself, or the descendant that carries its name on where it does not install.

Everything that this engine uses of either is named here, by the names of Theano.
"""

from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Iterator, List, Optional

from .... import config
from ....basics import installed
from ....errors import EngineNotInstalled
from ...table import ENGINES

NAMES = """
    Apply Constant DimShuffle DisconnectedType Elemwise Feature GraphRewriter HANDED_ON IfElse Join MakeVector Mode
    NAME NullType Op Prod ReplaceValidate Reshape Shape Shape_i SharedVariable Sign SparseConstant
    SparseSharedVariable SparseType SparseVariable Subtensor Sum T TensorConstant TensorSharedVariable TensorType
    TensorVariable VERSION VM_Linker Variable disconnected_grad get_idx_list ifelse in2out io_toposort
    local_optimizer raise_with_op sparse theano
""".split()


def _load() -> ModuleType:
    for library, module in (('theano', 'theano_1'), ('pytensor', 'pytensor_3')):
        if installed.spec(library):
            return import_module('.' + module, __name__)
    raise EngineNotInstalled(ENGINES['theano'].not_installed, 'theano') from ModuleNotFoundError(name='theano')


_library = _load()
globals().update({name: getattr(_library, name) for name in NAMES})

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


# A user who chose another float dtype for Theano than for K keeps it.
_follows = _library.theano.config.floatX == config.floatx()

# The dtypes that it has for the time of a call.
_held: List[str] = []


def follow_floatx() -> None:
    """Tell Theano what K.set_floatx was told: beside another dtype, numbers would be rounded, or tensors widened."""
    if _follows and not _held and _library.theano.config.floatX != config.floatx():
        _library.theano.config.floatX = config.floatx()


@contextmanager
def floatx_of(dtype: Optional[str]) -> Iterator[None]:
    """Theano with another floatX, for the time of one of its calls; None changes nothing."""
    before = _library.theano.config.floatX
    if dtype in (None, before):
        yield
        return
    _held.append(dtype)
    try:
        _library.theano.config.floatX = dtype
        yield
    finally:
        _held.pop()
        _library.theano.config.floatX = before


def is_loop(node: Any) -> bool:
    """Whether an operation is a loop of Theano."""
    return type(node.op).__name__ == 'Scan'
