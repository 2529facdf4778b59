"""What many tests need: running K tensors, comparing with a truth, differentiating, expecting errors."""

import threading
from contextlib import contextmanager

import hypothesis
import numpy as np
import pytest

from ..comparison import TOLERANCE
from ..errors import UnsupportedByEngine

# Finite differences in float64 are not more precise than this.
DIFFERENCES = 1e-6
STEP = 1e-5

FLOATS = ('float16', 'float32', 'float64')


# derandomize: the same examples in every run, so a list of expected failures stays true.
# too_slow: engines that compile need time. function_scoped_fixture: no test resets K between its examples.
EXAMPLES = hypothesis.settings(
    derandomize=True,
    deadline=None,
    max_examples=20,
    database=None,
    suppress_health_check=[
        getattr(hypothesis.HealthCheck, name)
        for name in ('too_slow', 'function_scoped_fixture', 'data_too_large', 'filter_too_much')
    ],
)


def given(**strategies):
    """hypothesis.given with the settings of this suite."""
    return lambda test: EXAMPLES(hypothesis.given(**strategies)(test))


def covers(*names):
    """Mark a test with the K functions that it is about."""
    return pytest.mark.covers(*names)


def calling(name, *others, **options):
    """A function (K, *tensors) that calls one K function with the tensors, and with other arguments as they are."""
    return lambda K, *tensors: getattr(K, name)(*tensors, *others, **options)


# A generator of each thread. To make one takes a tenth of a millisecond, to seed it again a hundredth of that.
_DRAWS = threading.local()


def _seeded(seed):
    if not hasattr(_DRAWS, 'random'):
        _DRAWS.random = np.random.RandomState(seed)
    _DRAWS.random.seed(seed)
    return _DRAWS.random


def tuples(value):
    """What a file of JSON has, with tuples for its lists."""
    if isinstance(value, dict):
        return {key: tuples(entry) for key, entry in value.items()}
    return tuple(map(tuples, value)) if isinstance(value, (list, tuple)) else value


def random(shape, seed=0, low=-2.0, high=2.0, dtype='float64'):
    """Uniform random numbers: the same for the same arguments, on every machine."""
    return _seeded(seed).uniform(low, high, shape).astype(dtype)


def integers(shape, seed=0, low=-5, high=6, dtype='int32'):
    """Random integers in [low, high)."""
    return _seeded(seed).randint(low, high, shape).astype(dtype)


def distinct(shape, seed=0):
    """Numbers that differ by at least 0.1, so no finite difference crosses a tie."""
    size = int(np.prod(shape, dtype=int))
    return (_seeded(seed).permutation(size) * 0.1 - 0.05 * size + 0.03).reshape(shape)


def close(actual, expected, scale=None, what='', tolerance=None):
    """Assert that values are equal: exactly for integers and bools, within TOLERANCE for floats.

    scale: cancellation may leave errors of TOLERANCE times this size. None means the largest expected number, at most
    1. 0 allows relative errors only.
    """
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape, f'{what}: shape {actual.shape} instead of {expected.shape}'
    name = actual.dtype.name
    if name not in TOLERANCE:
        np.testing.assert_array_equal(actual, expected, err_msg=what)
        return
    with np.errstate(all='ignore'):
        rounded = expected.astype(name).astype('float64')  # an overflow in the dtype of the result is right
    relative = tolerance or TOLERANCE[name]
    if scale is None:
        finite = np.abs(rounded[np.isfinite(rounded)])
        scale = min(finite.max(), 1.0) if finite.size else 0.0
    np.testing.assert_allclose(actual.astype('float64'), rounded, rtol=relative, atol=relative * scale, err_msg=what)


def all_close(values, truths, dtype=None, **options):
    """Assert the same of several values, which are as many as the truths, and that all have a dtype."""
    values, truths = list(values), list(truths)
    assert len(values) == len(truths), f'{len(values)} values, {len(truths)} truths'
    for value, expected in zip(values, truths):
        assert dtype is None or value.dtype.name == dtype
        close(value, expected, **options)


