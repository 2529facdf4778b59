"""The library that runs: Theano itself, or the descendant that carries its name on where it does not install.

Everything that this engine uses of either is named here, by the names of Theano.
"""
from importlib import import_module

from ... import _installed
from ...errors import EngineNotInstalled

__all__ = ['Apply', 'Constant', 'DisconnectedType', 'IfElse', 'Mode', 'NAME', 'VERSION', 'MethodNotDefined', 'NullType', 'Op', 'SEES_OURS', 'SharedVariable',
           'SparseConstant', 'SparseSharedVariable', 'SparseType', 'SparseVariable', 'T', 'TensorConstant',
           'TensorSharedVariable', 'TensorType', 'TensorVariable', 'VM_Linker', 'Variable', 'disconnected_grad',
           'grad_undefined', 'ifelse', 'io_toposort', 'raise_with_op', 'sparse', 'theano']


def _load():
    for library, module in (('theano', '_theano'), ('pytensor', '_descendant')):
        if _installed.spec(library):
            return import_module('.' + module, __package__)
    raise EngineNotInstalled('The theano engine needs Theano, which is not installed; type: '
                             'pip install "keras_backend[theano]"', 'theano') from ModuleNotFoundError(name='theano')


_library = _load()
globals().update({name: getattr(_library, name) for name in __all__})
