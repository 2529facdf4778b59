"""`K.function`: a part of the graph as a Python function, compiled at its first call."""

import time
from typing import Any, Dict, Tuple

import numpy as np

from ....arrays import fitting, foreign, numbers
from ....calls import Call
from ....errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ClearedSessionError,
    FeedError,
    ForeignTensorError,
    ShapeError,
    shortened,
)
from ....shapes import known
from ..graph import check, describe, engine
from ..graph.static import dims_of, visible
from ..graph.tensors import is_sparse, is_tensor
from ..graph.unranked import Noted, at, placeholders_of
from ..graph.updates import collect
from ..library import Constant, Op, SharedVariable, SparseType, raise_with_op, sparse, theano
from . import default_mode, mode_to_run_once

# What theano.function takes beside what K.function settles.
_OPTIONS = ('mode', 'profile', 'givens', 'no_default_updates', 'on_unused_input')


class Function:
    """What `K.function` returns: called with a list of values, it returns a list of arrays.

    The keyword arguments are options of `theano.function`: mode, profile, givens, no_default_updates, on_unused_input.
    The compiled function of Theano is the attribute `compiled`, None before the first call.
    """

    def __init__(self, inputs, outputs, updates=(), name='function', **kwargs):
        unknown = sorted(set(kwargs) - set(_OPTIONS))
        if unknown:
            raise ArgumentValueError(
                f'K.function does not know {", ".join(unknown)}; besides inputs, outputs, updates and name it takes '
                f'{", ".join(_OPTIONS)}.'
            )
        self.name, self._options, self._session = name or 'function', kwargs, engine.session
        self._single = is_tensor(outputs)
        self._call = Call(self.name, inputs, engine.session.learning_phase, is_tensor)
        self._count = self._call.count
        self.inputs = [_input(t, i) for i, t in enumerate(self._call.tensors)]
        for i, t in enumerate(self.inputs):
            if any([t is other for other in self.inputs[:i]]):
                raise FeedError(f'{describe(t)} is given twice in the inputs of K.function.')
        self.outputs = [check(t) for t in ([outputs] if self._single else list(outputs))]
        self.updates = list(updates)
        self._fetched = [sparse.dense_from_sparse(t) if is_sparse(t) else t for t in self.outputs]
        self._scalars = [i for i, t in enumerate(self._fetched) if not t.type.ndim]
        self._pairs, self._givens, used = collect(self.updates, self._fetched, self.inputs, self.name)
        self._feeds = [feed_for(t, id(t) in used) for t in self.inputs]
        self.compiled = self._run = None

    def __call__(self, inputs=()):
        feeds = self._feeds
        if (inputs.__class__ is not list and inputs.__class__ is not tuple) or len(inputs) != self._count:
            defaults = {i: t._keras_default.data for i, t in enumerate(self.inputs) if '_keras_default' in t.__dict__}
            inputs = self._call.values(inputs, [f.name for f in feeds], defaults)
        arrays = [
            value
            if value.__class__ is np.ndarray
            and value.dtype is feed.dtype
            and value.shape == feed.shape
            and value.flags.aligned
            else feed.convert(value)
            for feed, value in zip(feeds, inputs)
        ]
        with engine.lock:
            try:
                if self._run is None or self._session.closed:
                    self._compile()
                results = self._run(arrays)
            except AssertionError as error:
                # How Theano and PyTensor say that an array has not the shape that the graph promised.
                raise ShapeError(f'{self.name}: {error}') from error
            except Exception as error:
                _shorten(error)
                raise
        for i in self._scalars:
            results[i] = results[i][()]
        return results[0] if self._single else results

    def _compile(self):
        if self._session.closed:
            raise ClearedSessionError(f'{self.name} was built before K.clear_session() and is gone; build it again.')
        options = dict({'on_unused_input': 'ignore', 'mode': None}, **self._options)
        givens = list(self._givens)
        extra = options.pop('givens', None) or ()
        givens += list(extra.items() if hasattr(extra, 'items') else extra)
        options['mode'] = options['mode'] or default_mode()
        self.compiled = theano.function(
            self.inputs, self._fetched, updates=self._pairs, givens=givens, name=self.name, **options
        )
        self._run = runner(self.compiled)


def _shorten(error):
    """Leave the first lines of what Theano says: a C++ compiler says hundreds."""
    # Theano adds what it knows as further arguments.
    text = '\n'.join([str(a) for a in error.args])
    short = shortened(text, 'the attribute `whole` of this error has them')
    if short != text:
        error.args, error.whole = (short,), text


