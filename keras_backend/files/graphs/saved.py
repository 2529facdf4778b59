"""The function that a SavedModel serves, with the variables of its checkpoint: of models that are classes of a program.

The signature names tensors of the graph. In a folder of TensorFlow 2, the graph calls a function of the library, and
the objects of the model say which variables this has captured. In one of TensorFlow 1, variables are nodes of the
graph, and the checkpoint has them by their names.

Source: TensorFlow's meta_graph.proto, saved_object_graph.proto and trackable_object_graph.proto.
"""

import os
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ...errors import ArgumentTypeError, ArgumentValueError, UnreadableFileError
from ..reading import saved_model
from ..reading.limits import Budget, border, content, part
from ..reading.saved_model import GRAPH, OBJECTS, VARIABLES, Checkpoint, Message
from .definition import Node, dtype_name, graph_of, shape_of, shown
from .function import End, Inputs, Source
from .steps import Variable

SIGNATURE = 'serving_default'
_INITIAL = '__saved_model_init_op'
_OF_VALUES = '/.ATTRIBUTES/VARIABLE_VALUE'


def is_class(path: Any) -> bool:
    """Whether a path is the folder of a SavedModel without layers. Errors: UnreadableFileError, OSError."""
    if not os.path.isdir(path):
        return False
    with border(os.fspath(path)):
        return saved_model.is_without_configuration(os.fspath(path))


def saved(path: str, inputs: Inputs = None, outputs: Optional[Sequence[str]] = None) -> Source:
    """What the signature of a SavedModel computes.

    inputs, outputs: names in the signature, None for all.
    Errors: UnreadableFileError, ExcessiveFileError, OSError. ArgumentValueError, for a name that is not there.
    """
    with border(path):
        budget = Budget(path, saved_model.size(path))
        graphs = Message(content(part(path, GRAPH), budget), budget).messages(2)
        if not graphs:
            raise UnreadableFileError(f'{path} has no graph.')
        graph = graph_of(graphs[0].message(2), path)
        signature = _signature(path, {entry.text(1): entry.message(2) for entry in graphs[0].messages(5)})
        takes = {entry.text(1): entry.message(2) for entry in signature.messages(1)}
        makes = {entry.text(1): entry.message(2).text(1) for entry in signature.messages(2)}
        values = _Variables(path, budget)
        captures = values.captured(graphs[0].message(7))
    ends = {
        name: End(info.text(1), dtype_name(info.number(2)), shape_of(info.message(3))) for name, info in takes.items()
    }
    chosen = _chosen(path, list(ends), inputs)
    if set(chosen) != set(ends):
        raise ArgumentValueError(f'{path} takes {", ".join(map(shown, ends))}, and inputs= has {", ".join(chosen)}.')
    names = _chosen(path, sorted(makes), outputs)
    ends, results = {name: ends[name] for name in chosen}, {name: makes[name] for name in names}
    return Source(path, graph, budget, ends, results, values.of_node, captures)


def _signature(path: str, signatures: Dict[str, Message]) -> Message:
    names = [name for name in signatures if name != _INITIAL and signatures[name].messages(2)]
    if not names:
        raise UnreadableFileError(
            f'{path} is a SavedModel without a signature: its model was never called, or saved without one. Save it '
            'again after model.predict(x).'
        )
    return signatures[SIGNATURE if SIGNATURE in names else names[0]]


def _chosen(path: str, names: List[str], given: Any) -> List[str]:
    if given is None:
        return names
    if isinstance(given, str) or not all([isinstance(name, str) for name in given]):
        raise ArgumentTypeError(f'{path} takes and makes tensors by their names; give such as {names[:3]} in a list.')
    missing = [name for name in given if name not in names]
    if missing:
        raise ArgumentValueError(f'{path} has no {shown(missing[0])}, but {", ".join(map(shown, names))}.')
    return list(given)


class _Variables:
    """The variables of a folder, read when they are needed."""

    def __init__(self, path: str, budget: Budget) -> None:
        self._path, self._budget = path, budget
        self._opened: Optional[Checkpoint] = None
        self._read: Dict[str, Variable] = {}

    def of_node(self, node: Node) -> Variable:
        """The variable that a node is. Those of TensorFlow 2 have no name in the checkpoint, and are captured."""
        name = node.text('shared_name') or node.name
        if self._has_checkpoint():
            for key in (name, node.name):
                if key in self._checkpoint().entries:
                    return self._of_key(key)
        return Variable(name, None)

    def captured(self, objects: Message) -> Dict[str, List[Any]]:
        """The variables that functions have captured, by the names of functions. None is something else."""
        nodes = objects.messages(1)
        children = [{child.text(2): child.number(1) for child in node.messages(1)} for node in nodes]
        functions = {entry.text(1): entry.message(2).integers(2) for entry in objects.messages(2)}
        if not functions or not self._has_checkpoint():
            return {}
        keys = self._keys(children)
        variables = {number for number, node in enumerate(nodes) if node.contents(7)}
        return {
            name: [keys[number] if number in variables and number in keys else None for number in bound]
            for name, bound in functions.items()
        }

    def _keys(self, children: List[Dict[str, int]]) -> Dict[int, Any]:
        """Objects of the folder -> what reads their variable, by a walk through them and those of the checkpoint."""
        stored = self._checkpoint()
        parts, names = saved_model.objects(stored.text(OBJECTS), self._budget)
        keys: Dict[int, Any] = {}
        ways: List[Tuple[int, int]] = [(0, 0)]
        met = set(ways)
        while ways:
            number, other = ways.pop()
            if other in names:
                keys.setdefault(number, self._of_key(names[other]))
            own = children[number] if 0 <= number < len(children) else {}
            for name, child in own.items():
                way = child, parts.get(other, {}).get(name, -1)
                if way[1] >= 0 and way not in met:
                    self._budget.spend('steps', 1)
                    met.add(way)
                    ways.append(way)
        return keys

    def _has_checkpoint(self) -> bool:
        return os.path.exists(part(self._path, f'{VARIABLES}.index'))

    def _checkpoint(self) -> Checkpoint:
        if self._opened is None:
            self._opened = Checkpoint(self._path, VARIABLES, self._budget)
        return self._opened

    def _of_key(self, key: str) -> Variable:
        if key not in self._read:
            name = key[: -len(_OF_VALUES)] if key.endswith(_OF_VALUES) else key
            self._read[key] = Variable(name, lambda: self._checkpoint().array(key))
        return self._read[key]
