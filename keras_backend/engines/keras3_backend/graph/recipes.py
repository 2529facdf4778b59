"""How K has made tensors of variables and constants alone, and parts of a graph as models.

Such a tensor has its value at once. Its recipe says which function of K made it, and of what. `symbol` makes nodes of
the functional API from it, which read the variables in every run. Then it is for K.function, K.gradients and models
what a tensor made of placeholders is.
"""

import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ..state.draws import Draws, Seeds
from ..state.updates import LOCK, at_the_top, running
from ..state.variable import ReadVariable, read, value_now
from ..tensors.operations import Alike, as_k_tensor, correct_sparse, registered
from ..tensors.valued import Valued, is_constant, plain, valued
from ..vendor import BACKEND, COMPUTED, KerasVariable, Scope, call_context, is_symbolic, keras, node_of
from .functional_graph import FROM_OUTSIDE, reached, run, variables_of, walk
from .gradients import Gradients

# -- parts of a graph as models ----------------------------------------------------------------------------------------
# Parts of a graph as models that a layer holds: the step of a loop, the branch of a choice.


class _Recorded(threading.local):
    """What this thread knows of each step and branch that it records, the innermost last."""

    def __init__(self) -> None:
        # A tensor of the step: what a step makes of nothing is new in every step.
        self.steps: List[Any] = []
        # A tensor from before the step.
        self.outside: List[Any] = []
        # A tensor of the step or the branch: what reads variables there is made beside it.
        self.inside: List[Any] = []


RECORDED = _Recorded()


@registered
class Given(keras.Operation):
    """A value that depends on nothing, as a tensor of the graph that `anchor` belongs to."""

    def call(self, value: Any, anchor: Any) -> Any:
        return keras.ops.convert_to_tensor(value)

    def compute_output_spec(self, value: Any, anchor: Any) -> Any:
        return keras.KerasTensor(value.shape, keras.backend.standardize_dtype(value.dtype))


@registered
class Same(Alike):
    """The tensor itself, as another node: what a model returns may be one of its inputs, or the same tensor twice."""

    def call(self, x: Any) -> Any:
        # A size is a number until it leaves the model.
        return x if keras.ops.is_tensor(x) else keras.ops.convert_to_tensor(x)


@registered
class Beside(Alike):
    """The first tensor. The others are inputs of a model that nothing reads, which Keras 3.11 refuses."""

    def call(self, x: Any, *others: Any) -> Any:
        return x


