"""The graph that K builds in, what K remembers about it, and the first values of variables."""

import tempfile
import threading
import weakref
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Callable, DefaultDict, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ....basics.library import Tensor
from ....basics.threads import Lock, Remembered
from ....errors import ClearedSessionError, ForeignTensorError, ScopeError
from .. import vendor
from ..vendor import tf

if TYPE_CHECKING:
    from typing import NoReturn


# -- first values ------------------------------------------------------------------------------------------------------
# The first values of variables, for as long as a session may ask for them, and in memory once at most.
#
# A large array is written to a temporary file as soon as its variable has it: a later session, or an initializer that
# the program runs again, reads it from there.


class FirstValue:
    """A first value that is made when it is asked for."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.array = make

    def release(self) -> None:
        """Keep no array in memory."""


class LargeFirstValue(FirstValue):
    """An array that is kept, in the end in `file`."""

    def __init__(self, array: Any, file: 'ArrayFile') -> None:
        super().__init__(self._read)
        self._array, self._file, self._place = array, file, 0
        self._dtype, self._shape = array.dtype, array.shape

    def _read(self) -> Any:
        array = self._array
        return array.copy() if array is not None else self._file.read(self._place, self._dtype, self._shape)

    def release(self) -> None:
        if self._array is not None:
            offset = self._file.write(self._array)
            if offset is not None:
                self._place, self._array = offset, None


class ArrayFile:
    """A temporary file of arrays, which goes when nothing refers to it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._file: Any = None

    def write(self, array: Any) -> Optional[int]:
        """The place where the array stands now, None where there is no room for it."""
        with self._lock:
            try:
                if self._file is None:
                    self._file = tempfile.TemporaryFile()
                offset: int = self._file.seek(0, 2)
                array.tofile(self._file)
                self._file.flush()
            except OSError:
                return None
            return offset

    def read(self, place: int, dtype: Any, shape: Any) -> Any:
        with self._lock:
            self._file.seek(place)
            return np.fromfile(self._file, dtype, int(np.prod(shape))).reshape(shape)


# The gradient of TensorFlow for x ** a is NaN where x and a are 0. TensorFlow 1 had 0. `ops.elementwise` has ours.
OVERRIDDEN = {'Pow': 'KerasBackendPower', 'MaxPoolGrad': 'KerasBackendMaxPoolGrad'}

# All that are in use.
states: 'weakref.WeakSet[State]' = weakref.WeakSet()


class State:
    """The data of K about one graph. The graph holds it, so it goes when the graph goes.

    It is made before anything is built in the graph, because threads that build meanwhile would see the graph change.
    """

    def __init__(self, graph: vendor.Graph) -> None:
        vendor.isolate_threads(graph)
        vendor.complete_before_export(graph, self.complete)
        vendor.override_gradients(graph, OVERRIDDEN)
        self._graph = weakref.ref(graph)
        self.lock = Lock()
        self.session: Optional[vendor.Session] = None
        self.owned = False
        self.dead = False
        self.borrowed = False
        self.functions: weakref.WeakSet[Any] = weakref.WeakSet()  # results of K.function
        self.remembered = Remembered(64)  # some of them, by their tensors
        self.variables: List[Any] = graph.get_collection_ref(tf.GraphKeys.GLOBAL_VARIABLES)
        self.first_values: weakref.WeakKeyDictionary[Any, FirstValue] = weakref.WeakKeyDictionary()
        self.initialized: weakref.WeakKeyDictionary[vendor.Session, int] = weakref.WeakKeyDictionary()
        self.groups: Dict[Tuple[Any, ...], Tuple[Any, Sequence[Tensor]]] = {}
        self.large_values = ArrayFile()
        self.storage_nodes: Dict[Tuple[str, Any], Tuple[List[Tensor], List[Tensor], List[vendor.Operation]]] = {}
        self.phase: Any = None
        self.uids: DefaultDict[str, int] = defaultdict(int)
        states.add(self)

    @property
    def graph(self) -> vendor.Graph:
        return self._graph()

    def complete(self) -> None:
        """Make the initialisers of all variables that have none yet."""
        if not self.dead:
            for v in list(self.variables):
                if hasattr(v, 'make_initializer'):
                    v.make_initializer()


class _Home:
    """The graph outside of `with` blocks, the same for all threads."""

    def __init__(self) -> None:
        # Not its number, which a later thread may have.
        self.thread = threading.current_thread()
        self.graph = vendor.get_default_graph()
        self.lock = Lock()


home = _Home()


