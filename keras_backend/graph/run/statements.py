"""The statements of a program, as data: its form between its graph and the code of a library (see `lowering`).

A statement reads values and makes values, which are known by their names. A block is a list of statements. A loop and
a choice hold blocks. `settle` of the lowering works out when a value is read for the last time, and which array can
hold which result.
"""

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, Union

if TYPE_CHECKING:
    from ..nodes.tensor import Cond, Node, Scan, Tensor, Variable
    from .kernels import Kernel

Name = str
Place = Tuple[Name, int]  # a value and one of its axes
Entry = Union[int, Place]  # a size that is known, or where it is read


class Block:
    """Statements in the order in which they run.

    kept: names of values made here that are read after its last statement.
    """

    __slots__ = ('kept', 'statements')

    def __init__(self) -> None:
        self.statements: List[Statement] = []
        self.kept: Set[Name] = set()

    def made(self) -> Set[Name]:
        """Names of the values that the block makes."""
        return {name for statement in self.statements for name in statement.makes}


class Statement:
    """Something that runs.

    reads:  names of values that come from outside of it
    makes:  names of the values that it leaves
    ends:   names of values that nothing reads after it (of `settle`)
    """

    __slots__ = ('ends', 'makes', 'reads')

    def __init__(self, reads: Set[Name], makes: Sequence[Name]) -> None:
        self.reads, self.makes = reads, makes
        self.ends: List[Name] = []

    @property
    def blocks(self) -> 'Sequence[Block]':
        """The blocks that run inside of it."""
        return ()

    def handed_on(self) -> Set[Name]:
        """Names of the values made inside of it that it reads once a block of it has run."""
        return set()


class Compute(Statement):
    """A primitive.

    node:       what it computes
    arguments:  names of the arrays that the kernel takes
    kernel:     the function that computes it, where an engine chooses one of its own; others may hold its result
    out:        the argument whose array can hold the result (of `settle`)
    by_rows:    whether only the changed rows of the result are wanted (of `settle`)
    """

    __slots__ = ('arguments', 'by_rows', 'kernel', 'node', 'out')

    def __init__(self, node: 'Node', name: Name, arguments: List[Name]) -> None:
        super().__init__(set(arguments), (name,))
        self.node, self.arguments = node, arguments
        self.kernel: Optional[Kernel] = None
        self.out: Optional[Name] = None
        self.by_rows = False


class Call(Statement):
    """A call of a function that an engine has made for several nodes. It makes arrays of its own."""

    __slots__ = ('arguments', 'function')

    def __init__(self, function: Callable[[Sequence[Any]], List[Any]], arguments: List[Name], makes: Sequence[Name]):
        super().__init__(set(arguments), makes)
        self.function, self.arguments = function, arguments


class Convert(Statement):
    """A value in another form, which `function` makes and which may share its memory."""

    __slots__ = ('function',)

    def __init__(self, function: Callable[[Any], Any], name: Name, converted: Name) -> None:
        super().__init__({name}, (converted,))
        self.function = function


class Sizes(Statement):
    """Sizes that are read off other values: `function` makes an array of a tuple of ints."""

    __slots__ = ('entries', 'function')

    def __init__(self, function: Callable[[Tuple[int, ...]], Any], entries: Sequence[Entry], name: Name) -> None:
        super().__init__({entry[0] for entry in entries if isinstance(entry, tuple)}, (name,))
        self.function, self.entries = function, entries


class Stack(Statement):
    """The list that a loop collected, as one array.

    tail: the shape of a step: ints and names of sizes.
    """

    __slots__ = ('node', 'steps', 'tail')

    def __init__(self, node: 'Node', name: Name, steps: Name, tail: Sequence[Union[int, Name]]) -> None:
        super().__init__({steps} | {size for size in tail if isinstance(size, str)}, (name,))
        self.node, self.steps, self.tail = node, steps, tail


class Loop(Statement):
    """A scan.

    elements:   of each sequence that is read: its name, whether it is a list, and the name of the element
    lengths:    names of lists and arrays whose lengths have to be equal, and ints, if this is not known
    sizes:      {name: where this size is read before the loop}
    states:     of each state: the names of the first value, of the value in a step, and of the next one
    checked:    positions in `states` whose shape may change, and the number of each for users
    collected:  of each list that is made: its name and that of the value in a step
    finals:     of each last state that is needed: its name, and that of the value in a step
    """

    __slots__ = (
        'block',
        'checked',
        'collected',
        'elements',
        'finals',
        'lengths',
        'over_nothing',
        'scan',
        'sizes',
        'states',
    )

    def __init__(self, scan: 'Scan') -> None:
        super().__init__(set(), ())
        self.scan, self.block = scan, Block()
        self.elements: List[Tuple[Name, bool, Name]] = []
        self.over_nothing: Name = ''  # what tells the number of steps where no element is read
        self.lengths: List[Union[int, Name]] = []
        self.sizes: Dict[Name, Place] = {}
        self.states: List[Tuple[Name, Name, Name]] = []
        self.checked: List[Tuple[int, int]] = []
        self.collected: List[Tuple[Name, Name]] = []
        self.finals: List[Tuple[Name, Name]] = []

    @property
    def blocks(self) -> Sequence[Block]:
        return (self.block,)

    def handed_on(self) -> Set[Name]:
        return {new for _first, _inner, new in self.states} | {inner for _list, inner in self.collected}

    def around(self) -> Set[Name]:
        """Names that it reads whatever its block does."""
        read = {sequence for sequence, _is_list, _element in self.elements} | {first for first, _i, _n in self.states}
        read |= {name for name in self.lengths if isinstance(name, str)}
        read |= {origin[0] for origin in self.sizes.values()}
        return read | {self.over_nothing} if self.over_nothing else read

    def handed_in(self) -> Set[Name]:
        """Names that its block reads and that it makes itself."""
        return {element for _s, _l, element in self.elements} | {inner for _f, inner, _n in self.states}


class Choice(Statement):
    """A cond.

    condition:  name of the value that chooses
    parts:      of each result: its name, and what it is in the first and in the second branch
    """

    __slots__ = ('branches', 'cond', 'condition', 'parts')

    def __init__(self, cond: 'Cond', condition: Name) -> None:
        super().__init__(set(), ())
        self.cond, self.condition = cond, condition
        self.branches = (Block(), Block())
        self.parts: List[Tuple[Name, Tuple[Name, Name]]] = []

    @property
    def blocks(self) -> Sequence[Block]:
        return self.branches

    def handed_on(self) -> Set[Name]:
        return {value for _name, values in self.parts for value in values}


class Assign:
    """The end of an update, after all statements.

    value:      name of the new value, or of the changed rows of the variable
    by_rows:    whether it is rows (of `settle`)
    copied:     whether others may hold the array of the value (of `settle`)
    checked:    whether the shape may be another one than that of the variable
    """

    __slots__ = ('by_rows', 'checked', 'copied', 'new', 'value', 'variable')

    def __init__(self, variable: 'Variable', new: 'Tensor', value: Name, checked: bool) -> None:
        self.variable, self.new, self.value, self.checked = variable, new, value, checked
        self.by_rows, self.copied = False, True


class Result:
    """A value that a function returns.

    copied: whether others may hold the array (of `settle`).
    """

    __slots__ = ('copied', 'name', 'tensor')

    def __init__(self, tensor: 'Tensor', name: Name) -> None:
        self.tensor, self.name, self.copied = tensor, name, True
