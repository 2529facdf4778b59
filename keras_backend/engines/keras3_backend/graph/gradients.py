"""`K.gradients`: a layer that evaluates the part of the graph between tensors once more and differentiates it."""

from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from ....contract.kinds import shown
from ....errors import ArgumentTypeError, ArgumentValueError
from ..tensors.operations import OwnLayer, registered
from ..vendor import BACKEND, KerasVariable, Scope, in_symbolic_scope, is_symbolic, keras, state_mapping
from .functional_graph import Part, models_around, run, variables_of, walk

Values = List[Any]
# A function of a list of tensors whose value is differentiated.
Differentiable = Callable[[Values], Any]


def inner_scope(extra: Iterable[Tuple[Any, Any]] = ()) -> Any:
    """A scope in which variables have their present values, those in `extra` excepted, and what is written is dropped.

    An empty scope would hide the one around it, in which `fit` holds the weights: gradients by them would be zeros.
    """
    scope = Scope()
    scope.state_mapping = state_mapping()
    scope.state_mapping.update({id(v): x for v, x in extra})
    return scope


def differentiated(f: Differentiable, xs: Sequence[Any], variables: Sequence[Any]) -> Tuple[Values, Values]:
    """The gradients of the sum of `f(xs)` by tensors and by variables that it reads, as the library of Keras has them.

    They can be differentiated again. Of what `f` does not depend on they are zeros.
    """
    if BACKEND == 'jax':
        return _by_jax(f, xs, variables)
    if BACKEND == 'tensorflow':
        return _by_tensorflow(f, xs, variables)
    return _by_torch(f, xs, variables)


def _by_jax(f: Differentiable, xs: Sequence[Any], variables: Sequence[Any]) -> Tuple[Values, Values]:
    import jax

    def total(xs: Values, values: Values) -> Any:
        with inner_scope(zip(variables, values)):
            return keras.ops.sum(f(xs))

    of_tensors, of_variables = jax.grad(total, argnums=(0, 1))(list(xs), [v.value for v in variables])
    return of_tensors, of_variables


def _by_tensorflow(f: Differentiable, xs: Sequence[Any], variables: Sequence[Any]) -> Tuple[Values, Values]:
    import tensorflow as tf

    # By a value of its own: a tensor that is used elsewhere, too, would be differentiated there as well.
    xs = [tf.identity(x) for x in xs]
    values = [tf.identity(v.value) for v in variables]
    with tf.GradientTape() as tape, inner_scope(zip(variables, values)):
        tape.watch([*xs, *values])
        y = keras.ops.sum(f(list(xs)))
    slopes = tape.gradient(y, [*xs, *values], unconnected_gradients='zero')
    slopes = [tf.convert_to_tensor(g) for g in slopes]  # of a lookup it has only the rows that were read
    return slopes[: len(xs)], slopes[len(xs) :]


def _by_torch(f: Differentiable, xs: Sequence[Any], variables: Sequence[Any]) -> Tuple[Values, Values]:
    import torch

    def source(x: Any) -> Any:
        # A node of its own: a tensor that is used elsewhere, too, would be differentiated there as well.
        return (x if x.requires_grad else x.detach().requires_grad_()).view_as(x)

    with torch.enable_grad():  # `predict` and K.function run without
        xs, values = [source(x) for x in xs], [source(v.value) for v in variables]
        with inner_scope(zip(variables, values)):
            y = keras.ops.sum(f(list(xs)))
        sources = [*xs, *values]
        slopes: Sequence[Any] = [None] * len(sources)
        if y.requires_grad and sources:
            slopes = torch.autograd.grad(y, sources, create_graph=True, allow_unused=True)
    # A gradient of zeros may be a tensor without memory, which nothing can read.
    slopes = [torch.zeros_like(s) if g is None or g._is_zerotensor() else g for g, s in zip(slopes, sources)]
    return list(slopes[: len(xs)]), list(slopes[len(xs) :])