def _input(t, i):
    if not is_tensor(t) or isinstance(t, (Constant, SharedVariable)):
        kind = ForeignTensorError if foreign(t) and not is_tensor(t) else ArgumentTypeError
        raise kind(f'inputs[{i}] of K.function has to be a placeholder, got {t!r}.')
    return check(t)


def evaluate(x):
    """The value of a tensor, its function being kept with it."""
    check(x)
    if isinstance(x, SharedVariable):
        with engine.lock:
            return own(x.container.storage[0])
    if isinstance(x, Constant):
        return own(x.data)
    evaluation = x.__dict__.get('_keras_eval')
    if evaluation is None:
        evaluation = x._keras_eval = _Evaluation(x, f'the value of {describe(x)}')
    return evaluation()


class _Evaluation:
    """The value of a tensor, again and again: in Python, until that has taken longer than compiling would have."""

    PATIENCE = 2.0  # seconds

    def __init__(self, x, name):
        self._function, self._seconds = Function([], x, name=name, mode=mode_to_run_once()), 0.0

    def __call__(self):
        started = time.perf_counter()
        value = self._function([])
        if self._function.compiled.maker.mode is not default_mode():
            self._seconds += time.perf_counter() - started
            if self._seconds > self.PATIENCE:
                self._function = Function([], self._function.outputs[0], name=self._function.name)
        return value


def own(value):
    """A copy of a value for the user, a scalar if it has no axes; dense, whatever it is."""
    if hasattr(value, 'toarray'):
        return value.toarray()
    return np.array(value) if value.ndim else value[()]


class NotedFunction:
    """A function that is made anew for each combination of ranks that its placeholders are fed with."""

    def __init__(self, inputs: Any, outputs: Any, updates: Any = (), name: Any = 'function', **kwargs: Any) -> None:
        self.name, self._options = name or 'function', kwargs
        self.inputs, self.outputs, self.updates = inputs, outputs, list(updates)
        self._call = Call(self.name, inputs, engine.session.learning_phase, is_tensor)
        fed = self._call.tensors
        self._places = [i for i, t in enumerate(fed) if isinstance(t, Noted) and t.placeholders == (t,)]
        for placeholder in placeholders_of(outputs, self.updates):
            if not any([placeholder is fed[i] for i in self._places]):
                raise FeedError(
                    f'{self.name} depends on the placeholder {describe(placeholder)}, which is not among the inputs; '
                    'list it there.'
                )
        self._made: Dict[Tuple[int, ...], Function] = {}

    def __call__(self, inputs: Any = ()) -> Any:
        fed = self._call.tensors
        defaults = {i: t._keras_default.data for i, t in enumerate(fed) if '_keras_default' in t.__dict__}
        values = self._call.values(inputs, [describe(t) for t in fed], defaults)
        key = tuple([np.ndim(values[i]) for i in self._places])
        function = self._made.get(key)
        if function is None:
            ranks = dict(zip([fed[i] for i in self._places], key))
            given = [at(list(part), ranks) for part in (fed, self.updates)]
            outputs = at(self.outputs if is_tensor(self.outputs) else list(self.outputs), ranks)
            function = self._made[key] = Function(given[0], outputs, given[1], self.name, **self._options)
        return function(values)


def function(inputs: Any, outputs: Any, updates: Any = (), **kwargs: Any) -> Any:
    """See `library.Library.function`."""
    noted = placeholders_of(*[list(x) if isinstance(x, (list, tuple)) else x for x in (inputs, outputs, updates)])
    return (NotedFunction if noted else Function)(inputs, outputs, updates, **kwargs)


# -- the call ---------------------------------------------------------------------------------------------------------
# It has no profile, no default values, no keywords. Of a function of two operations it takes 3.8 microseconds, and that
# of Theano 5.4 (Python 3.11, arrays trusted).
def runner(compiled):
    """A function of a list of arrays, one for each input, that returns the list of the outputs of `compiled`."""
    run = _direct(compiled) or _trusted(compiled)
    return _silent(run) if any(map(_may_warn, compiled.maker.fgraph.apply_nodes)) else run


def _trusted(compiled):
    """The call of Theano, without a look at the arrays."""
    compiled.trust_input = True
    return lambda arrays: compiled(*arrays)


