"""A file that was written runs beside its K function, at several sizes, and what is said of it."""

from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Sequence, Set, Tuple

import numpy as np

from ..basics.dtypes import is_float, is_integer
from ..errors import ExportError, FeedError
from ..graph.nodes.base import Dim, known, ranked
from ..graph.nodes.tensor import Tensor
from .request import Exported, Run

# -- the report --------------------------------------------------------------------------------------------------------
# What `keras_backend.export` returns.


class Difference(NamedTuple):
    """How far a file is from its function at some sizes of the inputs.

    sizes:   the shapes of what was fed, in words
    largest: of each output that is not drawn at random, the largest absolute difference, by its name
    """

    sizes: str
    largest: Dict[str, float]


class ExportReport:
    """The file that was written, and how it compares with the K function. `print` shows it.

    path:        where the file is
    format:      its format: 'onnx', 'stablehlo', 'torch_export', 'tflite' or 'saved_model'
    inputs:      names of its inputs
    outputs:     names of its outputs
    variables:   the values of the variables that are inputs, by the names of these
    differences: a `Difference` for each run of both; empty where the check was left out, or is of no use
    notes:       what a reader of the file has to know, a sentence each
    """

    def __init__(self, path: str, format: str, inputs: List[str], outputs: List[str]) -> None:
        self.path, self.format, self.inputs, self.outputs = path, format, inputs, outputs
        self.variables: Dict[str, np.ndarray] = {}
        self.differences: List[Difference] = []
        self.notes: List[str] = []

    def __str__(self) -> str:
        lines = [f'{self.path} ({self.format}): {", ".join(self.inputs) or "nothing"} -> {", ".join(self.outputs)}']
        for difference in self.differences:
            if difference.largest:
                most = max(difference.largest.values())
                lines.append(f'  {difference.sizes}: it differs from the K function by at most {most:.2g}')
        return '\n'.join([*lines, *[f'  {note}' for note in self.notes]])

    __repr__ = __str__


# First axes and all other axes of unknown size, in the order in which they are tried. Three that work are enough.
_SIZES = ((2, 3), (1, 5), (4, 8), (3, 12), (2, 16), (2, 2), (1, 1), (8, 32), (1, 64))
_ENOUGH = 3
# Draws of few values, such as one of 0 and 1, may be the same by chance.
_AGAIN = 7

# How far a float may be from its truth, relative to the largest value of its tensor, or to 1 where all are smaller:
# what is left where large numbers cancel may be all rounding. Sums in another order differ by more than those of one
# library.
_TOLERANCE = {'float16': 2e-2, 'float32': 1e-4, 'float64': 1e-9}
# How far inputs are moved, to see how far results move: so many of the last digits of their dtype, 1e-6 of float32.
_DIGITS = 8
# A file rounds at many places, and each moves the results.
PLACES = 10
_TRIES = 3
# Above this part of the largest number, a difference of a file of int8 is called much.
_MUCH = 0.1