@registered
class Gradients(OwnLayer):
    """Computes the gradients of one tensor of a graph by others and by variables.

    Its inputs are the tensors to differentiate by, what else the part of the graph between reads, and the loss. The
    value of the loss is not used: through it, all layers of that part belong to a model made of the gradient.
    """

    def __init__(self, loss: Any, tensors: Sequence[Any], variables: Sequence[Any]) -> None:
        super().__init__()
        ids = {id(t) for t in tensors}
        # Those that depend on another one, or on a variable: the graph is not cut there, or the other one would have a
        # gradient of zeros.
        others = ids | {id(v) for v in variables}
        inner = set()
        for t in tensors:
            behind = walk([t], ids - {id(t)})
            if any([id(x) in others for x in [*behind.leaves, *behind.variables] if x is not t]):
                inner.add(id(t))
        subgraph = walk([loss], ids - inner)
        rest = [t for t in subgraph.leaves if id(t) not in ids]
        # Where Keras does not look: the layers of the subgraph belong to the model, not to this layer.
        self.__dict__['graph'] = _Graph(loss, list(tensors), list(variables), subgraph, rest, inner)

    def call(self, *tensors: Any, training: Optional[bool] = None) -> Values:
        loss, by, variables, subgraph, rest, inner = self.graph
        others = dict(zip(map(id, rest), tensors[len(by) : -1]))

        def f(xs: Values) -> Any:
            values: Dict[int, Any] = dict(others)
            values.update({id(t): x for t, x in zip(by, xs) if id(t) not in inner})
            run(subgraph.nodes, values, training, {id(t): x for t, x in zip(by, xs) if id(t) in inner}, again=True)
            return values[id(loss)]

        xs = [keras.ops.zeros_like(x) if id(t) in inner else x for t, x in zip(by, tensors)]
        of_tensors, of_variables = differentiated(f, xs, variables)
        return [*of_tensors, *of_variables]

    def compute_output_spec(self, *tensors: Any, training: Optional[bool] = None) -> Values:
        return [keras.KerasTensor(t.shape, t.dtype) for t in [*self.graph.by, *self.graph.variables]]

    def symbolic(self) -> Values:
        """The gradients as KerasTensors."""
        slopes: Values = self(*self.graph.by, *self.graph.rest, self.graph.loss)
        return slopes

    def get_config(self) -> Dict[str, Any]:
        raise ArgumentValueError(
            'K.gradients: a model that holds a gradient cannot be saved, since its layers would be saved twice; use '
            'model.save_weights, or save the model without the gradient.'
        )


class _Graph:
    """The data of a layer of gradients: tensors, variables, and a part of the graph."""

    def __init__(
        self, loss: Any, by: Values, variables: Values, part: Part, rest: Values, inner: Iterable[int]
    ) -> None:
        self.loss, self.by, self.variables, self.part, self.rest, self.inner = loss, by, variables, part, rest, inner

    def __iter__(self) -> Any:
        return iter((self.loss, self.by, self.variables, self.part, self.rest, self.inner))