def model_from(inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
    """A model between tensors of a graph, of which the inputs may be made by others."""
    for t in inputs:
        correct_sparse(t)
    outputs = list(outputs)
    dependencies = reached(outputs)
    unread = [t for t in inputs if id(t) not in dependencies]
    if unread:
        outputs[0] = Beside()(outputs[0], *unread)
    return keras.Model(list(inputs), outputs)


def as_model(given: Any) -> Any:
    """A model, or what a configuration holds of it."""
    return given if isinstance(given, keras.Model) else keras.saving.deserialize_keras_object(given)


def results_of(model: Any, inputs: Sequence[Any], training: Optional[bool]) -> List[Any]:
    """The results of a model for a list of tensors, as a list. Keras gives a single result without a list."""
    results = model(list(inputs), training=training)
    return list(results) if isinstance(results, (list, tuple)) else [results]


Function = Callable[..., Any]
# So long may a chain of recipes be. A program that adds up for ever would keep all of it in memory.
LONGEST = 3000
# The attribute of a KerasTensor that a graph begins with: ids of tensors of `symbol` -> (they, the same of this graph).
_COPIES = '_k_copies'

_NOTHING: List[Any] = []


def nothing() -> Any:
    """The tensor that the nodes of `symbol` begin with. It has no value that anything needs."""
    # Made when it is needed: Keras notes its dtype policy for good with the first Input.
    if not _NOTHING:
        with LOCK:
            if not _NOTHING:
                _NOTHING.append(keras.Input(batch_shape=(), name='nothing'))
    return _NOTHING[0]


class _State(threading.local):
    """Whether this thread computes what one recipe says."""

    inside = False


_STATE = _State()


class Recipe:
    """A call of a K function. Among `args` are the recipes of tensors in place of the tensors."""

    __slots__ = ('__weakref__', 'args', 'depth', 'function', 'results', 'seeds')

    def __init__(self, function: Function, args: Any, seeds: Sequence[int] = (), results: Any = None) -> None:
        self.function, self.args, self.seeds = function, args, list(seeds)
        self.depth: int = 1 + max([part.whole.depth for part in _parts(args)] or [0])
        # The results as KerasTensors, as soon as they are there.
        self.results: Optional[List[Any]] = results


class Part:
    """One result of a recipe."""

    __slots__ = ('place', 'whole')

    def __init__(self, whole: Recipe, place: int) -> None:
        self.whole, self.place = whole, place


def leaves(value: Any) -> List[Any]:
    """The tensors in lists and tuples, in order."""
    if isinstance(value, (list, tuple)):
        return [leaf for member in value for leaf in leaves(member)]
    return [value]


def _mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    if value.__class__ is list or value.__class__ is tuple:
        return value.__class__([_mapped(member, function) for member in value])
    return function(value)


def _parts(args: Any) -> List[Part]:
    return [leaf for leaf in leaves(args) if leaf.__class__ is Part]


def is_unknown(x: Any) -> bool:
    """Whether it is not known how a tensor was made."""
    if x.__class__ is Valued:
        return bool(x.changed)
    return bool(keras.ops.is_tensor(x)) and not isinstance(x, KerasVariable) and not is_constant(x)


def recording() -> bool:
    """Whether what K makes of variables is for K.function to make again."""
    return not _STATE.inside and call_context() is None and running() is None and at_the_top() and not _taped()


def _taped() -> bool:
    """Whether TensorFlow notes what is computed, for the gradient of it: its tape takes nothing but tensors."""
    if BACKEND != 'tensorflow':
        return False
    from tensorflow.python.eager import record

    return bool(record.could_possibly_record())


def computed(function: Function, args: Tuple[Any, ...]) -> Any:
    """What a K function makes of variables, constants and results of this, with recipes."""
    tensors = leaves(args)
    if any([is_unknown(x) for x in tensors]):
        return function(*plain(args))
    if any([callable(x) and not isinstance(x, (KerasVariable, Valued)) for x in tensors]):
        # Its functions are called for the record alone, as those of a loop over placeholders are.
        return _placed(_again(function, _recipes(args), Seeds()))
    seeds = Seeds()
    _STATE.inside = True
    try:
        with seeds:
            value = function(*plain(args))
    finally:
        _STATE.inside = False
    return _with(value, Recipe(function, _recipes(args), seeds.taken))


def _placed(results: Any) -> Any:
    """The values of KerasTensors that begin with `nothing()`. If one needs placeholders, all are of their graph."""
    symbols = [t for t in leaves(results) if is_symbolic(t)]
    others = [t for t in walk(symbols).leaves if t is not nothing()]
    if not others:
        return evaluated(results)
    with LOCK:
        return _mapped(results, lambda t: _copied(t, _root(others[0])) if is_symbolic(t) else t)


def _recipes(args: Any) -> Any:
    return _mapped(args, lambda x: x.recipe if x.__class__ is Valued else x)


def _with(value: Any, recipe: Recipe) -> Any:
    """The value of a recipe, which each tensor in it remembers."""
    if recipe.depth > LONGEST:
        return value
    if value.__class__ in COMPUTED:
        return valued(value, Part(recipe, 0))
    positions = iter(range(len(leaves(value))))

    def part(leaf: Any) -> Any:
        position = next(positions)
        return valued(leaf, Part(recipe, position)) if leaf.__class__ in COMPUTED else leaf

    return _mapped(value, part)


def evaluated(results: Any) -> Any:
    """The values of KerasTensors that begin with `nothing()`. Each remembers which of them it is."""
    values = {id(nothing()): keras.ops.zeros(())}
    symbols = leaves(results)
    nodes = walk([t for t in symbols if is_symbolic(t)]).nodes
    if any([isinstance(node.operation, Gradients) for node in nodes]):
        with Draws(nodes).once():
            _run_now(nodes, values)
    else:
        _run_now(nodes, values)
    return _with(_mapped(results, lambda t: values[id(t)] if is_symbolic(t) else t), Recipe(evaluated, (), (), symbols))


def _run_now(nodes: Sequence[Any], values: Dict[int, Any]) -> None:
    if BACKEND != 'jax':
        run(nodes, values, None, {})
        return
    # A loop of JAX traces its step. A variable that is read there would be taken for one that `jax.jit` has frozen.
    variables = variables_of(nodes)
    before = [v.value for v in variables]
    with Scope(state_mapping=list(zip(variables, before))) as scope:
        run(nodes, values, None, {})
    for v, old in zip(variables, before):
        new = scope.get_current_value(v)
        if new is not old:
            v.assign(new)


def _again(function: Function, args: Any, seeds: Seeds) -> Any:
    """The results of a K function for recipes and variables, as KerasTensors that begin with `nothing()`."""

    def beginning(x: Any) -> Any:
        if x.__class__ is Part:
            return _symbol(x)
        if not isinstance(x, KerasVariable):
            return x
        dtype = keras.backend.standardize_dtype(x.dtype)
        return ReadVariable(tuple(x.shape), dtype, bool(x.trainable), variable=x)(nothing())

    RECORDED.steps.append(nothing())
    RECORDED.inside.append(nothing())
    try:
        with seeds:
            return function(*_mapped(args, lambda x: as_k_tensor(beginning(x))))
    finally:
        RECORDED.steps.pop()
        RECORDED.inside.pop()
        # Keras lets each tensor remember what is made of it. This one stays when the others are forgotten.
        nothing()._keras_history.operation._outbound_nodes.clear()


def symbol(x: Any) -> Any:
    """The tensor `x` of a recipe, or a variable, as a KerasTensor that begins with `nothing()`."""
    if isinstance(x, KerasVariable):
        return _again(lambda value: value, (x,), Seeds())
    with LOCK:
        return _symbol(x.recipe)


def _symbol(part: Part) -> Any:
    """The KerasTensor of a part, made with those of all that it is made of where they are not there."""
    stack = [part.whole]
    # Not by recursion: chains are long.
    while stack:
        recipe = stack[-1]
        missing = (
            [] if recipe.results is not None else [p.whole for p in _parts(recipe.args) if p.whole.results is None]
        )
        if missing:
            stack += missing
        else:
            stack.pop()
            if recipe.results is None:
                recipe.results = leaves(_again(recipe.function, recipe.args, Seeds(recipe.seeds)))
    assert part.whole.results is not None
    return part.whole.results[part.place]


def _root(x: Any) -> Any:
    """The tensor that the graph of a KerasTensor begins with."""
    passed = []
    while True:
        known = vars(x).get('_k_root')
        node = None if known is not None else node_of(x)
        if node is None:
            break
        passed.append(x)
        x = node.input_tensors[0]
    root = x if known is None else known
    for t in passed:
        t._k_root = root
    return root


def beside(x: Any, anchor: Any) -> Any:
    """The tensor `x` of a recipe as a KerasTensor of the graph that the KerasTensor `anchor` belongs to."""
    tensor = symbol(x)
    if not is_symbolic(tensor):
        return tensor
    # A step reads what was there before the loop.
    root = _root(RECORDED.outside[0] if RECORDED.outside else anchor)
    if root is nothing():
        return tensor
    with LOCK:
        return _copied(tensor, root)


def _copied(wanted: Any, root: Any) -> Any:
    """The tensor `wanted` in the graph that begins with `root`, where its own begins with `nothing()`."""
    copies: Dict[int, Tuple[Any, Any]] = vars(root).setdefault(_COPIES, {id(nothing()): (nothing(), root)})
    for node in walk([wanted], copies).nodes:
        if not any([id(t) in copies for t in node.input_tensors]):
            continue
        if isinstance(node.operation, ReadVariable):
            copies[id(node.outputs[0])] = node.outputs[0], as_k_tensor(read(node.operation.variable, root))
            continue
        values = {id(t): copies[id(t)][1] if id(t) in copies else t for t in node.input_tensors}
        run([node], values, None, {})
        for t in node.outputs:
            copies[id(t)] = t, as_k_tensor(values[id(t)])
            setattr(values[id(t)], FROM_OUTSIDE, True)
    return copies.get(id(wanted), (None, wanted))[1]


def value_or_node(x: Any) -> Any:
    """A variable or the tensor `x` of a recipe where a value is needed: a node of what is recorded, or the value."""
    if RECORDED.inside and recording():
        return as_k_tensor(_within(x, RECORDED.inside[-1]))
    return x.plain if x.__class__ is Valued else value_now(x)


def _within(x: Any, anchor: Any) -> Any:
    if isinstance(x, KerasVariable):
        return read(x, anchor)
    return beside(x, anchor) if x.__class__ is Valued else x


def anchored(x: Any, anchor: Any) -> Any:
    """The tensor `x` as a result of a model of which `anchor` is an input."""
    x = _within(x, anchor)
    return Same()(x) if is_symbolic(x) else Given()(x, anchor)


def place_in(x: Any, losses: Sequence[Any]) -> Any:
    """The tensor `x` of a recipe as the KerasTensor that the losses depend on; None if they do not."""
    tensor = symbol(x)
    for leaf in walk([t for t in losses if is_symbolic(t)]).leaves:
        if leaf is nothing():
            return tensor
        copy = vars(leaf).get(_COPIES, {}).get(id(tensor))
        if copy is not None:
            return copy[1]
    return None
