"""Recurrent layers: the loop over time, the states before it, and what comes out."""

from functools import partial
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple

from ...errors import UnknownLayerError
from ..structure import Layer
from .cells import CELLS, Cell
from .use import Use, tensor_list


def _all_cells(use: Use, layers: Iterable[Layer], size: Optional[int]) -> List[Cell]:
    """The cells. size: the number of channels that the first gets."""
    found: List[Cell] = []
    for layer in layers:
        if layer.kind == 'StackedRNNCells':
            found += _all_cells(use, layer.inner, size)
        elif layer.kind in CELLS:
            found.append(CELLS[layer.kind](use.of(layer, [(None, size)])))
        else:
            raise UnknownLayerError(
                f'The layer {use.layer.name} (RNN) has a cell of the kind {layer.kind}, which has no meaning; give '
                f'a function for the whole layer with layers={{{use.layer.kind!r}: function}}.',
                use.layer.name,
                layer.kind,
            )
        size = found[-1].sizes[0]
    return found


def _stacked(cells: Sequence[Cell]) -> Cell:
    """Cells one above the other as one cell. The states of the first come first."""

    def step(x: Any, states: List[Any]) -> Tuple[Any, List[Any]]:
        new: List[Any] = []
        for cell in cells:
            x, own = cell.step(x, states[len(new) : len(new) + len(cell.sizes)])
            new += own
        return x, new

    return Cell(sum([cell.sizes for cell in cells], ()), step)


def recurrent(use: Use) -> Any:
    """SimpleRNN, GRU, LSTM, CuDNNGRU, CuDNNLSTM, and RNN with a cell or several."""
    cell = (
        CELLS[use.layer.kind](use)
        if use.layer.kind in CELLS
        else _stacked(_all_cells(use, use.layer.inner, use.shape[-1]))
    )
    if use.layer.kind.startswith('CuDNN') and use.mask is not None:
        raise use.error('gets a mask; Masking is not supported for CuDNN RNNs')
    K, x, time_major = use.K, use.x, bool(use.option('time_major', False))

    def zeros(size: int) -> Any:
        zero = K.expand_dims(K.sum(K.zeros_like(x), axis=[0 if time_major else 1, *range(2, K.ndim(x))]))
        return K.tile(zero, [1, size])

    batch = use.shape[1 if time_major else 0]
    return run(use, cell.step, [(batch, size) for size in cell.sizes], [partial(zeros, size) for size in cell.sizes])


def run(use: Use, step: Callable[..., Any], shapes: Sequence[Sequence[Any]], zeros: Sequence[Callable[[], Any]]) -> Any:
    """A loop over time. shapes: of the states. zeros: what makes each state that nothing else gives."""
    K = use.K
    states = _checked_states(use, len(shapes))
    stateful = bool(use.option('stateful', False))
    kept: List[Any] = []
    if stateful:
        if any([size is None for shape in shapes for size in shape]):
            raise use.error('is stateful, and its batch_input_shape does not say all sizes')
        kept = [use.help.state(use.owner, number, shape) for number, shape in enumerate(shapes)]
    if not states:
        states = kept or [make() for make in zeros]
    time_major = bool(use.option('time_major', False))
    last, outputs, new = K.rnn(
        lambda x, s: step(x, list(s)),
        use.x,
        states,
        go_backwards=bool(use.option('go_backwards', False)),
        mask=use.mask,
        input_length=use.shape[0 if time_major else 1],
        time_major=time_major,
        zero_output_for_mask=bool(use.option('zero_output_for_mask', False)),
    )
    use.help.updates.extend(zip(kept, new))
    found = outputs if use.option('return_sequences', False) else last
    return [found, *new] if use.option('return_state', False) else found


def given_states(use: Use) -> List[Any]:
    """The states that the call gives: by keyword, or behind the first input."""
    named = use.arguments.get('initial_state')
    return use.inputs[1:] if named is None else tensor_list(named)


def _checked_states(use: Use, count: int) -> List[Any]:
    given = given_states(use)
    if use.arguments.get('constants') is not None or (use.option('_num_constants', use.option('num_constants', 0))):
        raise use.error('gets constants, which no cell of Keras takes; give a function for it with layers=')
    if given and len(given) != count:
        raise use.error(f'has {count} states and gets {len(given)}')
    return given


def mask_of_recurrent(use: Use, outputs: Any) -> Any:
    """The mask, if the output is a sequence. States have none."""
    own = use.mask if use.option('return_sequences', False) else None
    return [own] + [None] * (len(outputs) - 1) if use.option('return_state', False) else own