class Check:
    """Helpers of the tests, for the namespace under test."""

    close = staticmethod(close)

    def __init__(self, K):
        self.K = K

    # -- running -----------------------------------------------------------------------------------------------------
    def run(self, outputs, feeds=(), updates=None):
        """The values of one tensor or of a list of them. It also checks what K said about each tensor.

        feeds: (placeholder, array) pairs.
        """
        single = not isinstance(outputs, (list, tuple))
        tensors = [outputs] if single else list(outputs)
        # Where tensors have their values at once, only the others are for a function to compute.
        symbolic = tensors
        if self.K.supports('is_symbolic') and self.K.supports('is_variable'):
            symbolic = [t for t in tensors if self.K.is_symbolic(t) or self.K.is_variable(t)]
        function = self.K.function([p for p, _ in feeds], symbolic, **({} if updates is None else {'updates': updates}))
        values = function([a for _, a in feeds])
        assert isinstance(values, list)
        computed = iter(values)
        values = [next(computed) if any(t is s for s in symbolic) else self.K.eval(t) for t in tensors]
        assert len(values) == len(tensors)
        for tensor, value in zip(tensors, values):
            self.truthful(tensor, value)
        return values[0] if single else values

    def truthful(self, tensor, value):
        """Assert that `int_shape`, `ndim` and `dtype` agree with the value of a run."""
        K = self.K
        static = K.int_shape(tensor)
        assert isinstance(value, np.ndarray if static else np.generic), f'a run returned {type(value)!r}'
        assert isinstance(static, tuple), f'int_shape is {static!r}'
        message = f'int_shape said {static}, the run gave {value.shape}'
        assert len(static) == value.ndim, message
        assert all(s is None or s == n for s, n in zip(static, value.shape)), message
        assert K.ndim(tensor) == value.ndim
        assert K.dtype(tensor) == value.dtype.name, f'dtype said {K.dtype(tensor)}, the run gave {value.dtype.name}'

    def placeholder(self, array, unknown=()):
        """A placeholder for `array`. `unknown` lists the axes whose size is None."""
        array = np.asarray(array)
        return self.K.placeholder(
            shape=tuple(None if i in unknown else n for i, n in enumerate(array.shape)), dtype=array.dtype.name
        )

    def eval(self, build, *arrays):
        """The value of build(*tensors) on placeholders of known shape. `build` returns one tensor or a list."""
        arrays = [np.asarray(a) for a in arrays]
        tensors = [self.placeholder(a) for a in arrays]
        built = build(*tensors)
        return self.run(list(built) if isinstance(built, tuple) else built, list(zip(tensors, arrays)))

    def everywhere(self, build, arrays, expected, dtype=None, scale=None, unknown='each', leaves=True, tolerance=None):
        """Assert that build(*tensors) is `expected` for every form of its arguments.

        The forms are placeholders with known shapes; unless `unknown` is 'none', with unknown first axes; and if it is
        'each', with all axes unknown, and with each axis unknown in turn. With `leaves`, variables and constants are
        forms, too. The shape of the result has to be known if the shapes of the arguments are known.
        """
        K = self.K
        arrays = [np.asarray(a) for a in arrays]
        forms = [('known shapes', [()] * len(arrays))]
        if unknown != 'none':
            forms.append(('unknown first axes', [(0,)] * len(arrays)))
        if unknown == 'each':
            forms.append(('unknown shapes', [tuple(range(a.ndim)) for a in arrays]))
            for i, array in enumerate(arrays):
                forms += [
                    (f'unknown axis {axis} of argument {i}', [(axis,) if j == i else () for j in range(len(arrays))])
                    for axis in range(array.ndim)
                ]
        labels, outputs, feeds = [], [], []
        for label, form in forms:
            tensors = [self.placeholder(a, axes) for a, axes in zip(arrays, form)]
            labels.append(label)
            outputs.append(build(*tensors))
            feeds += list(zip(tensors, arrays))
        if leaves:
            labels += ['variables', 'constants']
            outputs += [build(*[make(a, dtype=a.dtype.name) for a in arrays]) for make in (K.variable, K.constant)]
        static = K.int_shape(outputs[0])
        assert None not in static, f'int_shape is {static} where all arguments have known shapes'
        for label, value in zip(labels, self.run(outputs, feeds)):
            if dtype is not None:
                assert value.dtype.name == dtype, f'{label}: dtype {value.dtype.name} instead of {dtype}'
            close(value, expected, scale, label, tolerance)

    # -- gradients ---------------------------------------------------------------------------------------------------
    def gradients(self, build, *arrays, wrt=None, second=True, unknown=False, tolerance=DIFFERENCES):
        """Compare K.gradients with central differences in float64: of first order, and with `second` of second order.

        The loss is a weighted sum of build(*tensors). The weights keep errors from cancelling out.
        wrt: the positions of the arguments to differentiate by. None means all float arguments.
        """
        K = self.K
        arrays = [np.array(a, dtype='float64' if np.asarray(a).dtype.kind == 'f' else None) for a in arrays]
        if wrt is None:
            wrt = [i for i, a in enumerate(arrays) if a.dtype.kind == 'f']
        tensors = [self.placeholder(a, range(a.ndim) if unknown else ()) for a in arrays]
        by = [tensors[i] for i in wrt]
        built = build(*tensors)
        weights = []
        loss = self._weighted(built if isinstance(built, (list, tuple)) else [built], weights)
        grads = K.gradients(loss, by)
        assert isinstance(grads, list)
        assert len(grads) == len(by)
        assert all(g is not None for g in grads), 'a gradient is None'
        outputs, roots = [loss] + grads, 1
        if second:
            again = self._weighted(grads, weights)
            second_grads = K.gradients(again, by)
            outputs += [again] + [K.zeros_like(t) if g is None else g for t, g in zip(by, second_grads)]
            roots = 2
        function = K.function(tensors, outputs)
        values = function(arrays)
        for tensor, value in zip(outputs, values):
            self.truthful(tensor, value)
        for root in range(roots):
            at = root * (1 + len(by))
            for j, i in enumerate(wrt):
                self._differences(
                    function, arrays, i, at, values[at + 1 + j], tolerance, f'order {root + 1}, argument {i}'
                )

    def _weighted(self, tensors, weights):
        """The weighted sum of all elements. `weights` collects the weights, so that each tensor gets different ones."""
        K = self.K
        total = None
        for tensor in tensors:
            shape = K.int_shape(tensor)
            if None in shape:  # the weights depend on positions, because the size is not known
                flat = K.flatten(tensor)
                weight = K.cos(K.cast(K.arange(K.shape(flat)[0]), 'float64') + float(len(weights)))
                term = K.sum(K.cast(flat * weight, 'float64'))
            else:
                weight = K.constant(random(shape, seed=len(weights) + 77, low=0.5), dtype='float64')
                # Operators that K has no say in may tell another dtype than they give.
                term = K.sum(K.cast(tensor * weight, 'float64'))
            weights.append(weight)
            total = term if total is None else K.cast(total + term, 'float64')
        return total

    @staticmethod
    def _differences(function, arrays, i, at, gradient, tolerance, what):
        array = arrays[i]
        numeric = np.zeros(array.shape)
        for index in np.ndindex(*array.shape):
            losses = []
            for step in (STEP, -STEP):
                moved = array.copy()
                moved[index] += step
                losses.append(float(function([moved if j == i else a for j, a in enumerate(arrays)])[at]))
            numeric[index] = (losses[0] - losses[1]) / (2 * STEP)
        scale = max(1.0, np.abs(numeric).max() if numeric.size else 1.0)
        np.testing.assert_allclose(gradient, numeric, rtol=tolerance, atol=tolerance * scale, err_msg=what)

    # -- errors ------------------------------------------------------------------------------------------------------
    @contextmanager
    def rejects(self, *fragments, **options):
        """Expect a ValueError, or the class given as `error`, whose message has all `fragments`."""
        with pytest.raises(options.get('error', ValueError)) as caught:
            yield caught
        message = str(caught.value)
        assert message.strip(), 'an error without a message'
        for fragment in fragments:
            assert str(fragment) in message, f'{fragment!r} is not in the message {message!r}'

    def refuses(self, fragment, function, *args, **named):
        """Expect a ValueError of one call, whose message has the fragment."""
        with self.rejects(fragment):
            function(*args, **named)

    @contextmanager
    def fails(self):
        """Expect an error in a run, of any class that the library raises for what it is given."""
        try:
            yield
        except (UnsupportedByEngine, AssertionError, AttributeError, NameError):  # a mistake in the engine or the test
            raise
        except Exception:  # noqa: BLE001 - of any library, as the docstring says
            return
        pytest.fail('no error was raised')
