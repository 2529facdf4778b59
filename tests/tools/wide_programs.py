"""Random programs with every dtype, sizes of 0 and 1, unknown sizes, and updates: for K on any engine.

See random_programs for the grammar, program_truth for what is right, engine_programs for the comparison.
"""

import numpy as np
from program_truth import Run, Truth, Uncounted, is_float, promoted
from random_programs import Writer, _joint

# 'F' is the floatx of the program.
INPUTS = (
    ('x', ('b', 't', 3), 'F'),
    ('y', ('t', 'b', 2), 'F'),
    ('z', ('b', 2), 'F'),
    ('q', ('u', 3), 'F'),
    ('c', (), 'F'),
    ('o', (1, 3), 'F'),
    ('e', ('b', 0), 'F'),
    ('v', (3, 2), 'F'),
    ('w', (2, 3), 'F'),
    ('h', (2,), 'F'),
    ('l', ('b', 't'), 'other'),
    ('i', ('b',), 'int32'),
    ('j', ('t', 'b'), 'int64'),
    ('k', (3,), 'uint8'),
    ('n', (2, 3), 'int32'),
    ('m', ('b', 't'), 'bool'),
    ('p', ('b',), 'bool'),
)
VARIABLES = ('v', 'w', 'h', 'n')
SIZES = ({'b': 2, 't': 3, 'u': 1}, {'b': 3, 't': 2, 'u': 3}, {'b': 2, 't': 1, 'u': 2})
SMALL_SIZES = ({'b': 1, 't': 2, 'u': 1}, {'b': 1, 't': 1, 'u': 1}, {'b': 0, 't': 2, 'u': 1}, {'b': 2, 't': 0, 'u': 2})

FLOAT = (
    'B.elu({})',
    'B.softsign({})',
    'B.hard_sigmoid({})',
    'B.round({} * 3.)',
    'B.sign({})',
    'B.clip({}, -0.5, 0.5)',
    'B.sqrt({})',
    'B.log(B.abs({}) + 0.1)',
    '1. / {}',
    'B.exp({})',
    'B.relu({}, alpha=0.1, max_value=0.5, threshold=0.1)',
    'B.pow({}, 2)',
    '{} // 0.3',
    '{} % 0.7',
    'B.l2_normalize({}, axis=-1)',
    'B.zeros_like({})',
    'B.ones_like({})',
    'abs({})',
    '2. - {}',
    '{} ** 2',
)
WHOLE = ('{} + 1', '{} % 3', '{} // 2', '{} * 2', 'B.square({})', 'B.abs({})', 'B.clip({}, 0, 2)', 'B.maximum({}, 1)')
WHOLE_PAIRS = ('{} + {}', '{} * {}', 'B.maximum({}, {})', 'B.minimum({}, {})')
MIXED_PAIRS = ('B.maximum({}, {})', 'B.minimum({}, {})')
COMPARISONS = ('equal', 'not_equal', 'less', 'less_equal', 'greater', 'greater_equal')


