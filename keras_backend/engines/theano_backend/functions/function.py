"""`K.function`: a part of the graph as a Python function, compiled at its first call."""

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np

from .... import errors
from ....basics.calls import Function as _Function
from ....basics.calls import check_options
from ....basics.dtypes import by_rows, fitting, foreign, numbers
from ....basics.shapes import known
from ....graph.nodes.base import make_room
from ..graph import check, describe, engine
from ..graph.static import dims_of, visible
from ..graph.tensors import is_sparse, is_tensor
from ..graph.unranked import Noted, at, placeholders_of
from ..graph.updates import collect, missing
from ..vendor import Constant, Op, SharedVariable, SparseType, io_toposort, raise_with_op, sparse, theano
from . import default_mode, mode_to_run_once
from .failures import of_run

if TYPE_CHECKING:
    from typing import NoReturn

Tensor = Any
Arrays = List[Any]
Run = Callable[[Arrays], Arrays]
# The options of theano.function that a user may give to K.function. K.function settles the others.
_OPTIONS = ('mode', 'profile', 'givens', 'no_default_updates', 'on_unused_input')


class _OfPlaceholders(_Function):
    """Functions whose inputs are placeholders of K, which may have a default."""

    def _names(self) -> List[str]:
        return [describe(t) for t in self._feeding.tensors]

    def _defaults(self) -> Dict[int, Any]:
        fed = self._feeding.tensors
        return {i: t._keras_default.data for i, t in enumerate(fed) if '_keras_default' in t.__dict__}


class Function(_OfPlaceholders):
    """The result of `K.function`.

    The keyword arguments are options of `theano.function`: mode, profile, givens, no_default_updates, on_unused_input.
    The compiled function of Theano is the attribute `compiled`, None before the first call.
    """

    compiled: Any
    _run: Optional[Run]
    _CALLS = 3  # how deep Theano nests calls for one operation, at most

    def __init__(
        self, inputs: Any, outputs: Any, updates: Iterable[Any] = (), name: Optional[str] = 'function', **kwargs: Any
    ) -> None:
        check_options(kwargs, _OPTIONS)
        super().__init__(name, inputs, outputs, engine.session.learning_phase, is_tensor)
        self._options, self._session = kwargs, engine.session
        self.inputs = [_input(t, i) for i, t in enumerate(self._feeding.tensors)]
        for t in self.outputs:
            check(t)
        self.updates = list(updates)
        self._fetched = [sparse.dense_from_sparse(t) if is_sparse(t) else t for t in self.outputs]
        self._scalars = [i for i, t in enumerate(self._fetched) if not t.type.ndim]
        self._pairs, self._givens, used = collect(self.updates, self._fetched, self.inputs, self.name)
        self._feeds = [Feed(t, id(t) in used) for t in self.inputs]
        self.compiled = self._run = None

    def _results(self, values: Sequence[Any]) -> List[Any]:
        arrays = [
            value
            if value.__class__ is np.ndarray
            and value.dtype is feed.dtype
            and value.shape == feed.shape
            and value.flags.aligned
            else feed.convert(value)
            for feed, value in zip(self._feeds, values)
        ]
        with engine.lock:
            run: Any = None
            try:
                if self._run is None or self._session.closed:
                    self._compile()
                run = self._run
                results: List[Any] = run(arrays)
            except Exception as error:
                ours = None if run is None else of_run(error, self, arrays)
                if ours is not None:
                    raise ours from error
                # A C++ compiler says hundreds of lines. Theano adds what it knows as further arguments.
                text = '\n'.join([str(a) for a in error.args])
                short = errors.shortened(text, 'the attribute `whole` of this error has them')
                if short != text:
                    error.args, error.whole = (short,), text  # type: ignore[attr-defined]  # errors take any attribute
                raise
        for i in self._scalars:
            results[i] = results[i][()]
        return results

    def _compile(self) -> None:
        if self._session.closed:
            raise errors.ClearedSessionError(
                f'{self.name} was built before K.clear_session() and is gone; build it again.'
            )
        options = dict({'on_unused_input': 'ignore'}, **self._options)
        options['mode'] = options.get('mode') or default_mode()
        options['givens'] = [*self._givens, *dict(options.get('givens') or ()).items()]
        # Theano copies the graph from its end, by calls within calls.
        nodes = io_toposort([], [*self._fetched, *[new for _, new in self._pairs]])
        with make_room(len(nodes), self._CALLS):
            self.compiled = theano.function(self.inputs, self._fetched, updates=self._pairs, name=self.name, **options)
        self._run = runner(self.compiled)