def graph() -> vendor.Graph:
    """The graph that new tensors go to: the default graph, which is made the same one in all threads."""
    if vendor.executing_eagerly():
        raise ScopeError(
            'TensorFlow runs eagerly here (in this thread, block or K.eager function), so K cannot build '
            'tensors; decorate the function that does with K.symbolic.'
        )
    default = vendor.get_default_graph()
    if default is home.graph:
        return default
    if vendor.explicit_graph():
        if not hasattr(default, '_keras_backend'):
            state_of(default)
        return default
    with home.lock:
        if threading.current_thread() is home.thread and not getattr(default, '_keras_backend_home', False):
            # tf.compat.v1.reset_default_graph() was called beside K.
            home.graph = default
        else:
            vendor.set_thread_graph(home.graph)
        home.graph._keras_backend_home = True
        state_of(home.graph)
        return home.graph


def root(some_graph: vendor.Graph) -> vendor.Graph:
    """The graph around all loops and branches."""
    while some_graph is not None:
        around = vendor.outer_graph(some_graph)
        if around is None:
            return some_graph
        some_graph = around


def state_of(some_graph: vendor.Graph) -> State:
    """The data of K about a graph, or about the graph around the body of a loop."""
    graph_state: State
    try:
        graph_state = some_graph._keras_backend
    except AttributeError:
        base = root(some_graph)
        with home.lock:
            if not hasattr(base, '_keras_backend'):
                base._keras_backend = State(base)
        if base is not some_graph:
            vendor.override_gradients(some_graph, OVERRIDDEN)
        some_graph._keras_backend = graph_state = base._keras_backend
    return graph_state


# Threads that begin at once find it there.
state_of(home.graph)


def state() -> State:
    """The data of K about the graph that new tensors go to."""
    return state_of(graph())


def renew() -> vendor.Graph:
    """Replace the home graph by an empty one."""
    with home.lock:
        if vendor.explicit_graph():
            raise ScopeError(
                'K.clear_session() cannot throw a graph away inside of a `with graph.as_default()` or '
                '`with session` block on it, or inside of a step function or branch; call it outside.'
            )
        old = home.graph
        if threading.current_thread() is home.thread and vendor.get_default_graph() is old:
            tf.reset_default_graph()
            home.graph = vendor.get_default_graph()
        else:
            home.graph = tf.Graph()
            vendor.set_thread_graph(home.graph)
        home.graph._keras_backend_home = True
        state_of(home.graph)
        if not state_of(old).borrowed:
            vendor.close_graph(old, _refuse_to_build)
        return old


def _refuse_to_build() -> 'NoReturn':
    raise ClearedSessionError(
        'A tensor that was made before K.clear_session() was used; its graph is gone, build it again.'
    )


def check(tensor: Tensor) -> None:
    """Refuse a tensor (or variable) that cannot be used in the graph that new tensors go to."""
    theirs = tensor.graph
    eager = vendor.executing_eagerly()
    if theirs is vendor.get_default_graph() and not eager:
        return
    if theirs is home.graph and not vendor.explicit_graph() and not eager:
        graph()
        return
    _refuse(tensor, theirs, vendor.get_default_graph())


def _refuse(tensor: Tensor, theirs: vendor.Graph, ours: vendor.Graph) -> None:
    """Raise the error that says why `tensor` cannot be used in graph `ours`, if there is one."""
    name = describe(tensor)
    if state_of(theirs).dead:
        raise ClearedSessionError(f'{name} was made before K.clear_session() and is gone; build it again.')
    if vendor.executing_eagerly():
        raise ScopeError(
            f'{name} is symbolic and has no value in an eager function or block; pass K.eval(tensor), or take '
            'it out of the part that K.eager decorates.'
        )
    around = ours
    while around is not None:
        if around is theirs:
            return
        around = vendor.outer_graph(around)
    if root(theirs) is root(ours):
        raise ScopeError(
            f'{name} belongs to the inside of a step function, loop or branch and cannot be used outside; '
            'return it from there.'
        )
    if state_of(ours).dead:
        raise ClearedSessionError(
            f'The graph of this block was thrown away by K.clear_session(), so {name} cannot be used in it.'
        )
    raise ForeignTensorError(
        f'{name} belongs to another TensorFlow graph than the one K builds in; build inside of '
        '`with tensor.graph.as_default():`, or make the tensor anew.'
    )


def describe(tensor: Any) -> str:
    """The name of a tensor for messages, as the user gave it."""
    if isinstance(tensor, vendor.SymbolicTensor) and tensor.op.type == 'ReadVariableOp':
        tensor = tensor.op.inputs[0]
    name = getattr(tensor, 'name', None)
    if name is None and isinstance(tensor, tf.SparseTensor):
        name = tensor.values.name.rsplit('/', 1)[0]
    return (name or repr(tensor)).split(':')[0]
