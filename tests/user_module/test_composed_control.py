"""Phases, loops, maps, scopes, composed, on an eager K: all sizes known, and most of them hidden."""

import numpy as np
import pytest

from keras_backend.conformance.truth import rnn
from keras_backend.errors import ShapeError, UnsupportedByEngine

from .eager_k import RNG, N, close, draw, make, tensor


def test_phases():
    """A fixed phase chooses at once, a tensor by a switch that is marked; callables run only where taken."""
    K = make()
    x, y = tensor([1.0]), tensor([2.0])

    def never():
        raise AssertionError('the branch that is not taken ran')

    for training in (1, True, np.bool_(True), np.int64(1)):
        assert K.in_train_phase(x, never, training=training) is x
        assert K.in_test_phase(never, lambda: x, training=training) is x
    assert K.in_train_phase(never, y) is y
    K.set_learning_phase(1)
    assert K.in_test_phase(never, y) is y
    phase = tensor(1, 'int32')
    K = make(learning_phase=lambda: phase)
    assert K.in_train_phase(lambda: x, never)._uses_learning_phase
    close([1.0], K.in_train_phase(x, y))
    close([2.0], K.in_test_phase(x, y))
    assert not getattr(K.in_train_phase(tensor([3.0]), y, training=tensor(True)), '_uses_learning_phase', False)


def _step(x, states):
    new = states[0] + x
    return new + new + x, [new] + list(states[1 : len(states) - 1]) if len(states) > 2 else [new]


@pytest.mark.parametrize('backwards', [False, True])
@pytest.mark.parametrize('masked', [None, 'bool', 'float', '3d'])
@pytest.mark.parametrize('zeros', [False, True])
@pytest.mark.parametrize('time_major', [False, True])
def test_rnn(K, backwards, masked, zeros, time_major):
    """The unrolled loop follows the written semantics of masks, direction and layout."""
    x, state = draw(N, 4, 2), draw(N, 2)
    mask = None if masked is None else RNG.uniform(size=(N, 4)) > 0.4
    truth = rnn(_step, np.asarray(x), [np.asarray(state)], backwards, mask, zero_output_for_mask=zeros)
    if mask is not None:
        mask = tensor(mask, 'float64' if masked == 'float' else None)
        mask = K.expand_dims(mask) if masked == '3d' else mask
    inputs = x
    if time_major:
        inputs = K.permute_dimensions(x, (1, 0, 2))
        mask = mask if mask is None else tensor(np.swapaxes(np.asarray(mask), 0, 1))
    last_output, outputs, states = K.rnn(
        _step, inputs, [state], go_backwards=backwards, mask=mask, time_major=time_major, zero_output_for_mask=zeros
    )
    close(truth[0], last_output)
    close(truth[1], np.swapaxes(np.asarray(outputs), 0, 1) if time_major else outputs)
    close(truth[2][0], states[0])


def test_rnn_constants_and_no_states(K):
    """Constants follow the states; a loop without states maps the step over time."""
    x = draw(N, 3, 2)
    c = draw(2)
    _, outputs, states = K.rnn(lambda v, s: (v * s[0], []), x, [], constants=[c])
    close(np.asarray(x) * np.asarray(c), outputs)
    assert [] == states


def test_rnn_takes_its_length_from_input_length():
    """An unknown time axis is unrolled by input_length and refused without it."""
    K = make(5)
    x, state = draw(2, 5, 2), draw(2, 2)
    close(rnn(_step, np.asarray(x), [np.asarray(state)])[1], K.rnn(_step, x, [state], input_length=5)[1])
    with pytest.raises(UnsupportedByEngine, match='no loops'):
        K.rnn(_step, x, [state])
    with pytest.raises(ValueError, match='unroll'):
        K.rnn(_step, x, [state], unroll=True)


def test_rnn_refuses():
    """Inputs of low rank, a mask without states, wrong masks, lengths and states are named."""
    K = make()
    x, s = draw(2, 3, 4), draw(2, 4)
    for arguments, options, message in (
        ((_step, draw(2, 3), [s]), {}, '3 axes'),
        ((_step, x, []), {'mask': draw(2, 3)}, 'needs a state to keep'),
        ((_step, x, [s]), {'mask': draw(3, 2)}, 'mask'),
        ((_step, x, [s]), {'input_length': 2}, 'input_length=2'),
        ((_step, draw(2, 0, 4), [s]), {}, 'at least one'),
        ((lambda v, states: (v, [v[:, :2]]), x, [s]), {}, 'state 0'),
        ((lambda v, states: (v, []), x, [s]), {}, 'returned 0'),
    ):
        with pytest.raises(ValueError, match=message):
            K.rnn(*arguments, **options)


def test_maps_and_folds():
    """Maps and folds over a known length agree with a Python loop; an unknown one is refused."""
    K = make()
    x, y = draw(4, 2), draw(4, 2)
    close(np.asarray(x) * 2, K.map_fn(lambda e: e * 2, x))
    close(np.asarray(x) + y, K.map_fn(lambda e: e[0] + e[1], [x, y]))
    total, product = K.map_fn(lambda e: (e[0] + e[1], e[0] * e[1]), (x, y), dtype=('float64', 'float32'))
    close(np.asarray(x) + y, total)
    assert 'float32' == K.dtype(product)
    close(((x[0] - x[1]) - x[2]) - x[3], K.foldl(lambda acc, e: acc - e, x))
    close(((x[3] - x[2]) - x[1]) - x[0], K.foldr(lambda acc, e: acc - e, x))
    close(10.0 + np.sum(x, 0), K.foldl(lambda acc, e: acc + e, x, initializer=tensor([10.0, 10.0])))
    close(np.asarray(x[0]), K.foldr(lambda acc, e: e, x, initializer=tensor([1.0, 1.0])))
    with pytest.raises(UnsupportedByEngine, match='0'):
        K.map_fn(lambda e: e, draw(0, 2))
    for fold in (K.foldl, K.foldr):
        with pytest.raises(ShapeError, match='no first element'):
            fold(lambda acc, e: acc, draw(0, 2))
    with pytest.raises(UnsupportedByEngine, match='not known'):
        make(3).map_fn(lambda e: e, x)


def test_scopes_and_decorators():
    """What has only one mode is the same in both; a scope that cannot hold says so."""
    K = make()
    with K.name_scope('a'), K.control_dependencies([]), K.control_dependencies(None):
        pass
    with pytest.raises(UnsupportedByEngine, match='updates'):
        K.control_dependencies([draw(1)])
    assert len is K.symbolic(len)
    assert len is K.eager(len)