def _input(t: Any, i: int) -> Tensor:
    if not is_tensor(t) or isinstance(t, (Constant, SharedVariable)):
        kind = errors.ForeignTensorError if foreign(t) and not is_tensor(t) else errors.ArgumentTypeError
        raise kind(f'inputs[{i}] of K.function has to be a placeholder, got {t!r}.')
    return check(t)


def evaluate(x: Tensor) -> Any:
    """The value of a tensor, its function being kept with it."""
    check(x)
    if isinstance(x, SharedVariable):
        with engine.lock:
            return private_copy(x.container.storage[0])
    if isinstance(x, Constant):
        return private_copy(x.data)
    if '_keras_eval' not in x.__dict__:
        x._keras_eval = _Evaluation(x, f'the value of {describe(x)}')
    return x._keras_eval()


class _Evaluation:
    """The value of a tensor, again and again: in Python, until that has taken more than compiling would have.

    C rounds otherwise than NumPy. So operations are counted and no time is taken: the same program gives the same bits.
    """

    # Operations in Python, of 20 microseconds each: two seconds. A loop counts as some steps of some operations.
    PATIENCE, OF_A_LOOP = 100000, 3000

    def __init__(self, x: Tensor, name: str) -> None:
        self._function, self._done, self._each = Function([], x, name=name, mode=mode_to_run_once()), 0, 0

    def __call__(self) -> Any:
        value = self._function([])
        if self._done <= self.PATIENCE and self._function.compiled.maker.mode is not default_mode():
            self._each = self._each or self._operations()
            self._done += self._each
            if self._done > self.PATIENCE:
                self._function = Function([], self._function.outputs[0], name=self._function.name)
        return value

    def _operations(self) -> int:
        """How many operations run in a call."""
        nodes = self._function.compiled.maker.fgraph.apply_nodes
        return 1 + sum([self.OF_A_LOOP if type(node.op).__name__ == 'Scan' else 1 for node in nodes])


def private_copy(value: Any) -> Any:
    """A copy of a value for the user, a scalar if it has no axes; dense, whatever it is."""
    if hasattr(value, 'toarray'):
        return value.toarray()
    return np.array(value) if value.ndim else value[()]


class NotedFunction(_OfPlaceholders):
    """A function that is made anew for each combination of ranks that its placeholders are fed with."""

    def __init__(
        self, inputs: Any, outputs: Any, updates: Iterable[Any] = (), name: Optional[str] = 'function', **kwargs: Any
    ) -> None:
        super().__init__(name, inputs, outputs, engine.session.learning_phase, is_tensor)
        self._options, self.inputs, self.updates = kwargs, self._feeding.tensors, list(updates)
        self._places = [i for i, t in enumerate(self.inputs) if isinstance(t, Noted) and t.placeholders == (t,)]
        for placeholder in placeholders_of(outputs, self.updates):
            if not any([placeholder is self.inputs[i] for i in self._places]):
                raise missing(self.name, placeholder)
        self._made: Dict[Tuple[int, ...], Function] = {}

    def _results(self, values: Sequence[Any]) -> List[Any]:
        key = tuple([np.ndim(values[i]) for i in self._places])
        function = self._made.get(key)
        if function is None:
            ranks = dict(zip([self.inputs[i] for i in self._places], key))
            inputs, outputs, updates = [at(list(group), ranks) for group in (self.inputs, self.outputs, self.updates)]
            function = self._made[key] = Function(inputs, outputs, updates, self.name, **self._options)
        results: List[Any] = function(values)
        return results


def function(inputs: Any, outputs: Any, updates: Any = (), **kwargs: Any) -> Any:
    """See `library.Library.function`."""
    noted = placeholders_of(*[list(x) if isinstance(x, (list, tuple)) else x for x in (inputs, outputs, updates)])
    return (NotedFunction if noted else Function)(inputs, outputs, updates, **kwargs)


# -- the call ---------------------------------------------------------------------------------------------------------
# It has no profile, no default values, no keywords, and NumPy's settings are changed only where NumPy computes. Of a
# function of two operations it takes 3.3 microseconds, by way of Theano 6.1, with changed settings 7.3 (Python 3.6).
def runner(compiled: Any) -> Run:
    """A function of a list of arrays, one for each input, that returns the list of the outputs of `compiled`."""
    run = _direct(compiled)
    if run is None:
        compiled.trust_input = True

        def run(arrays: Arrays) -> Any:
            return compiled(*arrays)

    def quiet(arrays: Arrays) -> Arrays:
        # IEEE 754 answers division by zero and overflow, in silence; C code does not know better.
        with np.errstate(all='ignore'):
            return run(arrays)

    return quiet if any(map(_may_warn, compiled.maker.fgraph.apply_nodes)) else run