class WideWriter(Writer):
    """Writes a program, statement by statement; a statement that has no truth is taken back."""

    KINDS = Writer.KINDS + [
        *('more more reduction whole whole compare compare logic cast cast cast mixed mixed'.split()),
        *('lookup making net change mask'.split()),
    ]

    def __init__(self, seed, floatx, other, smooth=False, **options):
        super().__init__(seed, smooth=smooth, **options)
        self.floatx, self.working = floatx, floatx
        self.dtypes = {}
        for name, shape, dtype in INPUTS:
            self.dtypes[name] = {'F': floatx, 'other': other}.get(dtype, dtype)
            self.scope.append((name, shape))

    # -- dtypes --------------------------------------------------------------------------------------------------
    def all(self, accept=lambda shape: True):
        return [v for v in self.scope if self.dtypes[v[0]] == self.working and accept(v[1])]

    def some(self, dtypes, accept=lambda shape: True):
        """A variable of one of these dtypes: name, shape and dtype."""
        found = [v for v in self.scope if dtypes(self.dtypes[v[0]]) and accept(v[1])]
        if not found:
            return None
        name, shape = found[-1 - min(self.rng.randint(len(found)), self.rng.randint(len(found)))]
        return name, shape, self.dtypes[name]

    def let(self, text, shape, dtype=None):
        name = super().let(text, shape)
        if name:
            self.dtypes[name] = dtype or self.working
        return name

    def write(self, line, *values):
        super().write(line, *values)
        if self.indent == 2 and line == '%s = %s' and values[0][0] == 'o':
            self.dtypes[values[0]] = self.working

    def new(self, prefix='t'):
        name = super().new(prefix)
        self.dtypes[name] = self.working
        return name

    def statement(self):
        before = self.working
        floats = sorted({self.dtypes[name] for name, _shape in self.scope if is_float(self.dtypes[name])})
        self.working = self.one(floats) if self.chance(0.3) else self.floatx
        super().statement()
        self.working = before

    # -- statements ----------------------------------------------------------------------------------------------
    def a_special(self):
        x, shape = self.any()
        if self.chance(0.3) and shape:
            y, other = self.any(lambda s: len(s) > 0)
            size = self.one((f'B.size({y}, {self.rng.randint(len(other))})', f'(B.size({y}[:1], 0) + 1)'))
            return self.let(f"{x} * 0.2 * B.cast({size}, '{self.working}')", shape)
        y, _ = self.any(lambda s: s == shape)
        lead = self.any(lambda s: 0 < len(s) <= len(shape) and s == shape[: len(s)])
        return lead and self.let(f'B.switch(B.greater({lead[0]}, 0.1234), {x}, {y})', shape)

    def a_more(self):
        if self.smooth:
            return self.a_unary()
        x, shape = self.any(lambda s: len(s) > 0)
        return self.let(self.one(FLOAT).format(x), shape)

    def a_reduction(self):
        x, shape, dtype = self.some(lambda d: d != 'bool', lambda s: len(s) > 0)
        axis, keep = self.rng.randint(-len(shape), len(shape)), self.chance(0.4)
        name = self.one('sum mean prod max min std logsumexp argmax argmin cumsum any all'.split())
        if name in ('argmax', 'argmin'):
            return self.let(
                f'B.{name}({x}, axis={axis})', shape[: axis % len(shape)] + shape[axis % len(shape) + 1 :], 'int64'
            )
        if name == 'cumsum':
            return self.let(f'B.cumsum({x}, axis={axis})', shape, dtype)
        if name in ('mean', 'std', 'logsumexp') and not is_float(dtype):
            dtype = self.floatx
        if name in ('any', 'all'):
            dtype = 'bool'
        every = self.chance(0.2)
        kept = [1 if every or i == axis % len(shape) else d for i, d in enumerate(shape) if keep or not every]
        if not keep and not every:
            del kept[axis % len(shape)]
        return self.let(f'B.{name}({x}, axis={None if every else axis}, keepdims={keep})', kept, dtype)

    def a_whole(self):
        found = self.some(lambda d: 'int' in d)
        x, shape, dtype = found
        if self.chance(0.4):
            y, other, _ = self.some(lambda d: d == dtype, lambda s: _joint(shape, s) is not None)
            return self.let(self.one(WHOLE_PAIRS).format(x, y), _joint(shape, other), dtype)
        return self.let(self.one(WHOLE).format(x), shape, dtype)

    def a_compare(self):
        kind = self.one((is_float, is_float, lambda d: d != 'bool', lambda d: 'int' in d))
        x, shape, _ = self.some(kind)
        name = self.one(COMPARISONS)
        if self.chance(0.3):
            return self.let(f'B.{name}({x}, {self.one((0, 1, 0.25))})', shape, 'bool')
        y, other, _ = self.some(kind, lambda s: _joint(shape, s) is not None)
        return self.let(f'B.{name}({x}, {y})', _joint(shape, other), 'bool')

    def a_logic(self):
        x, shape, _ = self.some(lambda d: d == 'bool')
        kind = self.rng.randint(6)
        if kind < 2 and shape:
            axis, keep = self.rng.randint(len(shape)), self.chance(0.4)
            kept = [1 if i == axis else d for i, d in enumerate(shape) if keep or i != axis]
            name = self.one('any all sum mean max'.split())
            dtype = {'sum': 'int32', 'mean': self.floatx}.get(name, 'bool')
            return name != 'max' and self.let(f'B.{name}({x}, axis={axis}, keepdims={keep})', kept, dtype)
        if kind == 2:
            y, other, _ = self.some(lambda d: d == 'bool', lambda s: _joint(shape, s) is not None)
            return self.let(f'B.{self.one(("equal", "not_equal"))}({x}, {y})', _joint(shape, other), 'bool')
        y, other, dtype = self.some(lambda d: True, lambda s: s[: len(shape)] == shape)
        z, _, _ = self.some(lambda d: d == dtype, lambda s: s == other)
        return self.let(f'B.switch({x}, {y}, {z})', other, dtype)

    def a_cast(self):
        x, shape, own = self.some(lambda d: True)
        dtype = self.one('float16 float32 float64 int32 int64 uint8 int8 bool'.split())
        if not is_float(own) or is_float(dtype) or dtype == 'bool':
            return self.let(f"B.cast({x}, '{dtype}')", shape, dtype)
        small = f'B.square(B.tanh({x})) * 5.' if dtype == 'uint8' else f'B.tanh({x}) * 3.'
        return self.let(f"B.cast({small}, '{dtype}')", shape, dtype)

    def a_mixed(self):
        x, shape, own = self.some(lambda d: d != 'bool')
        kind = self.rng.randint(3)
        if kind == 0:
            y, other, dtype = self.some(lambda d: d != 'bool', lambda s: _joint(shape, s) is not None)
            return self.let(
                self.one(MIXED_PAIRS).format(x, y), _joint(shape, other), promoted([own, dtype], self.floatx)
            )
        y, other, dtype = self.some(lambda d: d != 'bool', lambda s: s == shape)
        dtype = promoted([own, dtype], self.floatx)
        if kind == 1 and len(shape) < 4:
            return self.let(f'B.stack([{x}, {y}], axis=0)', (2,) + shape, dtype)
        if kind == 2 and shape and isinstance(shape[-1], int):
            return self.let(f'B.concatenate([{x}, {y}])', shape[:-1] + (2 * shape[-1],), dtype)
        return None

    def a_lookup(self):
        x, shape, dtype = self.some(lambda d: d != 'bool', lambda s: s and isinstance(s[0], int) and s[0] > 0)
        at, other, _ = self.some(lambda d: d in ('int32', 'int64'), lambda s: len(s) < 3)
        if self.chance(0.3):
            return self.let(f'B.one_hot(B.clip({at}, 0, 2), 3)', other + (3,), self.floatx)
        return self.let(f'B.gather({x}, B.clip({at}, 0, {shape[0] - 1}))', other + shape[1:], dtype)

    def a_making(self):
        x, shape, dtype = self.some(lambda d: d != 'bool', lambda s: len(s) > 0)
        kind = self.rng.randint(6)
        if kind == 0:
            return self.let(f"B.ones((B.size({x}, 0), 2), dtype='{dtype}')", (shape[0], 2), dtype)
        if kind == 1:
            return self.let(f"B.zeros((B.size({x}, 0),), dtype='{dtype}')", shape[:1], dtype)
        if kind == 2:
            return self.let(f'B.arange(B.size({x}, 0))', shape[:1], 'int32')
        if kind == 3 and len(shape) == 2:
            return self.let(f'B.repeat({x}, 2)', (shape[0], 2, shape[1]), dtype)
        if kind == 4 and len(shape) > 1 and all(isinstance(d, int) for d in shape[1:]):
            return self.let(f'B.batch_flatten({x})', (shape[0], int(np.prod(shape[1:]))), dtype)
        if kind == 5 and isinstance(shape[-1], int) and shape[-1] > 0:
            at, size = self.rng.randint(shape[-1]), [-1] * len(shape)
            start = [0] * (len(shape) - 1) + [at]
            size[-1] = self.rng.randint(shape[-1] - at + 1)
            return self.let(f'B.slice({x}, {start}, {size})', shape[:-1] + (size[-1],), dtype)
        return None

    def a_net(self):
        kind = self.rng.randint(6)
        if kind == 0:
            found = self.any(lambda s: 1 < len(s) and s[-1] == 2)
            return found and self.let(f'B.bias_add({found[0]}, B.cast(h, {self.working!r}))', found[1])
        if kind == 1:
            found = self.any(lambda s: 1 < len(s) and s[-1] == 3)
            if not found:
                return None
            y, _ = self.any(lambda s: s == found[1])
            return self.let(f'B.categorical_crossentropy(B.softmax({y}), B.softmax({found[0]}))', found[1][:-1])
        if kind == 2:
            found = self.any(lambda s: len(s) == 3 and s[-1] == 3)
            kernel = f'B.reshape(B.cast(w, {self.working!r}), ({self.one(("1, 3, 2", "2, 3, 1"))}))'
            channels = int(kernel[-3])
            return found and self.let(
                f"B.conv1d({found[0]}, {kernel}, padding='same', data_format='channels_last')",
                found[1][:-1] + (channels,),
            )
        if kind == 3:
            found = self.any(lambda s: len(s) == 4 and all(isinstance(d, int) for d in s[1:3]))
            if not found:
                return None
            s = found[1]
            if self.chance(0.3):
                text, rows, columns = f'B.spatial_2d_padding({found[0]}, ((1, 0), (0, 2)))', s[1] + 1, s[2] + 2
            elif self.chance(0.5):
                text = f"B.resize_images({found[0]}, 2, 1, data_format='channels_last')"
                rows, columns = 2 * s[1], s[2]
            else:
                mode = self.one(('max', 'avg'))
                text = f"B.pool2d({found[0]}, (2, 1), strides=(2, 1), pool_mode='{mode}', data_format='channels_last')"
                rows, columns = s[1] // 2, s[2]
            return self.let(text, (s[0], rows, columns, s[3]))
        if kind == 4:
            found = self.any(lambda s: 1 < len(s) and s[-1] == 2)
            v = f'B.cast(h, {self.working!r})'
            return found and self.let(
                f'B.batch_normalization({found[0]}, {v}, B.square({v}) + 0.5, {v} - 0.5, {v} * 2.)', found[1]
            )
        found = self.any(lambda s: 0 < len(s) < 4)
        return found and self.let(f'B.transpose({found[0]})', found[1][::-1])

    def a_mask(self):
        """What only the run knows the size of ends in a sum."""
        x, shape = self.any(lambda s: len(s) > 0)
        mask = self.some(lambda d: d == 'bool', lambda s: 0 < len(s) <= len(shape) and s == shape[: len(s)])
        return mask and self.let(f'B.sum({x}[{mask[0]}], axis=0)', shape[len(mask[1]) :])

    def a_change(self):
        if self.indent > 1 or self.smooth:
            return None
        name = self.one(VARIABLES)
        shape, dtype = next((s, self.dtypes[n]) for n, s, _d in INPUTS if n == name)
        found = self.some(lambda d: d == dtype, lambda s: s == shape)
        kind = self.one(
            ('update', 'update_add', 'update_sub') + (('moving_average_update',) if is_float(dtype) else ())
        )
        momentum = ', 0.75' if kind == 'moving_average_update' else ''
        self.write('%s', f'B.change({kind!r}, {name!r}, {name}, {found[0]}{momentum})')
        return True

    def c_phase(self):
        return None if self.chance(0.5) else super().c_phase()