def check(exported: Exported, run: Run, examples: Sequence[Any], to: ExportReport, is_exact: bool = True) -> None:
    """Compare a file with its function, and report it.

    run:      runs the file
    examples: values for the inputs; none to make some up
    is_exact: whether the file has the floats of the function, and no int8 in their place
    """
    worked = 0
    largest: List[float] = []
    at_random: Set[str] = set()
    failed: List[Tuple[str, Exception]] = []
    for values in map(_given, examples) if examples else _samples(exported.inputs):
        sizes = ', '.join([f'{n} {tuple(v.shape)}' for n, v in zip(exported.input_names, values)]) or 'no inputs'
        try:
            expected, drawn = _wanted(exported, values)
        except Exception as error:  # noqa: BLE001 - of any engine: sizes that the program does not take are told
            failed.append((sizes, error))
            continue
        fed = {**dict(zip(exported.input_names, values)), **exported.fed_values}
        try:
            got = run(fed)
        except FeedError as error:
            # sizes that the file refuses, as its notes say
            failed.append((sizes, error))
            continue
        except Exception as error:
            raise ExportError(
                f'K.function: {exported.name} was written as {to.format}, and the file does not run with {sizes}: '
                f'{error}'
            ) from error
        to.differences.append(_compared(exported, values, sizes, expected, got, drawn, to, is_exact))
        if is_exact:
            _note_small(exported, expected, to)
        else:
            largest.append(_largest(expected))
        at_random.update(drawn)
        worked += 1
        if worked == _ENOUGH and not examples:
            break
    if not worked:
        sizes, last = failed[-1]
        raise ExportError(
            f'K.function: {exported.name} could not be run to check the file, with {sizes} in the end: {last} Write '
            'check=[values, ...] with values that can be fed, or check=False.'
        ) from last
    if largest:
        most = max([max(difference.largest.values(), default=0.0) for difference in to.differences])
        note = (
            f'Its largest difference from the K function is {most:.2g}, where the largest number is {max(largest):.2g}.'
        )
        much = ' That is much: leave calibration out for floats.' if most > _MUCH * max(largest) else ''
        to.notes.append(note + much)
    if at_random:
        names = ', '.join([name for name in exported.output_names if name in at_random])
        to.notes.append(f'{names}: drawn at random, so shapes and dtypes were checked, and numbers cannot be.')


def _wanted(exported: Exported, values: List[np.ndarray]) -> Tuple[List[np.ndarray], Set[str]]:
    """What the function gives, and the names of the outputs that depend on draws: those that differ when it runs again.

    A draw may be without effect, such as that of a dropout where the learning phase is 0.
    """
    expected = [np.asarray(x) for x in exported.function(list(values))]
    drawn: Set[str] = set()
    for _ in range(_AGAIN if exported.draws else 0):
        again = exported.function(list(values))
        drawn.update(
            [name for name, a, b in zip(exported.output_names, expected, again) if difference_of(a, np.asarray(b))]
        )
    return expected, drawn


def _given(values: Any) -> List[np.ndarray]:
    return [np.asarray(value) for value in (values if isinstance(values, (list, tuple)) else [values])]


def _samples(inputs: Sequence[Tensor]) -> Iterator[List[np.ndarray]]:
    """Values for the inputs, at one pair of sizes after the other."""
    is_fixed = all([ranked(t) and all(map(known, t.dims)) for t in inputs])
    rng = np.random.RandomState(0)
    for turn, sizes in enumerate(_SIZES[:2] if is_fixed else _SIZES):
        yield [_sample(t, sizes, turn, rng) for t in inputs]


def _sample(t: Tensor, sizes: Tuple[int, int], turn: int, rng: Any) -> np.ndarray:
    dims: Sequence[Any] = t.dims if ranked(t) else (Dim(), Dim())
    shape = [d if known(d) else sizes[min(axis, 1)] for axis, d in enumerate(dims)]
    if is_float(t.dtype):
        # also numbers that are all positive: of others some functions give NaN only
        numbers = rng.uniform(0.05, 0.95, shape) if turn % 2 else rng.normal(size=shape)
        return np.asarray(numbers, t.dtype)
    # 0 and 1 are places of most axes, and classes of most kinds
    return np.asarray(rng.randint(0, 2, shape), t.dtype if is_integer(t.dtype) else 'bool')