def _direct(compiled: Any) -> Optional[Run]:
    """The call of the virtual machine under the function, if it is one that updates the variables itself."""
    # PyTensor has none: it hands its virtual machine the arrays itself.
    vm, inputs = getattr(compiled, 'fn', None), [c.storage for c in compiled.input_storage]
    if vm is None or getattr(vm, 'need_update_inputs', True) or compiled.profile:
        return None
    if any([refeed for _, refeed, _ in compiled.defaults]):
        return None
    count = compiled.n_returned_outputs
    outputs = [c.storage for c in compiled.output_storage[:count]]
    # The cells of computed outputs are emptied after a run. A run hands out the arrays in them, and the next run would
    # write into those that are left.
    computed = compiled.maker.fgraph.outputs if getattr(vm, 'allow_gc', False) else ()
    cells = [c.storage for c, x in zip(compiled.output_storage, computed) if x.owner is not None]

    def run(arrays: Arrays) -> Arrays:
        for cell, array in zip(inputs, arrays):
            cell[0] = array
        try:
            results: Optional[List[Any]] = vm()
        except Exception:  # of any operation: its place is noted, and it is raised again
            if not hasattr(vm, 'position_of_error'):
                raise
            position = vm.position_of_error
            thunk = vm.thunks[position] if hasattr(vm, 'thunks') else None
            raise_with_op(vm.nodes[position], thunk, storage_map=getattr(vm, 'storage_map', None))
        finally:
            for cell, _array in zip(inputs, arrays):
                cell[0] = None
        # The cell of an output that is a variable holds the new value by now, what the machine returns is the old one.
        results = [cell[0] for cell in outputs] if results is None else results[:count]
        for cell in cells:
            cell[0] = None
        return results

    return run


def _may_warn(node: Any) -> bool:
    """Whether NumPy may have something to say when an operation runs."""
    if getattr(node.op, 'silent', False):
        return False
    return getattr(type(node.op), 'c_code', Op.c_code) is Op.c_code or any(
        [getattr(x.type, 'dtype', '') == 'float16' for x in node.inputs + node.outputs]
    )


# -- what is fed, as arrays that Theano takes without a look -----------------------------------------------------------
class Feed:
    """Turns what is fed for one placeholder into an array of its dtype and shape, or into a sparse matrix by rows.

    used: whether anything depends on it. Else anything will do: targets of a loss that does not look at them.
    """

    dtype: Optional[np.dtype]
    shape: Optional[Tuple[int, ...]]

    def __init__(self, tensor: Tensor, used: bool) -> None:
        self.name, self.label = describe(tensor), tensor.dtype
        self.wanted, self.sizes = np.dtype(tensor.dtype), visible(dims_of(tensor))
        self._sparse = isinstance(tensor.type, SparseType)
        self._unused = None
        if not used and not self._sparse:
            self._unused = np.zeros([n if known(n) else 0 for n in self.sizes], self.wanted)
        # The dtype and the shape of the array that was fed the last time. An array that has both needs no check. A call
        # of a function of two operations takes 3.3 microseconds this way, and 7.4 with a check of each array.
        self.dtype = self.shape = None

    def convert(self, value: Any) -> Any:
        """`value` as an array or a matrix."""
        if self._unused is not None:
            return self._unused
        if hasattr(value, 'toarray'):
            return self._matrix(value)
        if is_tensor(value):
            self._refuse(f'the symbolic tensor {describe(value)}; feed its value')
        try:
            array = fitting(numbers(value), self.wanted)
        except (TypeError, ValueError) as error:  # both mean that NumPy makes no array of it; raises
            self._refuse(f'{type(value).__name__}: {str(error).rstrip(".")}')
        self._check(array, 'an array')
        if self._sparse:
            return self._matrix(array)
        if not array.flags.aligned:
            return array.copy()
        self.dtype, self.shape = self.wanted, array.shape
        return array

    def _matrix(self, value: Any) -> Any:
        from scipy.sparse import csr_matrix

        if not self._sparse:
            self._refuse('a sparse matrix; make the placeholder with sparse=True')
        matrix = csr_matrix(by_rows(value) if hasattr(value, 'tocsr') else value, dtype=self.wanted)
        self._check(matrix, 'a sparse matrix')
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return matrix

    def _check(self, array: Any, what: str) -> None:
        sizes, shape = self.sizes, array.shape
        if len(sizes) != len(shape) or any([known(d) and d != n for d, n in zip(sizes, shape)]):
            self._refuse(f'{what} of shape {shape}')

    def _refuse(self, reason: str) -> 'NoReturn':
        raise errors.FeedError(f'{self.name} of shape {self.sizes} and dtype {self.label} cannot be fed with {reason}.')