def draw(rng, sizes, shape, dtype, extreme=False):
    shape = [sizes.get(d, d) for d in shape]
    if dtype == 'bool':
        return rng.rand(*shape) < 0.5
    if not is_float(dtype):
        return np.asarray(rng.randint(0 if dtype[0] == 'u' else -1, 4, shape), dtype)
    data = np.asarray(rng.uniform(-1, 1, shape), dtype)
    if extreme and data.size:
        data = np.where(rng.rand(*shape) < 0.25, rng.choice([np.nan, np.inf, -np.inf, 0.0], shape), data).astype(dtype)
    return data


class Feed:
    """Values of all inputs by name, and the phase."""

    def __init__(self, rng, dtypes, sizes, extreme=False):
        self.values = {
            name: draw(rng, sizes, shape, dtypes[name], extreme and name not in VARIABLES) for name, shape, _d in INPUTS
        }
        self.phase = int(rng.randint(2))
        self.extreme = extreme

    @classmethod
    def of(cls, values, phase):
        feed = cls.__new__(cls)
        feed.values, feed.phase = values, phase
        feed.extreme = not all(np.all(np.isfinite(v)) for v in values.values())
        return feed


class Case:
    """A program, what it is given, and the order of the gradients of its `loss` that are compared."""

    def __init__(self, text, floatx, dtypes, shapes, feeds, orders=0):
        self.text, self.floatx, self.dtypes, self.shapes = text, floatx, dtypes, shapes
        self.feeds, self.orders = feeds, orders

    def but(self, **changes):
        new = Case(self.text, self.floatx, self.dtypes, self.shapes, self.feeds, self.orders)
        new.__dict__.update(changes)
        return new