def gradients(loss: Any, tensors: Sequence[Any]) -> List[Any]:
    """The gradients of `loss` by `tensors`, in their order; None of what the loss does not depend on.

    `loss` is a KerasTensor, a computed tensor, or a function of `tensors` that returns either.
    """
    if callable(loss) and not is_symbolic(loss) and not keras.ops.is_tensor(loss):
        if any(is_symbolic(t) for t in tensors):
            return gradients(loss(*tensors), tensors)
        return _of_function(loss, tensors)
    if not is_symbolic(loss):
        loss = loss.value if isinstance(loss, KerasVariable) else loss
        for t in tensors:
            if is_symbolic(t):
                raise ArgumentTypeError(
                    f'K.gradients: loss is a computed tensor and {t.name} a KerasTensor, which has no value here; make '
                    'the loss of KerasTensors as well, and the gradient an output of the model.'
                )
        return _looking_back(loss, tensors)
    nodes = walk([loss]).nodes
    ids, read = _on_the_way(loss, nodes)
    by: Dict[int, Any] = {}
    variables: Dict[int, Any] = {}
    for t in tensors:
        if isinstance(t, KerasVariable):
            if id(t) in read and _is_float(t):
                variables[id(t)] = t
        elif not is_symbolic(t):
            raise ArgumentTypeError(
                f'K.gradients: variables has to hold KerasTensors or variables, as the loss is a KerasTensor; '
                f'got {shown(t)}.'
            )
        elif id(t) in ids:
            if _is_float(t):
                by[id(t)] = t
        else:
            _refuse_inner(t, nodes)
    if not by and not variables:
        return [None] * len(tensors)
    slopes = Gradients(loss, list(by.values()), list(variables.values())).symbolic()
    results = dict(zip([*by, *variables], slopes))
    return [results.get(id(t)) for t in tensors]


def _on_the_way(loss: Any, nodes: Sequence[Any]) -> Tuple[Set[int], Set[int]]:
    """The ids of the tensors and variables to which a gradient goes: not beyond a K.stop_gradient, as in TensorFlow."""
    ids, read = {id(loss)}, set()
    for node in reversed(nodes):
        if type(node.operation).__name__ != 'StopGradient' and any([id(t) in ids for t in node.outputs]):
            ids.update([id(t) for t in node.input_tensors])
            read.update([id(v) for v in variables_of([node])])
    return ids, read


def _is_float(x: Any) -> bool:
    return 'float' in keras.backend.standardize_dtype(x.dtype)


def _refuse_inner(t: Any, nodes: Iterable[Any]) -> None:
    """Refuse a tensor of the graph of a model that the loss uses as one layer."""
    around = models_around(t, nodes)
    if around:
        base = around[0].name
        raise ArgumentValueError(
            f'K.gradients: {t.name} is inside of the model {base!r}, which has a graph of its own that begins with the '
            f'inputs of {base!r}; take the gradient of what is built from {base}.inputs and {base}.output.'
        )


def _of_function(function: Callable[..., Any], tensors: Sequence[Any]) -> List[Any]:
    """The gradients of a function of computed tensors and variables."""
    positions = [i for i, t in enumerate(tensors) if not isinstance(t, KerasVariable)]
    variables = [t for t in tensors if isinstance(t, KerasVariable)]

    def f(xs: Values) -> Any:
        arguments = list(tensors)
        for i, x in zip(positions, xs):
            arguments[i] = x
        return function(*arguments)

    xs = [keras.ops.convert_to_tensor(tensors[i]) for i in positions]
    of_tensors, of_variables = differentiated(f, xs, variables)
    rest, others = iter(of_tensors), iter(of_variables)
    return [next(others if isinstance(t, KerasVariable) else rest) for t in tensors]


def _looking_back(loss: Any, tensors: Sequence[Any]) -> List[Any]:
    """The gradients of a computed tensor, where the library of Keras remembers how it was computed."""
    values = [t.value if isinstance(t, KerasVariable) else t for t in tensors]
    if BACKEND == 'tensorflow':
        import tensorflow as tf

        if not tf.executing_eagerly():
            return [None if g is None else tf.convert_to_tensor(g) for g in tf.gradients(loss, values)]
    elif BACKEND == 'torch':
        import torch

        if in_symbolic_scope():  # shapes alone are asked for
            return [torch.zeros_like(x) for x in values]
        if torch.is_grad_enabled() and loss.requires_grad and all(x.requires_grad for x in values):
            return list(torch.autograd.grad(loss.sum(), values, create_graph=True, allow_unused=True))
    raise ArgumentValueError(
        f'K.gradients: these tensors are computed values, and {BACKEND} keeps no graph behind them here; pass a '
        'function, K.gradients(lambda x: critic(x), x), or take the gradient of KerasTensors and make it an output of '
        'the model.'
    )
