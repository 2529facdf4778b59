"""The graph of the functional API: which nodes a tensor needs, in order, and their evaluation with given values."""

from typing import Any, Collection, Container, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence

from ....errors import ScopeError
from ..state.draws import drawing
from ..tensors.sizes import SizeTensor
from ..vendor import KerasVariable, is_symbolic, kept_phase, keras, node_of, takes_training

Ids = Collection[int]
# The attribute of a KerasTensor that belongs to no step and no branch, wherever its node was made.
FROM_OUTSIDE = '_k_from_outside'
# The attribute of an operation of Keras with the function that takes its place where K runs the graph.
IN_A_RUN = '_k_in_a_run'
# The attribute of a tensor that stands for an element or a state inside of a step.
INSIDE = '_k_inside'


class Part(NamedTuple):
    """A part of a graph.

    `nodes` in an order of evaluation, the tensors `leaves` that they begin with, and the `variables` that they read.
    """

    nodes: List[Any]
    leaves: List[Any]
    variables: List[Any]


def walk(outputs: Iterable[Any], stop: Ids = ()) -> Part:
    """The part of the graph from `outputs` back to the tensors whose ids are in `stop`."""
    seen, nodes = set(), []
    leaves: Dict[int, Any] = {}
    stack = [(t, False) for t in outputs]
    while stack:
        t, done = stack.pop()
        node = node_of(t)
        if id(t) in stop or node is None:
            leaves[id(t)] = t
        elif done:
            nodes.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((t, True))
            stack += [(i, False) for i in reversed(node.input_tensors)]
    return Part(nodes, list(leaves.values()), variables_of(nodes))


def refuse_inside(tensors: Iterable[Any]) -> None:
    """Refuse tensors of the inside of a step where they are needed outside."""
    for x in tensors:
        if any([INSIDE in vars(leaf) for leaf in walk([x]).leaves]):
            raise ScopeError(
                f'{x.name} belongs to the inside of a step function and cannot be used outside; return it from there.'
            )


def variables_of(nodes: Iterable[Any]) -> List[Any]:
    """The variables of the layers of `nodes`, seeds included, and those among the arguments of their calls."""
    variables: Dict[int, Any] = {}
    for node in nodes:
        for v in variables_read(node):
            variables[id(v)] = v
    return list(variables.values())


def variables_read(node: Any) -> List[Any]:
    """The variables of one node."""
    storable_dtype = list(node.operation.variables) if isinstance(node.operation, keras.layers.Layer) else []
    arguments = keras.tree.flatten((node.arguments.args, node.arguments.kwargs))
    return storable_dtype + [a for a in arguments if isinstance(a, KerasVariable)]


def run(
    nodes: Iterable[Any],
    values: Dict[int, Any],
    training: Optional[bool],
    deltas: Mapping[int, Any],
    again: bool = False,
) -> None:
    """Evaluate `nodes` in order; `values` has values of tensors by their ids, and gets those of all others.

    `training` is the learning phase, None for what each call of a layer says itself. `deltas` are added to the tensors
    whose ids they have, as soon as these are computed. `again` says that the run has evaluated them before.
    """
    for node in nodes:
        args, kwargs = node.arguments.fill_in(values)
        if training is not None and takes_training(node.operation):
            # Also where the call names it: Keras writes down a default as if it had been given.
            own = kept_phase(node)
            kwargs = {**kwargs, 'training': training if own is None else own}
        with drawing(node, again):
            checked = vars(node.operation).get(IN_A_RUN)
            result = checked(*args) if checked else node.operation(*args, **kwargs)
        # The single result may be a tuple itself: sizes that JAX does not know yet.
        alone = len(node.outputs) == 1 and not (isinstance(result, (list, tuple, dict)) and len(result) == 1)
        for t, value in zip(node.outputs, [result] if alone else keras.tree.flatten(result)):
            if id(t) not in values:  # one of several outputs may be a tensor that is given
                values[id(t)] = value + deltas[id(t)] if id(t) in deltas else value


def reached(outputs: Iterable[Any]) -> Dict[int, Any]:
    """All tensors that `outputs` depend on, themselves included, by their ids."""
    outputs = list(outputs)
    tensors = {id(t): t for t in outputs}
    for node in walk(outputs).nodes:
        tensors.update((id(t), t) for t in node.input_tensors)
    return tensors


def _draws(node: Any) -> bool:
    return hasattr(node.operation, 'seed_generator')


def _from_outside(node: Any) -> bool:
    return hasattr(node.outputs[0], FROM_OUTSIDE)


def hoisted(outputs: Sequence[Any], changing: Ids) -> List[Any]:
    """The tensors that the part of the graph above the tensors `changing` reads and that do not depend on them."""
    depends = set(changing)
    nodes = walk(outputs, changing).nodes
    for node in nodes:
        # An operation that draws random numbers draws new ones in each step.
        if (_draws(node) and not _from_outside(node)) or any(id(t) in depends for t in node.input_tensors):
            depends.update(id(t) for t in node.outputs)
    read = [t for node in nodes if any(id(o) in depends for o in node.outputs) for t in node.input_tensors]
    return border([t for t in [*read, *outputs] if id(t) not in depends])


def border(outputs: Sequence[Any], part: Container[Any] = ()) -> List[Any]:
    """The tensors that a part of the graph reads and that are not made in it, for what is needed for `outputs`.

    A size is worked out anew in each part, from the tensor that has it: as an input of the part it would be no number.
    """
    inputs: Dict[int, Any] = {}
    stack, seen = list(outputs), set()
    while stack:
        t = stack.pop()
        if id(t) in seen:
            continue
        seen.add(id(t))
        node = node_of(t)
        if node is None:
            inputs[id(t)] = t
        elif isinstance(t, SizeTensor) or (t in part and not (_draws(node) and _from_outside(node))):
            stack += node.input_tensors
        else:
            inputs[id(t)] = t
    return list(inputs.values())


def models_around(t: Any, nodes: Iterable[Any]) -> List[Any]:
    """The models among the operations of `nodes`, however deep, whose own graph has the tensor `t`."""
    models = []
    for node in nodes:
        if isinstance(node.operation, keras.Model) and getattr(node.operation, 'outputs', None):
            inner = keras.tree.flatten(node.operation.outputs)
            if any(is_symbolic(o) for o in inner) and id(t) in reached(inner):
                models.append(node.operation)
            models += models_around(t, walk(inner).nodes)
    return models