class Wide:
    """A random program for any engine: `text`, `floatx`, `inputs` (name: dtype, static shape) and `feeds`."""

    def __init__(self, seed, statements=None, loops=2):
        rng = np.random.RandomState(seed)
        self.seed = seed
        self.floatx = ('float32', 'float32', 'float64', 'float16')[rng.randint(4)]
        other = ('float32', 'float64', 'float16')[rng.randint(3)]
        self.orders = (0, 0, 1, 2)[rng.randint(4)]
        smooth = self.orders == 2 or (self.orders == 1 and bool(rng.randint(2)))
        writer = WideWriter(
            rng.randint(1 << 30), self.floatx, other, smooth=smooth, inner_gradients=not self.orders, depth=loops
        )
        # A size that is known in the program is one of the feeds' sizes; others are None.
        sizes = [SIZES[rng.randint(len(SIZES))], (SIZES + SMALL_SIZES)[rng.randint(len(SIZES + SMALL_SIZES))]]
        self.static = {'b': sizes[0]['b'], 't': sizes[0]['t'], 'u': sizes[0]['u']} if rng.rand() < 0.2 else {}
        if self.static:
            sizes[1] = sizes[0]
        self.dtypes = {name: writer.dtypes[name] for name, _s, _d in INPUTS}
        self.feeds = [Feed(rng, self.dtypes, s) for s in sizes]
        if rng.rand() < 0.3 and not self.orders:
            self.feeds.append(Feed(rng, self.dtypes, sizes[0], True))
        self.lines = []
        for _ in range(statements or rng.randint(4, 11)):
            self._statement(writer)
        kept = [name for name, shape in writer.scope[len(INPUTS) :] if is_float(writer.dtypes[name])]
        if self.orders:
            terms = [
                f"B.cast(B.sum(B.tanh({name})), '{self.floatx}') * {0.5 + 0.5 * rng.rand():.3f}" for name in kept
            ] or [f'B.sum({name}) * 0.1' for name in ('v',)]
            self.lines.append(f"    loss = B.keep('loss', {' + '.join(terms)})")
        self.text = program_text(self.lines)

    def case(self):
        shapes = {n: tuple(d if isinstance(d, int) else self.static.get(d) for d in s) for n, s, _d in INPUTS}
        return Case(self.text, self.floatx, self.dtypes, shapes, self.feeds, self.orders)

    def _statement(self, writer):
        scope, lines = len(writer.scope), len(writer.lines)
        try:
            writer.statement()
            text = program_text(self.lines + writer.lines[lines:])
            for feed in self.feeds[:2]:
                truth_of(text, self.floatx, self.dtypes, feed.values, feed.phase)
        except (Uncounted, ValueError, TypeError, IndexError, ZeroDivisionError, OverflowError):
            del writer.scope[scope:], writer.lines[lines:]
            writer.indent, writer.working = 1, writer.floatx
        self.lines += writer.lines[lines:]


def program_text(lines):
    names = ', '.join(name for name, _s, _d in INPUTS)
    return f'def program(B, {names}, phase):\n' + '\n'.join(lines or ['    pass']) + '\n'


_compiled = {}


def compiled(text):
    if text not in _compiled:
        if len(_compiled) > 50:
            _compiled.clear()
        scope = {}
        exec(text, scope)
        _compiled[text] = scope['program']
    return _compiled[text]


def truth_of(text, floatx, dtypes, values, phase, noise=None, stopped=None):
    """The Truth after the program ran on arrays: `top` has the values of its outermost level by name."""
    run = Run(floatx, noise, stopped)
    B = Truth(run)
    program = compiled(text)
    B.variables = {n: run.wrap(values[n], dtypes[n], exact=True) for n in parameters(text)}
    program(B, *B.variables.values(), phase)
    return B


def parameters(text):
    """The inputs that the program has, without B and the phase."""
    code = compiled(text).__code__
    return code.co_varnames[1 : code.co_argcount - 1]
