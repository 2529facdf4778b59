"""The tensors of K: Theano's own variables, whose operators follow K.

A result of Theano becomes one by its class alone (`adopt`). What Theano copies to compile it is a plain variable again,
so that nothing in there meets the operators of K.
"""

import sys
from copy import copy

import numpy as np

from ...nested import leaves, like
from ...shapes import Shape
from ._dependent import after
from ._graph import engine
from ._library import (
    SEES_OURS,
    SparseConstant,
    SparseSharedVariable,
    SparseVariable,
    TensorConstant,
    TensorSharedVariable,
    TensorVariable,
    Variable,
    theano,
)
from ._static import dims_of, visible

# Filled in by `_operators`, which needs the classes to exist.
OPERATORS = {}


class Operators:
    """What all tensors of K have: the operators, and their static shape."""

    @property
    def _keras_shape(self):
        said = self.__dict__.get('_keras_said_shape')
        return visible(dims_of(self)) if said is None else said

    @_keras_shape.setter
    def _keras_shape(self, shape):
        # A layer may know more than the graph does.
        self.__dict__['_keras_said_shape'] = None if shape is None else tuple(shape)

    def get_shape(self):
        """The static shape, as TensorFlow 1 has it."""
        return Shape(visible(dims_of(self)))

    def __bool__(self):
        # Theano asks `if update:` and means "is there one".
        if _from_library():
            return True
        raise TypeError(
            '%s has no truth value while the graph is built; use K.switch, or K.eval(x) for the value of '
            'now.' % (self.name or 'A tensor')
        )

    __nonzero__ = __bool__


def _operator(name):
    # An index of Theano's own is left to Theano: to look for what is known of its bounds, in the gradient of a loop,
    # would ask for the shapes of that gradient.
    looks = SEES_OURS or name == '__getitem__'

    def apply(self, *others):
        if looks and _from_library():
            return getattr(super(Operators, self), name)(*others)
        return OPERATORS[name](self, *others)

    apply.__name__ = name
    return apply


def _from_library():
    """Whether the function that called a method of a tensor is one of the library's."""
    return sys._getframe(2).f_globals.get('__name__', '').partition('.')[0] == theano.__name__


for _name in (
    'abs neg lt le gt ge add sub mul truediv floordiv mod pow radd rsub rmul rtruediv rfloordiv rmod rpow getitem '
    'and or xor rand ror rxor'
).split():
    setattr(Operators, f'__{_name}__', _operator(f'__{_name}__'))


def _plain(kind):
    """A method that makes a plain variable of Theano, like this one and without an owner."""

    def clone(self, **_options):
        if isinstance(self, (TensorSharedVariable, SparseSharedVariable)):
            twin = kind(name=self.name, type=self.type, value=None, strict=None, container=self.container)
        elif isinstance(self, (TensorConstant, SparseConstant)):
            twin = kind(self.type, self.data, self.name)
        else:
            twin = kind(self.type, None, None, self.name)
        twin.tag = copy(self.tag)
        return twin

    return clone


class KVariable(Operators, TensorVariable):
    """A placeholder, or the result of an operation."""

    clone = _plain(TensorVariable)


class KConstant(Operators, TensorConstant):
    """A constant."""

    clone = _plain(TensorConstant)

    @property
    def unique_value(self):
        """The number that all entries are, for PyTensor, which takes 0. and -0. for one."""
        found = super().unique_value
        return found if found or np.unique(np.signbit(self.data)).size == 1 else None


class KShared(Operators, TensorSharedVariable):
    """A variable of K; its shape never changes."""

    clone = _plain(TensorSharedVariable)


class KSparse(Operators, SparseVariable):
    """A sparse placeholder, or a sparse result."""

    clone = _plain(SparseVariable)


class KSparseShared(Operators, SparseSharedVariable):
    """A sparse variable."""

    clone = _plain(SparseSharedVariable)


class KSparseConstant(Operators, SparseConstant):
    """A sparse constant."""

    clone = _plain(SparseConstant)


_KINDS = {
    TensorVariable: KVariable,
    TensorConstant: KConstant,
    SparseVariable: KSparse,
    SparseConstant: KSparseConstant,
}


def adopt(x):
    """`x`, a variable of Theano, as a tensor of K."""
    if engine.session.deps and '_keras_session' not in x.__dict__:
        x = after(x, engine.session.deps)
    kind = _KINDS.get(x.__class__)
    if kind is not None:
        x.__class__ = kind
    if '_keras_session' not in x.__dict__:
        session = x._keras_session = engine.session
        if session.deps:
            x._keras_updates = session.deps
    return x


def adopted(result):
    """What a function of K returns, with the variables of Theano in it as tensors of K."""
    if isinstance(result, Variable):
        return adopt(result)
    if result.__class__ in (list, tuple, dict):
        return like(result, [adopted(r) for r in leaves(result)])
    return result
