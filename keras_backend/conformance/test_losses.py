"""Cross-entropies: axes, logits, edge probabilities, forms of targets, dtypes."""

import numpy as np
import pytest

from . import truth
from ._check import all_close, close, covers, integers, random

PLACES = [((4, 3), -1), ((4, 3), 1), ((2, 3, 4), -1), ((2, 4, 3), 1), ((2, 3, 2, 4), 3), ((2, 4, 3, 2), 1), ((4, 3), 0)]


def distribution(shape, axis, seed=0):
    p = random(shape, seed, low=0.05, high=1.0)
    return p / p.sum(axis=axis, keepdims=True)


@covers('categorical_crossentropy')
@pytest.mark.parametrize('from_logits', [False, True])
@pytest.mark.parametrize(('shape', 'axis'), PLACES, ids=str)
def test_categorical(K, check, shape, axis, from_logits):
    """The loss is -sum(target log p) over the axis, for probabilities and logits. The result lacks the axis."""
    target = distribution(shape, axis, 1).astype('float32')
    output = (random(shape, 2, low=-3, high=3) if from_logits else random(shape, 2, low=0.1)).astype('float32')
    check.everywhere(
        lambda t, o: K.categorical_crossentropy(t, o, from_logits=from_logits, axis=axis),
        [target, output],
        truth.categorical(target.astype('float64'), output.astype('float64'), from_logits, axis),
        dtype='float32',
        unknown='batch',
    )


@covers('sparse_categorical_crossentropy')
@pytest.mark.parametrize('from_logits', [False, True])
@pytest.mark.parametrize(('shape', 'axis'), PLACES, ids=str)
def test_sparse(K, check, shape, axis, from_logits):
    """The loss is -log p[target] over the axis. The target has the shape of the output without the axis."""
    kept = tuple(n for i, n in enumerate(shape) if i != axis % len(shape))
    target = integers(kept, low=0, high=shape[axis])
    output = (random(shape, 2, low=-3, high=3) if from_logits else distribution(shape, axis, 2)).astype('float32')
    expected = truth.sparse(target, output.astype('float64'), from_logits, axis)
    check.everywhere(
        lambda t, o: K.sparse_categorical_crossentropy(t, o, from_logits=from_logits, axis=axis),
        [target, output],
        expected,
        dtype='float32',
        unknown='batch',
    )
    with_one = np.expand_dims(target, axis)
    for form in (
        target.astype('float32'),
        target.astype('int64'),
        with_one,
        target[..., None],
        with_one.astype('float32'),
    ):
        value = check.eval(
            lambda t, o: K.sparse_categorical_crossentropy(t, o, from_logits=from_logits, axis=axis), form, output
        )
        close(value, expected, what=str(form.shape))


@covers('sparse_categorical_crossentropy', 'categorical_crossentropy')
def test_sparse_divides_after_clipping(K, check):
    """The sparse loss clips first and then divides. The dense loss divides first. So they differ for some numbers."""
    output = np.array([[2.0, 0.5, 0.0]], 'float32')
    target, dense = np.array([1], 'int32'), np.array([[0.0, 1.0, 0.0]], 'float32')
    close(check.eval(K.sparse_categorical_crossentropy, target, output), truth.sparse(target, output.astype('float64')))
    close(check.eval(K.categorical_crossentropy, dense, output), [-np.log(0.2)])


@covers('categorical_crossentropy', 'sparse_categorical_crossentropy')
@pytest.mark.parametrize('from_logits', [False, True])
def test_axis_outside_the_rank(K, check, from_logits):
    """An axis that the output does not have is an error."""
    for axis in (2, -3, 5):
        with check.rejects():
            K.categorical_crossentropy(K.placeholder((2, 3)), K.placeholder((2, 3)), from_logits, axis)
        with check.rejects():
            K.sparse_categorical_crossentropy(
                K.placeholder((2,), dtype='int32'), K.placeholder((2, 3)), from_logits, axis
            )


