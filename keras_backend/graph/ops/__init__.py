"""The primitives of the K graph: for each its rule for shape and dtype and its gradient.

A rule takes the inputs (tensors) and attributes of a call and returns `(dims, dtype)`; unknown sizes it passes on, or
says None for. A gradient rule takes `(F, node, g)`: the recorders of all primitives, the node, and the gradient of its
value; it returns one gradient, or None, per input. Both are written once and serve every engine on the K graph.
"""

OPS = {}


class Op:
    """A primitive.

    infer:      rule for (dims, dtype)
    gradient:   rule in K, None where the derivative is zero or does not exist
    pure:       same inputs, same value: may move out of loops and be shared
    foldable:   host values pass through it (see `known_values`)
    sparse:     takes sparse tensors
    sizes:      names of the parameters that are shapes or sizes
    """

    def __init__(self, name, infer, pure, foldable, sparse, sizes):
        self.name, self.infer, self.pure, self.foldable = name, infer, pure, foldable
        self.sparse, self.sizes = sparse, frozenset(sizes)
        self.parameters = infer.__code__.co_varnames[: infer.__code__.co_argcount]
        self.gradient = None

    def __repr__(self):
        return f'Op({self.name})'


def op(pure=True, foldable=False, sparse=False, sizes=()):
    """Declare a primitive by its rule; `@rule.gradient` declares its gradient."""

    def declare(infer):
        name = infer.__name__.rstrip('_')
        made = OPS[name] = Op(name, infer, pure, foldable, sparse, sizes)

        def gradient(rule):
            made.gradient = rule
            return rule

        infer.gradient = gradient
        return infer

    return declare


def gradient_of(*names):
    """Declare one gradient rule for several primitives."""

    def declare(rule):
        for name in names:
            OPS[name].gradient = rule
        return rule

    return declare


from . import control, ctc, elementwise, indexing, linalg, random, reduction, shape, spatial  # noqa: E402,F401