def _compared(
    exported: Exported,
    values: List[np.ndarray],
    sizes: str,
    wanted: List[np.ndarray],
    got: List[np.ndarray],
    drawn: Set[str],
    to: ExportReport,
    is_exact: bool = True,
) -> Difference:
    """How far results are from those of the function; an error where this is too far. drawn: what may differ.

    A file of int8 is too far only where a number is none any more. Where the function itself moves as far when its
    inputs hardly move, the report says so, and nothing is too far.
    """
    largest: Dict[str, float] = {}
    for place, (name, a, b) in enumerate(zip(exported.output_names, wanted, got)):
        b = np.asarray(b)
        if a.shape != b.shape or a.dtype != b.dtype:
            raise ExportError(
                f'K.function: {exported.name} gives {name} with shape {a.shape} and dtype {a.dtype} for {sizes}; the '
                f'file gives shape {b.shape} and dtype {b.dtype}.'
            )
        if name in drawn:
            continue
        largest[name] = difference = (
            difference_of(a, b) if is_exact else difference_of(*[x.astype('float64') for x in (a, b)])
        )
        if difference > (allowed(a) if is_exact else np.finfo('float64').max):
            own = movement(exported.function, values, wanted)[place] if is_exact else 0.0
            if np.isfinite(difference) and difference <= PLACES * own:
                note = (
                    f'{name} of the K function moves by {own:.2g} when inputs move by 1e-6, so the check says little.'
                )
                to.notes.extend([note] if note not in to.notes else [])
                continue
            raise ExportError(
                f'K.function: the file gives {name} of {exported.name} with a difference of {difference:.3g} from '
                f'what K gives for {sizes}; {allowed(a):.1g} is allowed.'
            )
    return Difference(sizes, largest)


def difference_of(a: np.ndarray, b: np.ndarray) -> float:
    """The largest absolute difference; infinite where one is not a number, or infinite, and the other is not."""
    if not a.size:
        return 0.0
    if a.dtype.kind != 'f':
        return 0.0 if np.array_equal(a, b) else float('inf')
    x, y = a.astype('float64'), b.astype('float64')
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    with np.errstate(invalid='ignore'):
        far = np.where(same, 0.0, np.abs(x - y))
    return float(np.where(np.isnan(far), np.inf, far).max())


def movement(function: Callable[[List[Any]], Any], values: Sequence[Any], wanted: Sequence[Any]) -> List[float]:
    """How far each result of a function moves when its inputs move by 1e-6, or as many digits of another dtype.

    Whole numbers stay: they may be places in a table, or mark steps that are left out. values, wanted: inputs of the
    function and its results.
    """
    draw = np.random.RandomState(1)
    most = [0.0 for _ in wanted]
    for _ in range(_TRIES):
        results = function([_moved(np.asarray(value), draw) for value in values])
        distances = [difference_of(np.asarray(a), np.asarray(b)) for a, b in zip(wanted, results)]
        most = [max(a, b) if np.isfinite(b) else a for a, b in zip(most, distances)]
    return most


def _moved(array: np.ndarray, draw: Any) -> np.ndarray:
    """An array whose floats are a few digits away."""
    if array.dtype.kind != 'f':
        return array
    step = _DIGITS * float(np.finfo(array.dtype).eps) * np.maximum(np.abs(array), 1)
    moved = array + step * draw.choice([-1.0, 1.0], array.shape)
    return np.where(array == np.round(array), array, moved).astype(array.dtype)


def allowed(a: np.ndarray) -> float:
    """The difference that is allowed."""
    if a.dtype.kind != 'f':
        return 0.0
    finite = np.abs(a[np.isfinite(a)].astype('float64'))
    return _TOLERANCE.get(a.dtype.name, 1e-2) * max(1.0, float(finite.max()) if finite.size else 1.0)


def _largest(arrays: List[np.ndarray]) -> float:
    """The largest absolute number of some arrays."""
    return max([float(np.abs(a.astype('float64')).max()) for a in arrays if a.size], default=0.0)


def _note_small(exported: Exported, wanted: List[np.ndarray], to: ExportReport) -> None:
    """Note outputs that are so small that the check says little of them."""
    for name, a in zip(exported.output_names, wanted):
        if a.dtype.kind != 'f' or not a.size or name not in to.differences[-1].largest:
            continue
        largest = float(np.abs(a.astype('float64')).max())
        difference = to.differences[-1].largest[name]
        note = f'The numbers of {name} are small beside its difference: they may be rounding alone.'
        if difference > 100 * _TOLERANCE.get(a.dtype.name, 1e-2) * largest and note not in to.notes:
            to.notes.append(note)