@covers('categorical_crossentropy', 'sparse_categorical_crossentropy', 'binary_crossentropy')
@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_edge_probabilities(K, check, dtype):
    """Probabilities 0 and 1 give finite losses, by the epsilon at the time of the call."""
    output = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], dtype)
    target, dense = np.array([0, 0], 'int32'), np.array([[1.0, 0.0, 0.0]] * 2, dtype)
    for eps in (1e-7, 1e-3):
        K.set_epsilon(eps)
        values = check.eval(
            lambda t, d, o: (
                K.sparse_categorical_crossentropy(t, o),
                K.categorical_crossentropy(d, o),
                K.binary_crossentropy(d, o),
            ),
            target,
            dense,
            output,
        )
        # float32 rounds 1 - eps, which changes log(1 - (1 - eps))
        top, low = np.array(1, dtype) - np.array(eps, dtype), np.array(eps, dtype)
        clipped = np.clip(output, low, top).astype('float64')
        truths = [
            -np.log(clipped[:, 0] / clipped.sum(1)),
            -np.log(clipped[:, 0]),
            -np.log(np.where(dense == 1, clipped, 1 - clipped) + eps),
        ]
        for value, expected in zip(values, truths):
            assert np.isfinite(value).all()
            close(value, expected, scale=1, tolerance=1e-2 if dtype == 'float32' else None)
    gradient = check.eval(
        lambda d, o: K.gradients(
            K.sum(K.categorical_crossentropy(d, o) + K.sum(K.binary_crossentropy(d, o), axis=-1)), [o]
        )[0],
        dense,
        output,
    )
    assert not np.isnan(gradient).any()


@covers('categorical_crossentropy', 'sparse_categorical_crossentropy', 'binary_crossentropy')
def test_epsilon_of_the_time_of_building(K, check):
    """What was built with one epsilon keeps it."""
    output, dense = np.array([[0.0, 1.0]], 'float32'), np.array([[1.0, 0.0]], 'float32')
    o, d, t = check.placeholder(output), check.placeholder(dense), K.constant([0], dtype='int32')
    K.set_epsilon(1e-2)
    losses = [K.categorical_crossentropy(d, o), K.sparse_categorical_crossentropy(t, o), K.binary_crossentropy(d, o)]
    K.set_epsilon(1e-7)
    for value, epsilons in zip(check.run(losses, [(d, dense), (o, output)]), (1, 1, 2)):
        close(value, np.full(value.shape, -np.log(epsilons * 1e-2)))


@covers('sparse_categorical_crossentropy')
@pytest.mark.parametrize('from_logits', [False, True])
def test_a_target_that_is_no_class(K, check, from_logits):
    """A target that is no class is an error, or costs inf where a run cannot raise one. It never counts as a class."""
    output, target = np.full((2, 3), 1 / 3.0, 'float32'), K.placeholder((2,), dtype='int32')
    o = check.placeholder(output)
    function = K.function([target, o], [K.sparse_categorical_crossentropy(target, o, from_logits=from_logits)])
    for wrong in (3, -1, 100):
        try:
            value = function([[0, wrong], output])[0]
        except Exception:  # noqa: BLE001, S112 - of any library: an error is one of the two answers
            continue
        close(value, [np.log(3.0), np.inf])


@covers('sparse_categorical_crossentropy')
@pytest.mark.parametrize('from_logits', [False, True])
@pytest.mark.parametrize(('shape', 'axis'), [((4, 3), -1), ((2, 3, 4), 1)], ids=str)
def test_a_class_that_is_ignored(K, check, shape, axis, from_logits):
    """Entries with the label `ignore_class` cost 0 and have no gradient, also where the output is NaN there."""
    axis %= len(shape)
    kept = tuple(n for i, n in enumerate(shape) if i != axis)
    target = integers(kept, low=0, high=shape[axis])
    output = (random(shape, 2, low=-3, high=3) if from_logits else distribution(shape, axis, 2)).astype('float32')
    expected = truth.sparse(target, output.astype('float64'), from_logits, axis)
    ignored = np.zeros(kept, bool)
    ignored.flat[1] = ignored.flat[-1] = True
    expected[ignored] = 0
    output[np.broadcast_to(np.expand_dims(ignored, axis), shape)] = np.nan
    for label, dtype in ((-1, 'int32'), (255, 'int64'), (-1, 'float32')):
        t, o = np.where(ignored, label, target).astype(dtype), check.placeholder(output)
        fed = check.placeholder(t)
        cost = K.sparse_categorical_crossentropy(fed, o, from_logits, axis, ignore_class=label)
        value, slope = check.run([cost, K.gradients(K.sum(cost), [o])[0]], [(fed, t), (o, output)])
        close(value, expected)
        assert not np.any(slope[np.broadcast_to(np.expand_dims(ignored, axis), shape)])
        assert np.isfinite(slope).all()


