"""A program of wide_programs on an engine, beside the truth: dtypes, shapes, values, updates, gradients."""

import numpy as np
from program_truth import EPS, QUANTUM, SMALLEST, Uncounted, is_float
from wide_programs import VARIABLES, compiled, parameters, truth_of

# A result that rounding may move further than this is not counted.
LIMIT = {'float16': 0.1, 'float32': 0.01, 'float64': 1e-6}
# Times the distance that noise moves a result: kernels of a few units, and other orders of a sum. One draw of the noise
# may be small by chance, so what is too far off is measured again with many.
SAFETY = 8
# Engines compute the slope of tanh and sigmoid from the value, as 1 - y * y. This is off by a unit of y, times the
# slopes below it: about 100 for 1 / x. The noise of the truth moves values, not slopes. In float16 the noise is
# more.
OF_SLOPES = {'float16': 0.0, 'float32': 128 * EPS['float32'], 'float64': 128 * EPS['float64']}
NOISES, MANY_NOISES = 1, 24


class OnEngine:
    """K of an engine, and what a program calls beside K."""

    def __init__(self, K):
        self.K, self.top, self.updates = K, {}, []

    def __getattr__(self, name):
        return getattr(self.K, name)

    def keep(self, name, x):
        self.top[name] = x
        return x

    def size(self, x, axis):
        return self.K.shape(x)[axis]

    def change(self, kind, _name, variable, value, *momentum):
        self.updates.append(getattr(self.K, kind)(variable, value, *momentum))

    def grad(self, function, x):
        """The gradient of the sum of function(x)."""
        z = self.K.identity(x)
        (g,) = self.K.gradients(self.K.sum(function(z)), [z])
        return self.K.zeros_like(x) if g is None else g


