"""Where a run of Theano has failed, and the error of ours that says so.

Theano rewrites the graph of K before it runs it, and the names are lost. So after a failure the graph of K is run
in Python, operation by operation, until one fails. No variable changes meanwhile.
"""

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence

import numpy as np

from ....basics import run_errors
from ....errors import KerasBackendError, ShapeError
from ....graph.run.interpreter import steps
from ..vendor import Constant, SharedVariable, Variable, io_toposort, is_loop

# Primitives of K, by the class of an operation of Theano.
_NAMES = (
    'Add=add Sub=sub Mul=mul TrueDiv=div IntDiv=floordiv Mod=mod LT=less LE=less_equal GT=greater GE=greater_equal '
    'Dot=tensordot Join=concatenate Reshape=reshape Subtensor=getitem AdvancedSubtensor=getitem '
    'AdvancedSubtensor1=gather'
)
_PRIMITIVES: Dict[str, str] = dict([pair.split('=') for pair in _NAMES.split()])
# Whose operations K makes tensors of.
_LIBRARIES = 'theano', 'pytensor', __name__.partition('.')[0]
# The message of Theano 1.0.5 for a loop of no steps. PyTensor runs it, and fails where its last step is taken.
_NO_STEPS = 'scan do 0 iteration'


class _Failed(NamedTuple):
    """An operation that could not be computed, what it raised, and the arrays that it was computed of."""

    node: Any
    error: Exception
    arrays: List[Any]


def of_run(error: Exception, function: Any, fed: Sequence[Any]) -> Optional[Exception]:
    """The error of ours for one that came out of a run, None where it stays as it is."""
    if run_errors.is_of_memory(error):
        return run_errors.out_of_memory(error, 'K.function', '', function.name)
    no_steps = _NO_STEPS in str(error)
    if not (no_steps or isinstance(error, KerasBackendError) or run_errors.is_of_values(error)):
        return None
    outputs = list(function._fetched) + [new for _variable, new in function._pairs]
    try:
        nodes = io_toposort([x for x in function.inputs if isinstance(x, Variable)], outputs)
        failed = _first_failure(nodes, _known(function, fed))
    except Exception:  # noqa: BLE001
        # Any program may come here, and what is said of its error may not hide it.
        failed = None
    if failed is None:
        return run_errors.put(error, 'K.function', 'one of its operations', function.name, [])
    node = failed.node
    if type(node.op).__module__.partition('.')[0] not in _LIBRARIES:
        return None  # an operation that the program wrote, whose errors are its own
    if no_steps:
        read = [other for other in nodes if any([x in node.outputs for x in other.inputs]) and _is_last(other)]
        return _of_no_steps(*(read[0].outputs[0]._keras_last_of if read else ('a loop', 1)))
    if _is_last(node):
        return _of_no_steps(*node.outputs[0]._keras_last_of)
    signed = [
        (_number(x), *x.__dict__['_keras_made_by'])
        for other in nodes
        for x in other.outputs
        if '_keras_made_by' in x.__dict__
    ]
    of_k = _of_k(node, nodes)
    who = run_errors.caller(_number(node.outputs[0]), signed) or run_errors.written(_primitive(of_k.op))
    operands = [
        run_errors.described(str(x), array)
        for x, array in zip(node.inputs, failed.arrays)
        if not isinstance(x, Constant) and not is_loop(node)
    ]
    return run_errors.put(failed.error, who, str(of_k.outputs[0]), function.name, operands)


def _is_last(node: Any) -> bool:
    """Whether an operation takes what a loop has at its last step."""
    return '_keras_last_of' in node.outputs[0].__dict__


def _of_no_steps(what: str, least: int) -> ShapeError:
    try:
        steps(what, least, [0])
    except ShapeError as error:
        return error
    raise AssertionError('no steps were enough')


def _of_k(node: Any, nodes: Sequence[Any]) -> Any:
    """The operation whose result K has named, for one of those that K makes it of."""
    last = node
    while last.outputs[0].name is None and not _primitive(last.op) and not is_loop(last):
        readers = [other for other in nodes if last.outputs[0] in other.inputs]
        if not readers:
            return node
        last = readers[0]
    return last


def _known(function: Any, fed: Sequence[Any]) -> Dict[Any, List[Any]]:
    """The cells of what is known before anything runs."""
    cells = {x: [array] for x, array in zip(function.inputs, fed)}
    for x, value in function._givens:
        if isinstance(value, (Constant, SharedVariable)):
            cells[x] = _cell(value)
    return cells


def _cell(x: Any) -> List[Any]:
    return list(x.container.storage) if isinstance(x, SharedVariable) else [x.data]


def _first_failure(nodes: Sequence[Any], cells: Dict[Any, List[Any]]) -> Optional[_Failed]:
    """Run operations in their order; returns the first that fails."""
    for node in nodes:
        for x in node.inputs:
            if x not in cells:
                cells[x] = _cell(x)
        computed = {x: [True] for x in node.inputs}
        for x in node.outputs:
            cells[x], computed[x] = [None], [False]
        arrays = [cells[x][0] for x in node.inputs]
        try:
            with np.errstate(all='ignore'):
                node.op.make_thunk(node, cells, computed, no_recycling=[], impl='py')()
        except Exception as error:  # noqa: BLE001 - of any operation: it is the one that is looked for
            return _Failed(node, error, arrays)
    return None


def _number(x: Any) -> int:
    """The number that Theano gave a variable when it was made."""
    return int(x.auto_name.rpartition('_')[2])


def _primitive(op: Any) -> str:
    known: Optional[str] = getattr(op, 'primitive', None)
    return known or _PRIMITIVES.get(type(getattr(op, 'scalar_op', op)).__name__, '')


def clock() -> int:
    """See `library.Signing`."""
    number: int = next(Variable.__count__)
    return number


def sign(made: Any, started: int, name: str) -> None:
    """See `library.Signing`."""
    for x in _variables(made):
        if '_keras_made_by' not in x.__dict__ and _number(x) > started:
            x._keras_made_by = started, name


def _variables(made: Any) -> Iterator[Any]:
    for x in made if made.__class__ in (list, tuple) else (made,):
        if isinstance(x, Variable) and x.owner is not None:
            yield x