@covers('categorical_crossentropy', 'sparse_categorical_crossentropy', 'binary_crossentropy')
def test_huge_logits(K, check):
    """Logits of hundreds and thousands give exact losses and gradients without NaN."""
    logits = np.array([[1000.0, -1000.0], [-500.0, 500.0]], 'float32')
    target, dense = np.array([1, 1], 'int32'), np.array([[0.0, 1.0], [0.0, 1.0]], 'float32')
    t, d, o = check.placeholder(target), check.placeholder(dense), check.placeholder(logits)
    losses = [
        K.sparse_categorical_crossentropy(t, o, from_logits=True),
        K.categorical_crossentropy(d, o, from_logits=True),
        K.binary_crossentropy(d, o, from_logits=True),
    ]
    grads = [K.gradients(K.sum(loss), [o])[0] for loss in losses]
    values = check.run(losses + grads, [(t, target), (d, dense), (o, logits)])
    truths = [[2000, 0], [2000, 0], [[1000, 1000], [0, 0]], [[1, -1], [0, 0]], [[1, -1], [0, 0]], [[1, -1], [0, 0]]]
    all_close(values, truths, scale=1)


@covers('binary_crossentropy')
@pytest.mark.parametrize('from_logits', [False, True])
def test_binary(K, check, from_logits):
    """The loss is element-wise, for probabilities and logits, with known and unknown shapes."""
    target = (random((3, 4), 1) > 0).astype('float32') * np.float32(0.9) + np.float32(0.05)
    low, high = (-4, 4) if from_logits else (0.05, 0.95)
    output = random((3, 4), 2, low, high, dtype='float32')
    check.everywhere(
        lambda t, o: K.binary_crossentropy(t, o, from_logits=from_logits),
        [target, output],
        truth.binary(target.astype('float64'), output.astype('float64'), from_logits),
        dtype='float32',
    )


@covers('binary_crossentropy')
def test_binary_of_small_logits_is_exact(K, check):
    """The loss of small logits is exact: log1p keeps digits that log(1 + x) loses."""
    value = check.eval(
        lambda o: K.binary_crossentropy(K.zeros_like(o), o, from_logits=True), np.array([-30.0, -50.0], 'float32')
    )
    close(value, [9.357622968839299e-14, 1.9287498479639178e-22], scale=0)


@covers('categorical_crossentropy', 'binary_crossentropy')
@pytest.mark.parametrize('dtype', ['int32', 'bool', 'float64'])
def test_targets_of_other_dtypes(K, check, dtype):
    """Targets may be integers or bools. The loss has the dtype of both together."""
    target, output = np.eye(3)[[2, 0]].astype(dtype), distribution((2, 3), 1).astype('float32')
    values = check.eval(
        lambda t, o: (
            K.categorical_crossentropy(t, o),
            K.binary_crossentropy(t, o),
            K.categorical_crossentropy(t, o, from_logits=True),
            K.binary_crossentropy(t, o, from_logits=True),
        ),
        target,
        output,
    )
    t, o = target.astype('float64'), output.astype('float64')
    for value, expected in zip(
        values, [truth.categorical(t, o), truth.binary(t, o), truth.categorical(t, o, True), truth.binary(t, o, True)]
    ):
        assert value.dtype.name == ('float64' if dtype == 'float64' else 'float32')
        close(value.astype('float32'), expected)


@covers('categorical_crossentropy', 'sparse_categorical_crossentropy', 'binary_crossentropy')
def test_float16_at_the_default_epsilon(K, check):
    """1 - eps is 1 in float16. A wrong prediction with probability 1 still has a finite loss."""
    dense, output = np.array([[0.0, 1.0]], 'float16'), np.array([[1.0, 0.0]], 'float16')
    values = check.eval(
        lambda d, o: (
            K.categorical_crossentropy(d, o),
            K.sparse_categorical_crossentropy(K.constant([1], dtype='int32'), o),
            K.binary_crossentropy(d, o),
        ),
        dense,
        output,
    )
    for value in values:
        assert np.isfinite(value).all()
        assert (value > 7).all()