class Difference(Exception):
    """An engine is not as the truth. `kind` says in what way, in few words that programs may have in common."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class Truths:
    """All that the truth says about one feed of a case."""

    def __init__(self, case, feed, rng):
        self.case, self.feed = case, feed
        self.base = self.run()
        self.noisy = []
        self.along = {
            n: [np.asarray(rng.uniform(-1, 1, np.shape(feed.values[n])), case.dtypes[n]) for _ in range(2)]
            for n in parameters(case.text)
            if is_float(case.dtypes[n])
        }

    def run(self, noise=None, moved=None, stopped=None):
        case = self.case
        values = self.feed.values
        if moved is not None:
            # unrounded: a step may be smaller than a unit of float16
            values = dict(values)
            for n, along in self.along.items():
                values[n] = values[n].astype('float64') + sum(s * d.astype('float64') for s, d in zip(moved, along))
        return truth_of(case.text, case.floatx, case.dtypes, values, self.feed.phase, noise, stopped)

    def more_noise(self, n):
        while len(self.noisy) < n:
            self.noisy.append(self.run(noise=len(self.noisy)))

    # -- values --------------------------------------------------------------------------------------------------
    def compare(self, name, result, of=lambda B, name: B.top[name]):
        """The share of the elements that could be compared; raises a Difference."""
        wanted = of(self.base, name)
        if result.dtype.name != wanted.dtype:
            raise Difference('dtype', f'{name} is {result.dtype}, not {wanted.dtype}')
        if np.shape(result) != wanted.shape:
            raise Difference('shape', f'{name} has the shape {np.shape(result)}, not {wanted.shape}')
        for noises in NOISES, MANY_NOISES:
            self.more_noise(noises)
            counted, right = self._right(wanted, np.asarray(result), [of(B, name).data for B in self.noisy[:noises]])
            if np.all(right | ~counted):
                return float(np.mean(counted)) if counted.size else 1.0
        raise Difference('value', f'{name} is\n{result}\nnot\n{wanted.data}')

    def _right(self, wanted, result, noisy):
        data, dtype = wanted.data, wanted.dtype
        if not is_float(dtype):
            return np.all([data == n for n in noisy], 0), data == result
        with np.errstate(all='ignore'):
            finite = np.isfinite(data)
            same = [np.where(finite, np.isfinite(n), (data == n) | (np.isnan(data) & np.isnan(n))) for n in noisy]
            moved = np.max([np.where(finite, np.abs(n - data), 0) for n in noisy], 0)
            moved = np.where(np.isfinite(moved), moved, 0)
            moved = moved + (np.mean(moved) if moved.size else 0)
            tolerance = SAFETY * moved + 4 * EPS[dtype] * np.abs(data) + 4 * QUANTUM[dtype] + SMALLEST[dtype]
            counted = np.all(same, 0) & ~(finite & (tolerance > LIMIT[dtype] * (1 + np.abs(data))))
            equal = (data == result) | (np.isnan(data) & np.isnan(result))
            near = finite & np.isfinite(result) & (np.abs(result.astype('float64') - data) <= tolerance)
        return counted, equal | near

    # -- gradients -----------------------------------------------------------------------------------------------
    def loss(self, noise, stopped):
        def loss(first, second=0.0):
            return float(self.run(noise, (first, second), stopped).top['loss'].data)

        return loss

    def first(self, noise=None):
        """The derivative of the loss along the first direction, and what it is uncertain by."""
        base = self.base if noise is None else self.noisy[noise]
        loss, h, here = self.loss(noise, base.state.stopped), 1e-4, float(base.top['loss'].data)
        near, far = [(loss(s), loss(-s)) for s in (h, 2 * h)]
        slope, wide = (near[0] - near[1]) / (2 * h), (far[0] - far[1]) / (4 * h)
        bend, wide_bend = (near[0] - 2 * here + near[1]) / h, (far[0] - 2 * here + far[1]) / (2 * h)
        if not abs(slope - wide) < 1e-5 * (1 + abs(slope)) or not abs(2 * bend - wide_bend) < 1e-4 * (1 + abs(slope)):
            raise Uncounted('a kink')
        return (4 * slope - wide) / 3, abs(slope - wide) + 1e-9

    def second(self, noise=None):
        """The derivative of the first one along the second direction."""
        base = self.base if noise is None else self.noisy[noise]
        if base.state.without_second_order:
            raise Uncounted('the second derivative of a square root')
        loss, found = self.loss(noise, base.state.stopped), []
        for h in 1e-3, 2e-3:
            found.append((loss(h, h) - loss(h, -h) - loss(-h, h) + loss(-h, -h)) / (4 * h * h))
        near, far = found
        if not abs(near - far) < 1e-3 * (1 + abs(near)):
            raise Uncounted('a kink')
        return (4 * near - far) / 3, 0.1 * abs(near - far) + 1e-8

    def compare_gradients(self, order, gradients):
        """`gradients` by name, those of the order 1 or 2; False if they are not counted."""
        truth = (self.first, self.second)[order - 1]
        wanted, uncertain = truth()
        terms = [gradients[n].astype('float64') * d[order - 1].astype('float64') for n, d in self.along.items()]
        found = sum(np.sum(t) for t in terms)
        size = sum(np.sum(np.abs(t)) for t in terms)
        lowest = max((d for d in self.case.dtypes.values() if is_float(d)), key=EPS.get)
        # Most are right at once.
        for noises in 0, 2, MANY_NOISES // 2:
            self.more_noise(noises)
            moved = max([abs(truth(k)[0] - wanted) for k in range(noises)], default=0.0)
            tolerance = 2 * SAFETY * moved + uncertain * (1 + abs(wanted)) + 4 * EPS[lowest] * size + OF_SLOPES[lowest]
            if not tolerance < LIMIT[self.case.floatx] * (1 + abs(wanted)):
                return False
            if abs(found - wanted) <= tolerance:
                return True
        given = {n: g.tolist() for n, g in gradients.items()}
        raise Difference(f'gradient {order}', f'along a direction {found}, not {wanted} (+- {tolerance}): {given}')


class Outcome:
    """What was compared: outputs and elements that counted, and why others did not."""

    def __init__(self):
        self.outputs = self.compared = self.gradients = self.gradients_compared = self.feeds = 0
        self.uncounted = []


def truths_of(case, outcome=None):
    """The Truths of the feeds that have one."""
    found = []
    for number, feed in enumerate(case.feeds):
        try:
            truths = Truths(case, feed, np.random.RandomState(number))
            truths.more_noise(NOISES)
            found.append(truths)
        except Exception as e:
            # Also an error of NumPy: a branch that the generator did not take, or a size of 0 in it.
            if outcome:
                outcome.uncounted.append(str(e))
    return found


class Built:
    """The case as functions of an engine."""

    def __init__(self, K, case):
        self.K, self.case = K, case
        K.clear_session()
        K.set_floatx(case.floatx)
        self.names = parameters(case.text)
        self.inputs = {n: self._input(n) for n in self.names}
        phase = K.learning_phase()
        B = self.B = OnEngine(K)
        compiled(case.text)(B, *self.inputs.values(), phase)
        self.floats = [n for n in self.names if is_float(case.dtypes[n])]
        self.fed = [n for n in self.names if n not in VARIABLES]
        outputs, directions = list(B.top.values()), []
        self.orders = []
        if case.orders:
            first = self._gradients(B.top['loss'])
            self.orders.append(first)
        if case.orders > 1:
            directions = [self._placeholder(n) for n in self.floats]
            terms = [K.cast(K.sum(g * d), case.floatx) for g, d in zip(first, directions) if g is not None]
            self.orders.append(self._gradients(sum(terms[1:], terms[0])) if terms else [None] * len(self.floats))
        self.directed = bool(directions)
        self.given = [
            K.zeros_like(self.inputs[n]) if g is None else g for one in self.orders for n, g in zip(self.floats, one)
        ]
        self.outputs = outputs + self.given
        self.run = K.function([self.inputs[n] for n in self.fed] + directions + [phase], self.outputs, B.updates)

    def _placeholder(self, name):
        return self.K.placeholder(self.case.shapes[name], dtype=self.case.dtypes[name])

    def _input(self, name):
        if name not in VARIABLES:
            return self._placeholder(name)
        return self.K.variable(self.case.feeds[0].values[name], dtype=self.case.dtypes[name])

    def _gradients(self, loss):
        targets = [self.inputs[n] for n in self.floats]
        return self.K.gradients(loss, targets) if targets else []

    def __call__(self, truths):
        K, feed = self.K, truths.feed
        for n in self.names:
            if n in VARIABLES:
                K.set_value(self.inputs[n], feed.values[n])
        values = [feed.values[n] for n in self.fed]
        if self.directed:
            values += [truths.along[n][0] for n in self.floats]
        return self.run(values + [feed.phase])


def compare(K, case, truths=None):
    """Runs the case on an engine; an Outcome, or a Difference or the engine's own error."""
    outcome = Outcome()
    truths = truths_of(case, outcome) if truths is None else truths
    if not truths:
        return outcome
    built = Built(K, case)
    for truth in truths:
        results = built(truth)
        outcome.feeds += 1
        for tensor, result in zip(built.outputs, results):
            _hold_static(K, tensor, result)
        names = list(built.B.top)
        for name, result in zip(names, results):
            outcome.outputs += 1
            outcome.compared += truth.compare(name, result) > 0.5
        if built.B.updates:
            for name in {name for _k, name, _c, _m in truth.base.changes}:
                outcome.outputs += 1
                value = K.get_value(built.inputs[name])
                outcome.compared += truth.compare(name, value, lambda B, name: B.changed(B.variables)[name]) > 0.5
        if truth.feed.extreme or not is_finite(truth):
            continue
        results = results[len(names) :]
        for order in range(1, case.orders + 1):
            gradients = dict(zip(built.floats, results[(order - 1) * len(built.floats) :]))
            for n, g in gradients.items():
                if g.dtype.name != case.dtypes[n]:
                    raise Difference('dtype', f'the gradient of {n} is {g.dtype}, not {case.dtypes[n]}')
                if g.shape != np.shape(truth.feed.values[n]):
                    raise Difference('shape', f'the gradient of {n} has the shape {g.shape}')
            outcome.gradients += 1
            try:
                outcome.gradients_compared += truth.compare_gradients(order, gradients)
            except Uncounted as e:
                outcome.uncounted.append(str(e))
    return outcome


def is_finite(truth):
    return not truth.case.orders or bool(np.isfinite(truth.base.top['loss'].data))


def _hold_static(K, tensor, result):
    """What was known before the run is so."""
    if K.dtype(tensor) != result.dtype.name:
        raise Difference('static dtype', f'K.dtype says {K.dtype(tensor)}, the run {result.dtype}')
    known = K.int_shape(tensor)
    if known is not None and (
        len(known) != np.ndim(result) or any(a not in (None, b) for a, b in zip(known, np.shape(result)))
    ):
        raise Difference('static shape', f'K.int_shape says {known}, the run {np.shape(result)}')