def _direct(compiled):
    """The call of the virtual machine under the function, if it is one that updates the variables itself."""
    # PyTensor has none: it hands its virtual machine the arrays itself.
    vm, inputs = getattr(compiled, 'fn', None), [c.storage for c in compiled.input_storage]
    if vm is None or getattr(vm, 'need_update_inputs', True) or compiled.profile:
        return None
    if any([refeed for _, refeed, _ in compiled.defaults]):
        return None
    count = compiled.n_returned_outputs
    outputs = [c.storage for c in compiled.output_storage[:count]]
    # What stays in the cells of computed outputs would be overwritten by the next run, which hands out the memory.
    cells = (
        [c.storage for c, x in zip(compiled.output_storage, compiled.maker.fgraph.outputs) if x.owner is not None]
        if getattr(vm, 'allow_gc', False)
        else []
    )

    def run(arrays):
        for cell, array in zip(inputs, arrays):
            cell[0] = array
        try:
            results = vm()
        except Exception:
            if not hasattr(vm, 'position_of_error'):
                raise
            place = vm.position_of_error
            raise_with_op(
                vm.nodes[place],
                vm.thunks[place] if hasattr(vm, 'thunks') else None,
                storage_map=getattr(vm, 'storage_map', None),
            )
        finally:
            for cell, _array in zip(inputs, arrays):
                cell[0] = None
        # The cell of an output that is a variable holds the new value by now, what the machine returns is the old one.
        results = [cell[0] for cell in outputs] if results is None else results[:count]
        for cell in cells:
            cell[0] = None
        return results

    return run


def _may_warn(node):
    """Whether NumPy may have something to say when an operation runs."""
    if getattr(node.op, 'silent', False):
        return False
    return getattr(type(node.op), 'c_code', Op.c_code) is Op.c_code or any(
        [getattr(x.type, 'dtype', '') == 'float16' for x in node.inputs + node.outputs]
    )


def _silent(run):
    # IEEE 754 answers division by zero and overflow, in silence; C code does not know better.
    def quiet(arrays):
        with np.errstate(all='ignore'):
            return run(arrays)

    return quiet


# -- what is fed, as arrays that Theano takes without a look -----------------------------------------------------------
class Feed:
    """Turns what is fed for one placeholder into an array of its dtype and shape."""

    def __init__(self, tensor):
        self.name, self.label = describe(tensor), tensor.dtype
        self.wanted, self.sizes = np.dtype(tensor.dtype), visible(dims_of(tensor))
        # What needs no look at all: an array of this very dtype and of the shape that was fed the last time.
        self.dtype = self.shape = None

    def convert(self, value):
        """`value` as an array."""
        if value is None or is_tensor(value):
            self.refuse('None' if value is None else f'the symbolic tensor {describe(value)}; feed its value')
        if hasattr(value, 'toarray'):
            self.refuse('a sparse matrix; make the placeholder with sparse=True')
        try:
            array = fitting(numbers(value), self.wanted)
        except (TypeError, ValueError) as error:
            self.refuse(f'{type(value).__name__}: {str(error).rstrip(".")}')
        if not self.fits(array.shape):
            self.refuse(f'an array of shape {array.shape}')
        if not array.flags.aligned:
            return array.copy()
        self.dtype, self.shape = self.wanted, array.shape
        return array

    def fits(self, shape):
        """Whether an array of this shape may be fed."""
        sizes = self.sizes
        return len(sizes) == len(shape) and all([not known(d) or d == n for d, n in zip(sizes, shape)])

    def refuse(self, reason):
        """Raise the error that names the placeholder."""
        raise FeedError(f'{self.name} of shape {self.sizes} and dtype {self.label} cannot be fed with {reason}.')


class SparseFeed(Feed):
    """Turns what is fed for a sparse placeholder, a scipy.sparse matrix or a dense array, into a matrix by rows."""

    def convert(self, value):
        from scipy.sparse import csr_matrix

        if hasattr(value, 'tocsr'):
            matrix = csr_matrix(value, dtype=self.wanted)
            if not matrix.has_canonical_format:
                matrix = matrix.copy()
                matrix.sum_duplicates()
            if not self.fits(matrix.shape):
                self.refuse(f'a sparse matrix of shape {matrix.shape}')
            return matrix
        array = Feed.convert(self, value)
        self.dtype = None
        return csr_matrix(array)


class UnusedFeed(Feed):
    """Takes whatever is fed for a tensor that nothing depends on: targets of a loss that does not look at them."""

    def __init__(self, tensor):
        super().__init__(tensor)
        self._array = np.zeros([n if known(n) else 0 for n in self.sizes], self.wanted)

    def convert(self, value):
        return self._array


def feed_for(tensor, used):
    """The feed of a placeholder; used: whether anything depends on it."""
    if isinstance(tensor.type, SparseType):
        return SparseFeed(tensor)
    return Feed(tensor) if used else UnusedFeed(tensor)
