"""Where a run of TensorFlow has failed, and the error of ours that says so.

TensorFlow's message ends with the names of the operation and of the functions around it, as they were when it ran:

    ... [[{{node add}}]]                                       in the graph
    ... [[{{node keras_backend_cut/while/body/_1/MatMul}}]]    in a loop that was copied and made flat
    ... [[{{function_node while_1_body_208_cut_6}}{{node add}}]]
"""

import re
from bisect import bisect_right
from typing import Any, Dict, List, Optional, Tuple

from ...basics import run_errors
from ...errors import ArgumentError, ShapeError
from .tensors.graph import describe
from .vendor import tf

_NODE = re.compile(r'\{\{node ([^}]+)\}\}')
_FUNCTION = re.compile(r'\{\{function_node ([^}]+)\}\}')
# A loop or a choice in the name of a function of TensorFlow that has its inside.
_INSIDE = re.compile(r'(.+?)_(?:body|cond|true|false)_\d+')
# The message of a check of ours.
_SAID = re.compile(r'assertion failed: \[([^\]]*\bK\.[a-z][^\]]*)\]')
# How errors of other classes say that sizes do not fit: of a convolution by oneDNN, and of lengths for a decoder.
_UNFIT = ('could not create a primitive descriptor', 'len(sequence_length) != batch_size')
# Operations of whose errors shapes and places are no reason.
_NEVER = ('Assert', 'CheckNumerics')

# Primitives of K, by operation.
_NAMES = (
    'AddV2=add Add=add Sub=sub Mul=mul RealDiv=div FloorDiv=floordiv FloorMod=mod Less=less LessEqual=less_equal '
    'Greater=greater GreaterEqual=greater_equal StridedSlice=getitem MatMul=tensordot BatchMatMulV2=matmul '
    'ConcatV2=concatenate GatherV2=gather ResourceGather=gather SelectV2=where'
)
_PRIMITIVES: Dict[str, str] = dict([pair.split('=') for pair in _NAMES.split()])


def of_run(error: Any, graph: Any, run: str) -> Optional[Exception]:
    """The error of ours for one that came out of a run, None where it stays as it is."""
    message = str(error)
    if isinstance(error, tf.errors.ResourceExhaustedError):
        node = (_NODE.findall(message) or [''])[0]
        return run_errors.out_of_memory(error, 'K.function', node, run)
    if not isinstance(error, tf.errors.InvalidArgumentError) and not any([words in message for words in _UNFIT]):
        return None
    match = _SAID.search(message)
    if match is not None:
        return _of_both(ShapeError(match.group(1)[0].upper() + match.group(1)[1:]))
    names = _NODE.findall(message)
    if not names:
        return None
    op, around = _operation(graph, names[0], _FUNCTION.findall(message))
    if op is not None and op.type in _NEVER:
        return None
    operation = op or around
    who = _caller(op) or _caller(around) or run_errors.written(_PRIMITIVES.get(operation.type, '') if operation else '')
    operands = [] if op is None else [describe(x) for x in op.inputs if x.op.type not in ('Const', 'NoOp')]
    name = names[0].rsplit('/', 1)[-1] if op is None else op.name
    return _of_both(run_errors.put(error, who, name, run, operands))


def _of_both(error: ArgumentError) -> ArgumentError:
    """The error, which is one of TensorFlow, too: programs look for that."""
    kind = _KINDS.get(type(error))
    if kind is None:

        def make(self: Any, message: str) -> None:
            tf.errors.InvalidArgumentError.__init__(self, None, None, message)

        parents = type(error), tf.errors.InvalidArgumentError
        kind = _KINDS[type(error)] = type(type(error).__name__, parents, {'__init__': make})
    instance: ArgumentError = kind(str(error))
    instance.function = error.function
    return instance


# Classes of ours -> those that are TensorFlow's as well.
_KINDS: Dict[type, Any] = {}


def _operation(graph: Any, name: str, functions: List[str]) -> Tuple[Any, Any]:
    """The operation of a name, and the loop or choice around it in `graph`; None for what is not found."""
    segments = name.split('/')
    for function in functions:
        match = _INSIDE.match(function)
        around = None if match is None else _named(graph, match.group(1))
        if around is not None:
            return _inside(around, segments[-1]), around
    if functions:
        return None, None
    if segments[0] == 'keras_backend_cut':
        segments = segments[1:]
    for length in range(len(segments), 0, -1):
        around = _named(graph, '/'.join(segments[:length]))
        if around is not None:
            return (around, None) if length == len(segments) else (_inside(around, segments[-1]), around)
    return None, None


def _named(graph: Any, name: str) -> Any:
    try:
        return graph.get_operation_by_name(name)
    except (KeyError, ValueError):  # no such operation, or a name that can be none
        return None


def _inside(around: Any, name: str) -> Any:
    """The operation of a name in a loop, None where that cannot be told."""
    graph = getattr(around, '_body_graph', None)
    return None if graph is None else _named(graph, name)


def _caller(op: Any) -> Optional[str]:
    """The K function that was being called when an operation was made."""
    if op is None:
        return None
    signed = [
        (x.op._id, *x._keras_backend_made_by)
        for other in op.graph.get_operations()
        if other._id >= op._id
        for x in other.outputs
        if '_keras_backend_made_by' in vars(x)
    ]
    return run_errors.caller(op._id, signed)


def _ahead() -> int:
    """How much larger the number of the last operation is than the version of its graph."""
    with tf.Graph().as_default() as graph:
        number: int = tf.no_op()._id - graph.version
    return number


_AHEAD = _ahead()


def clock() -> int:
    """See `library.Signing`."""
    number: int = tf.get_default_graph().version + _AHEAD
    return number


def sign(made: Any, started: int, name: str) -> None:
    """See `library.Signing`."""
    for x in made if made.__class__ in (list, tuple) else (made,):
        if isinstance(x, tf.Tensor) and x.op._id > started and '_keras_backend_made_by' not in vars(x):
            x._keras_backend_made_by = started, name


def sign_copy(x: Any, copy: Any, numbers: List[int], copies: List[int]) -> None:
    """Sign a copy as `x` is signed.

    numbers: of the operations that are copied, rising. copies: the numbers of their copies so far.
    """
    signed = vars(x).get('_keras_backend_made_by')
    if signed is not None:
        started, name = signed
        copy._keras_backend_made_by = min(copies[bisect_right(numbers, started) :]) - 1, name