@covers('categorical_crossentropy', 'sparse_categorical_crossentropy', 'binary_crossentropy')
@pytest.mark.parametrize('dtype', ['float16', 'float64'])
def test_dtypes(K, check, dtype):
    """A loss has the dtype of the output, whatever floatx is."""
    output = distribution((2, 3), 1).astype(dtype)
    dense, target = np.eye(3)[:2].astype(dtype), np.array([0, 1], 'int32')
    K.set_epsilon(1e-3)
    values = check.eval(
        lambda d, t, o: (
            K.categorical_crossentropy(d, o),
            K.sparse_categorical_crossentropy(t, o),
            K.binary_crossentropy(d, o),
        ),
        dense,
        target,
        output,
    )
    truths = [
        truth.categorical(dense, output.astype('float64'), eps=1e-3),
        truth.sparse(target, output.astype('float64'), eps=1e-3),
        truth.binary(dense, output.astype('float64'), eps=1e-3),
    ]
    all_close(values, truths, dtype)


# -- an output whose logits are known ----------------------------------------------------------------------------------

FAR = np.array([[50.0, 0.0, -50.0], [0.5, -1.0, 2.0]])
TARGETS = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])


@covers('categorical_crossentropy', 'sparse_categorical_crossentropy', 'softmax', 'gradients')
@pytest.mark.parametrize('rank', [2, 3])
def test_a_softmax_is_seen_through(K, check, rank):
    """The loss of a softmax is that of its logits: it is not clipped, and a saturated classifier learns on."""
    logits, targets = (FAR, TARGETS) if rank == 2 else (FAR[None], TARGETS[None])
    scores = np.exp(logits - logits.max(-1, keepdims=True))
    probabilities = scores / scores.sum(-1, keepdims=True)
    classes = targets.argmax(-1)
    for loss in (
        lambda x: K.categorical_crossentropy(K.constant(targets, dtype='float64'), K.softmax(x)),
        lambda x: K.categorical_crossentropy(K.constant(targets, dtype='float64'), K.softmax(x, axis=rank - 1)),
        lambda x: K.sparse_categorical_crossentropy(K.constant(classes, dtype='int32'), K.softmax(x)),
    ):
        value, gradient = check.eval(lambda x, loss=loss: (loss(x), K.gradients(K.sum(loss(x)), [x])[0]), logits)
        close(value, -np.sum(targets * (logits - np.log(np.exp(logits).sum(-1, keepdims=True))), -1))
        close(gradient, probabilities - targets)


@covers('binary_crossentropy', 'sigmoid', 'gradients')
def test_a_sigmoid_is_seen_through(K, check):
    """The same of a sigmoid."""
    value, gradient = check.eval(
        lambda x: (
            K.binary_crossentropy(K.constant(TARGETS, dtype='float64'), K.sigmoid(x)),
            K.gradients(K.sum(K.binary_crossentropy(K.constant(TARGETS, dtype='float64'), K.sigmoid(x))), [x])[0],
        ),
        FAR,
    )
    close(value, truth.binary(TARGETS, FAR, from_logits=True))
    close(gradient, 1 / (1 + np.exp(-FAR)) - TARGETS)


@covers('categorical_crossentropy', 'binary_crossentropy', 'identity', 'softmax', 'sigmoid')
def test_only_the_very_result_is_seen_through(K, check):
    """A copy, a product or a softmax over another axis is probabilities like any others: they are clipped."""
    limit = -np.log(1e-7)
    target = K.constant(TARGETS)
    for change in (K.identity, lambda p: p * 1.0, lambda p: K.reshape(p, (-1, 3))):
        losses = check.eval(
            lambda x, change=change: (
                K.categorical_crossentropy(target, change(K.softmax(x))),
                K.binary_crossentropy(target, change(K.sigmoid(x))),
            ),
            FAR.astype('float32'),
        )
        assert abs(losses[0][0] - limit) < 0.1
        assert abs(losses[1][0, 2] - limit) < 1
    (loss,) = check.eval(lambda x: (K.categorical_crossentropy(target, K.softmax(x, axis=0)),), FAR.astype('float32'))
    assert loss[0] < limit + 0.1
