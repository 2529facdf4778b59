"""The library that runs: Theano itself, or the descendant that carries its name on where it does not install.

Everything that this engine uses of either is named here, by the names of Theano.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .... import config, installed
from ....errors import EngineNotInstalled
from ...table import ENGINES

NAMES = """
    Apply Constant DimShuffle DisconnectedType Elemwise HANDED_ON Join MakeVector Mode NAME NullType Op Prod
    Reshape Shape Shape_i SharedVariable SparseConstant SparseSharedVariable SparseType SparseVariable Subtensor T
    TensorConstant TensorSharedVariable TensorType TensorVariable VERSION VM_Linker Variable disconnected_grad
    get_idx_list ifelse in2out io_toposort local_optimizer raise_with_op sparse theano
""".split()


def _load():
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


def follow_floatx() -> None:
    """Tell Theano what K.set_floatx was told: beside another dtype, numbers would be rounded, or tensors widened."""
    if _follows and _library.theano.config.floatX != config.floatx():
        _library.theano.config.floatX = config.floatx()
