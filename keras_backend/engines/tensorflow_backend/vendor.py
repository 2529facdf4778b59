"""TensorFlow itself: imported quietly, switched to graphs, its names that are not public gathered in one place.

Everything private that this engine uses of TensorFlow is named here, so that a new release is checked against one file.
Longer than other files for that reason.
"""

import contextlib
import itertools
import os
import re
import sys
import threading
import weakref
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable, Dict, ItemsView, Iterator, List, Optional, Sequence

from ...basics.installed import version
from ...basics.library import Tensor
from ...basics.threads import Lock, Scoped, scoped
from ...errors import EngineImportFailed, EngineNotInstalled
from .. import process
from ..table import ENGINES, ENGINES_OF_KERAS_3

if TYPE_CHECKING:
    from typing import NoReturn

# Objects of TensorFlow, as annotations name them.
Graph = Any
Operation = Any
Session = Any
# A function of arrays.
Run = Callable[..., List[Any]]

OLDEST = (2, 16)


class _NoKeras:
    """A finder of modules, and their loader, that finds Keras and does not import it. TensorFlow looks where it is."""

    @classmethod
    def find_spec(
        cls, name: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        spec = PathFinder.find_spec(name, path, target) if name == 'keras' else None
        if spec is not None:
            loader: Any = cls  # its methods need no instance
            spec.loader = loader
        return spec

    @staticmethod
    def create_module(spec: ModuleSpec) -> 'NoReturn':
        raise ModuleNotFoundError(f'No module named {spec.name!r} while TensorFlow is imported', name=spec.name)

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Never called; modules are made by what has both methods."""


@contextlib.contextmanager
def _keras_beside() -> Iterator[None]:
    """Let Keras 3, which TensorFlow imports, run on TensorFlow where the settings name an engine that it does not know.

    It reads KERAS_BACKEND and keras.json as we do, and refuses what is none of its own. Keras 2 would be imported in
    its place, would run on the engine that the settings name, and could not yet: TensorFlow goes without it.
    """
    if not (version(['keras']) or '').startswith('3.'):
        sys.meta_path.insert(0, _NoKeras)
        try:
            yield
        finally:
            sys.meta_path.remove(_NoKeras)
        return
    setting = os.environ.get('KERAS_BACKEND')
    if setting in ENGINES_OF_KERAS_3:
        yield
        return
    os.environ['KERAS_BACKEND'] = 'tensorflow'
    try:
        yield
    finally:
        if setting is None:
            del os.environ['KERAS_BACKEND']
        else:
            os.environ['KERAS_BACKEND'] = setting


def _load() -> Any:
    process.before_tensorflow()
    try:
        with process.held_back('3', os.environ.get(process.LOG_LEVEL)), _keras_beside():
            import tensorflow
    except ImportError as error:
        if getattr(error, 'name', None) != 'tensorflow':
            raise
        raise EngineNotInstalled(ENGINES['tensorflow'].not_installed, 'tensorflow') from error
    if tuple([int(number) for number in re.findall(r'\d+', tensorflow.__version__)[:2]]) < OLDEST:
        raise EngineImportFailed(
            f'The tensorflow engine needs TensorFlow {OLDEST[0]}.{OLDEST[1]} or newer, this is '
            f'{tensorflow.__version__}; type: pip install --upgrade tensorflow',
            'tensorflow',
        )
    return tensorflow


tf2 = _load()
tf = tf2.compat.v1

from tensorflow.core.framework.attr_value_pb2 import AttrValue  # noqa: E402
from tensorflow.core.framework.resource_handle_pb2 import ResourceHandleProto  # noqa: E402, F401
from tensorflow.core.framework.tensor_pb2 import TensorProto  # noqa: E402, F401
from tensorflow.core.protobuf import config_pb2  # noqa: E402
from tensorflow.python.eager import context as _context  # noqa: E402
from tensorflow.python.framework import ops as _ops  # noqa: E402
from tensorflow.python.ops import resource_variable_ops as _resources  # noqa: E402
from tensorflow.python.ops.control_flow_v2_func_graphs import CondBranchFuncGraph  # noqa: E402
from tensorflow.python.ops.handle_data_util import copy_handle_data  # noqa: E402


def _switch_to_graphs() -> None:
    tf.disable_eager_execution()
    eager = _context._context
    if eager is not None and not _ops._default_graph_stack.stack:
        # Asking TensorFlow anything, if only for its devices, before this line makes it remember for ever that the
        # outermost mode is eager; bodies of loops would then be built by the rules of that mode, and fail.
        eager._context_switches = _context._ContextSwitchStack(False)
    if not tf.control_flow_v2_enabled():
        tf.enable_control_flow_v2()
    # Without it a gradient taken through a loop that has run already breaks the session: it rewrites the loop's node.
    tf.experimental.output_all_intermediates(True)
    # TensorFlow lets a GPU round factors of float32 to 10 bits. A program that wants that calls this with True.
    tf.config.experimental.enable_tensor_float_32_execution(False)


def keep_for_gradients(choose: Callable[[Graph, List[Tensor]], List[Tensor]]) -> None:
    """Let branches hand out for gradients what `choose(graph, tensors)` gives, rather than every tensor in them.

    Those of a `tf.function` in eager mode hand out nothing: TensorFlow takes what it needs when it makes the gradient.
    """
    from tensorflow.python.ops import cond_v2, while_v2

    for module in (cond_v2, while_v2):
        every = getattr(module, '_get_intermediates', None)
        if every is not None:
            module._get_intermediates = lambda graph, every=every: (
                [] if tf.executing_eagerly_outside_functions() else choose(graph, every(graph))
            )


def _keep_handle_data() -> None:
    """Let the gradient of a loop know what the variables are that its body reads.

    TensorFlow makes the graph of a copied loop anew (see `copy_operation`), and forgets it.
    """
    from tensorflow.python.ops import while_v2

    made_anew = getattr(while_v2, '_get_graph', None)
    if made_anew is None:
        return

    def get_graph(loop: Operation, *names: str) -> Graph:
        body = made_anew(loop, *names)
        for outer, inner in zip(loop.inputs, body.inputs):
            if inner.dtype == tf.resource:
                copy_handle_data(outer, inner)
        return body

    while_v2._get_graph = get_graph


_switch_to_graphs()
_keep_handle_data()

EagerTensor = _ops.EagerTensor
SymbolicTensor = getattr(_ops, 'SymbolicTensor', tf2.Tensor)
UnreadVariable = _resources._UnreadVariable
ResourceVariable = _resources.ResourceVariable
BaseResourceVariable = _resources.BaseResourceVariable
handle_data = getattr(_resources, 'get_eager_safe_handle_data', None)
eager_mode = _context.eager_mode
executing_eagerly = tf2.executing_eagerly
get_default_graph = tf.get_default_graph
get_default_session = tf.get_default_session


def makes_variables(graph: Graph) -> bool:
    """Whether the program has a say in how variables are made: by tf.variable_creator_scope, or a strategy."""
    creators = getattr(graph, '_variable_creator_stack', [None])
    return bool(creators) or tf2.distribute.has_strategy()


def waiting(graph: Graph) -> bool:
    """Whether what is built in `graph` here has to wait for an operation: inside of tf.control_dependencies."""
    return bool(graph._current_control_dependencies())


def explicit_graph() -> bool:
    """Whether this thread is inside of a `with graph.as_default()` block."""
    return bool(_ops._default_graph_stack.stack)


def set_thread_graph(graph: Graph) -> None:
    """Make `graph` the default of this thread outside of `with` blocks. TensorFlow gives each thread one of its own."""
    _ops._default_graph_stack._global_default_graph = graph


def outer_graph(graph: Graph) -> Optional[Graph]:
    """The graph around the body of a loop, a branch or a function; None for a graph of its own."""
    return getattr(graph, 'outer_graph', None)


def branch_graph(op: Operation, branch: str) -> Graph:
    """The graph of the branch of a choice: 'then_branch' or 'else_branch'."""
    return op.graph._get_function(op.get_attr(branch).name).graph


def branches_around(graph: Graph, most: int) -> int:
    """How many branches of choices the graph of a body is inside of, itself included, counted up to `most`."""
    count = 0
    while graph is not None and count < most:
        count += isinstance(graph, CondBranchFuncGraph)
        graph = outer_graph(graph)
    return count


_BODIES = ('then_branch', 'else_branch', 'cond', 'body')


def body_graphs(op: Operation) -> List[Graph]:
    """The graphs of the branches of a choice, or of the condition and the body of a loop."""
    attributes = op.node_def.attr
    return [branch_graph(op, name) for name in _BODIES if name in attributes]


def copy_operation(op: Operation, inputs: List[Tensor], controls: List[Operation]) -> Operation:
    """`op` with other inputs, behind `controls`, in the graph that is built in."""
    graph = get_default_graph()
    # Those that TensorFlow works out anew.
    attributes = {k: v for k, v in op.node_def.attr.items() if k not in ('_class', '_output_shapes')}
    for value in attributes.values():
        for name in [value.func.name] if value.HasField('func') else [f.name for f in value.list.func]:
            if name and graph._get_function(name) is None:
                graph._add_function_recursive(_function(op.graph, name))
    make = getattr(graph, '_create_op_internal', None) or graph.create_op
    with contextlib.ExitStack() as around:
        # Each takes as long as the rest.
        if controls:
            around.enter_context(tf.control_dependencies(controls))
        if op.device:
            around.enter_context(tf.device(op.device))
        twin = make(op.type, inputs, [t.dtype for t in op.outputs], name=op.name.split('/')[-1], attrs=attributes)
    for old, new in zip(op.outputs, twin.outputs):
        new.set_shape(old.shape)
        if old.dtype in (tf.resource, tf.variant):
            copy_handle_data(old, new)
    return twin


def _function(graph: Graph, name: str) -> Any:
    """The function of `graph`, or of a graph around it."""
    function = None
    while function is None:
        function, graph = graph._get_function(name), outer_graph(graph)
    return function


def operation(kind: str, inputs: List[Tensor], dtypes: List[Any], name: str, **attributes: Any) -> Tensor:
    """The first result of a new operation: what `tf.raw_ops` does, in half of the time.

    It is for operations of which every model has hundreds. It looks nothing up and converts nothing. `dtypes` are those
    of the results, `attributes` are all that this kind of operation has, as protocol buffers.
    """
    graph = get_default_graph()
    make = getattr(graph, '_create_op_internal', None) or graph.create_op
    return make(kind, inputs, dtypes, name=name, attrs=attributes).outputs[0]


def set_gradient(op: Operation, name: str) -> None:
    """Let `op` have the gradient that is registered as `name`. tf.Graph.gradient_override_map is for all threads."""
    op._set_attr('_gradient_op_type', AttrValue(s=name.encode()))


def override_gradients(graph: Graph, names: Dict[str, str]) -> None:
    """Let operations that are made in `graph` have the gradients of `names`, {type: registered name of a gradient}."""
    graph._gradient_override_map.update(names)


def function_definition(graph: Graph, name: str) -> Optional[Any]:
    """The FunctionDef of a function of `graph`, None for a name that it does not know."""
    function = graph._get_function(name)
    return None if function is None else function.definition


def make_callable(
    session: Session,
    feeds: Sequence[Tensor],
    fetches: Sequence[Tensor],
    targets: Sequence[Operation],
    options: Any = None,
) -> Run:
    """A function of arrays, one per tensor of `feeds`, that returns the list of the values of `fetches`.

    `Session.make_callable` is the public way and no faster than `Session.run`, which takes ten times as long as this.
    """
    proto = config_pb2.CallableOptions(
        feed=[t.name for t in feeds], fetch=[t.name for t in fetches], target=[op.name for op in targets]
    )
    if options is not None:
        proto.run_options.CopyFrom(options)
    make: Optional[Callable[[Any], Run]] = getattr(session, '_make_callable_from_options', None)
    if make is not None:
        return make(proto)
    fetched = [list(fetches), list(targets)]

    def run(*arrays: Any, **kwargs: Any) -> Any:
        return session.run(fetched, dict(zip(feeds, arrays)), options=options, **kwargs)[0]

    return run


# A run on the caller's thread: handing it over to another one costs more than a small graph does.
INLINE = config_pb2.RunOptions(inter_op_thread_pool=-1)


def is_stateful(kind: str) -> bool:
    """Whether operations of this type do more than compute results of their inputs; one that is not known may do it."""
    try:
        from tensorflow.python.framework import op_def_registry

        definition = op_def_registry.get(kind)
    except (ImportError, AttributeError):  # a TensorFlow without this module of its own: the careful answer
        return True
    return definition is None or definition.is_stateful


@contextlib.contextmanager
def watching(callback: Callable[..., Any]) -> Iterator[None]:
    """Let `callback` see, and replace, the outputs of every operation that this thread makes meanwhile."""
    try:
        from tensorflow.python.framework.op_callbacks import add_op_callback, remove_op_callback
    except ImportError:
        yield
        return
    add_op_callback(callback)
    try:
        yield
    finally:
        remove_op_callback(callback)


def abandon(session: Session) -> None:
    """Let a session whose graph can no longer be extended run what it has."""
    session._extend_graph = lambda: None


class _PerThread(threading.local):
    """A dict of which every thread has its own."""

    def __init__(self) -> None:
        super().__init__()
        self._mine: Dict[str, Any] = {}

    def items(self) -> ItemsView[str, Any]:
        return self._mine.items()

    def __contains__(self, key: str) -> bool:
        return key in self._mine

    def __getitem__(self, key: str) -> Any:
        return self._mine[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._mine[key] = value

    def __delitem__(self, key: str) -> None:
        del self._mine[key]


_keys = itertools.count()
_name_stacks: Scoped[Dict[int, str]] = scoped('name stacks of graphs', {})


class _ScopesOfThread(threading.local):
    """The stacks of scopes of one graph. The stack of names is a string, so that each task of asyncio has its own."""

    def __init__(self, key: int) -> None:
        super().__init__()
        self._key = key

    @property
    def _name_stack(self) -> str:
        return _name_stacks.get().get(self._key, '')

    @_name_stack.setter
    def _name_stack(self, stack: str) -> None:
        stacks = {key: value for key, value in _name_stacks.get().items() if key != self._key}
        if stack:
            stacks[self._key] = stack
        _name_stacks.set(stacks)


def isolate_threads(graph: Graph) -> None:
    """Keep the scopes that one thread enters while it builds from those of others that build in the same graph.

    TensorFlow looks whether a name is free, and then takes it: two threads could take one name.
    """
    graph.switch_to_thread_local()
    scopes = _ScopesOfThread(next(_keys))
    for name, value in vars(graph._thread_local).items():
        setattr(scopes, name, value)
    graph._thread_local = scopes
    graph._attr_scope_map = _PerThread()
    find: Any
    lock, find = Lock(), weakref.WeakMethod(graph.unique_name)

    def unique_name(name: str, mark_as_used: bool = True) -> Any:
        with lock:
            return find()(name, mark_as_used)

    graph.unique_name = unique_name


def complete_before_export(graph: Graph, complete: Callable[[], None]) -> None:
    """Let `complete` be called before `graph` is written to a protocol buffer, or takes no more operations.

    Checkpoints, exporters and TensorBoard do the first. `MonitoredSession` does the second.
    """

    def completing(method: Any) -> Any:
        def complete_and_call(*arguments: Any, **named: Any) -> Any:
            complete()
            return method()(*arguments, **named)

        return complete_and_call

    for name in ('as_graph_def', 'finalize'):
        setattr(graph, name, completing(weakref.WeakMethod(getattr(graph, name))))


def close_graph(graph: Graph, refuse: Callable[[], None]) -> None:
    """Let every attempt to build in `graph` call `refuse`, which raises."""
    graph._check_not_finalized = refuse
