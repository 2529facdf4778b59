"""Random programs of K: text that runs on K and, the same, on NumPy arrays (see eager_programs). One grammar, one file.

Sizes are numbers or names: 'b' and 't' are unknown while the graph is built, 'u' is 1 or 'b' when it runs.
"""

import numpy as np

UNARY = (
    'B.tanh({})',
    'B.sin({})',
    'B.cos({})',
    'B.sigmoid({})',
    'B.softplus({})',
    'B.exp(B.tanh({}))',
    'B.square(B.tanh({}))',
    '-{}',
    'B.sqrt(1.5 + B.sin({}))',
    'B.log(2. + B.cos({}))',
    'B.pow(B.tanh({}), 3.)',
    '1. / (1. + B.square({}))',
    '{} * 0.5 + 0.25',
    '1. - {}',
    'B.identity({})',
)
KINKED = ('B.relu({})', 'B.abs({})', 'B.stop_gradient({})')
BINARY = (
    '{} + {}',
    '{} - {}',
    'B.tanh({} * {})',
    '{} / (1. + B.square({}))',
    'B.tanh({}) * B.sigmoid({})',
    'B.pow(1. + B.sigmoid({}), B.tanh({}))',
)
KINKED_BINARY = ('B.maximum({}, {})', 'B.minimum({}, {})')


class Writer:
    """Writes one program. `smooth`: without kinks, so that its gradients can be compared with differences."""

    KINDS = (
        'unary binary binary reduce reduce shape shape shape join index index product special control control control'
    ).split()
    floatx = 'float64'

    def __init__(self, seed, smooth=True, inner_gradients=True, depth=3):
        self.rng = np.random.RandomState(seed)
        self.smooth, self.inner_gradients, self.most = smooth, inner_gradients, depth
        self.lines, self.indent, self.count, self.sites = [], 1, 0, 0
        self.scope, self.loops = [], 0

    # -- choices -------------------------------------------------------------------------------------------------
    def one(self, items):
        return items[self.rng.randint(len(items))]

    def chance(self, p):
        return self.rng.rand() < p

    def all(self, accept=lambda shape: True):
        """The variables in scope that the statement may use."""
        return [v for v in self.scope if accept(v[1])]

    def any(self, accept=lambda shape: True):
        """A variable in scope, rather a late one; None if none is accepted."""
        found = self.all(accept)
        if not found:
            return None
        return found[-1 - min(self.rng.randint(len(found)), self.rng.randint(len(found)))]

    # -- text ----------------------------------------------------------------------------------------------------
    def write(self, line, *values):
        self.lines.append('    ' * self.indent + (line % values if values else line))

    def new(self, prefix='t'):
        self.count += 1
        return f'{prefix}{self.count}'

    def let(self, text, shape):
        """A new variable in scope."""
        if len(shape) > 4:
            return None
        name = self.new()
        self.write('%s = %s', name, f'B.keep({name!r}, {text})' if self.indent == 1 else text)
        self.scope.append((name, tuple(shape)))
        return name

    def function(self, parameters, statements, result):
        """A nested function; `result()` writes what it returns, and says so: the text, and what else it tells."""
        name, before = self.new('f'), len(self.scope)
        self.write('def %s(%s):', name, ', '.join([p for p, _shape in parameters]))
        self.indent += 1
        self.scope += parameters
        for _ in range(statements):
            self.statement()
        self.inside = before
        text, told = result()
        self.write('return %s', text)
        self.indent -= 1
        del self.scope[before:]
        return name, told

    def value_of(self, shape):
        """The text of something of the given shape: a variable if there is one, else zeros of that shape."""
        found = self.any(lambda s: s == tuple(shape))
        return found[0] if found else None

    # -- statements ----------------------------------------------------------------------------------------------
    def statement(self):
        for _ in range(20):
            if getattr(self, 'a_' + self.one(self.KINDS))():
                return

    def a_unary(self):
        name, shape = self.any()
        return self.let(self.one(UNARY if self.smooth else UNARY + KINKED).format(name), shape)

    def a_binary(self):
        x, a = self.any()
        y, b = self.any(lambda s: _joint(a, s) is not None)
        return self.let(self.one(BINARY if self.smooth else BINARY + KINKED_BINARY).format(x, y), _joint(a, b))

    def a_reduce(self):
        found = self.any(lambda s: len(s) > 0)
        if not found:
            return None
        x, shape = found
        axes = sorted(self.rng.choice(len(shape), self.rng.randint(1, len(shape) + 1), replace=False).tolist())
        keep = self.chance(0.4)
        name = self.one(
            ('sum', 'mean', 'prod', 'var', 'cumsum', 'cumprod', 'softmax') + (() if self.smooth else ('max', 'min'))
        )
        if name in ('cumsum', 'cumprod', 'softmax'):
            return self.let(f'B.{name}(B.tanh({x}), axis={axes[0]})', shape)
        kept = [1 if i in axes else d for i, d in enumerate(shape) if keep or i not in axes]
        return self.let(f'B.tanh(B.{name}({x}, axis={axes!r}, keepdims={keep!r}))', kept)

    def a_shape(self):
        found = self.any(lambda s: len(s) > 0)
        if not found:
            return None
        x, shape = found
        rank, axis = len(shape), self.rng.randint(len(shape))
        kind = self.one('flat keep transpose expand squeeze tile repeat reverse pad'.split())
        if kind == 'flat' and rank > 1:
            rest = shape[1:]
            if all(isinstance(d, int) for d in rest):
                return self.let(f'B.reshape({x}, (B.size({x}, 0), -1))', (shape[0], int(np.prod(rest))))
            if isinstance(shape[-1], int) and isinstance(shape[-2], int):
                sizes = ', '.join([f'B.size({x}, {i})' for i in range(rank - 2)])
                return self.let(
                    f'B.reshape({x}, ({sizes}{", " if sizes else ""}-1))', shape[:-2] + (shape[-1] * shape[-2],)
                )
            return None
        if kind == 'keep':
            sizes = ', '.join([f'B.size({x}, {i})' for i in range(rank)])
            return self.let(f'B.reshape({x}, ({sizes}, 1))', shape + (1,))
        if kind == 'transpose':
            perm = self.rng.permutation(rank).tolist()
            return self.let(f'B.permute_dimensions({x}, {perm!r})', [shape[i] for i in perm])
        if kind == 'expand':
            return self.let(f'B.expand_dims({x}, {axis})', shape[:axis] + (1,) + shape[axis:])
        if kind == 'squeeze' and 1 in shape:
            axis = shape.index(1)
            return self.let(f'B.squeeze({x}, {axis})', shape[:axis] + shape[axis + 1 :])
        if kind == 'tile' and isinstance(shape[axis], int):
            reps = [2 if i == axis else 1 for i in range(rank)]
            return self.let(f'B.tile({x}, {reps!r})', [d * r if r > 1 else d for d, r in zip(shape, reps)])
        if kind == 'repeat' and isinstance(shape[axis], int):
            return self.let(f'B.repeat_elements({x}, 2, {axis})', shape[:axis] + (2 * shape[axis],) + shape[axis + 1 :])
        if kind == 'reverse':
            return self.let(f'B.reverse({x}, [{axis}])', shape)
        if kind == 'pad' and rank == 3 and isinstance(shape[1], int):
            return self.let(f'B.temporal_padding({x}, (1, 2))', (shape[0], shape[1] + 3, shape[2]))
        return None

    def a_join(self):
        found = self.any(lambda s: 0 < len(s) < 4)
        if not found:
            return None
        x, shape = found
        axis = self.rng.randint(len(shape))
        if self.chance(0.5):
            y, _ = self.any(lambda s: s == shape)
            return self.let(f'B.stack([{x}, {y}], axis={axis})', shape[:axis] + (2,) + shape[axis:])
        y, other = self.any(
            lambda s: (
                len(s) == len(shape)
                and isinstance(s[axis], int)
                and all(a == b for i, (a, b) in enumerate(zip(s, shape)) if i != axis)
            )
        ) or (None, None)
        if y is None or not isinstance(shape[axis], int):
            return None
        return self.let(
            f'B.concatenate([{x}, {y}], axis={axis})', shape[:axis] + (shape[axis] + other[axis],) + shape[axis + 1 :]
        )

    def a_index(self):
        found = self.any(lambda s: len(s) > 0)
        if not found:
            return None
        x, shape = found
        kind = self.one('items items pieces gather argmax bound'.split())
        if kind == 'gather' and isinstance(shape[0], int):
            at = self.rng.randint(shape[0], size=(2, 2)[: self.rng.randint(3)]).tolist()
            return self.let(f"B.gather({x}, B.constant({at!r}, dtype='int32'))", np.shape(at) + shape[1:])
        if kind == 'argmax' and isinstance(shape[0], int) and len(shape) < 3:
            y, other = self.any(lambda s: 0 < len(s) < 3 and s[-1] == shape[0]) or (None, None)
            return y and self.let(f'B.gather({x}, B.argmax({y}, axis={len(other) - 1}))', other[:-1] + shape[1:])
        if kind == 'pieces' and isinstance(shape[-1], int) and shape[-1] > 1:
            # the gates of an LSTM
            cut, lead = self.rng.randint(1, shape[-1]), ':, ' * (len(shape) - 1)
            for text, d in ((f'{x}[{lead}:{cut}]', cut), (f'{x}[{lead}{cut}:]', shape[-1] - cut)):
                self.let(text, shape[:-1] + (d,))
            return True
        if kind == 'bound' and shape[0] == 't':
            return self.let(f'{x}[:B.size({self.any(lambda s: s[:1] == ("t",))[0]}, 0)]', shape)
        items, kept = [], []
        for d in shape:
            choice = self.rng.randint(6)
            if choice == 0:
                items.append(str(self.one((0, -1))))
            elif choice == 1:
                items.append('::-1')
                kept.append(d)
            elif choice == 2 and isinstance(d, int) and d > 1:
                start, step = self.rng.randint(d), self.rng.randint(1, 3)
                items.append(f'{start}::{step}')
                kept.append(len(range(start, d, step)))
            elif choice == 3:
                items.append('None, :')
                kept += [1, d]
            else:
                items.append(':')
                kept.append(d)
        return self.let(f'{x}[{", ".join(items)}]', kept)

    def a_product(self):
        found = self.any(lambda s: len(s) > 0)
        if not found:
            return None
        x, a = found
        if self.chance(0.5):
            y, b = self.any(lambda s: s[-2:][0] == a[-1] if s else False) or (None, None)
            if y is None:
                return None
            return self.let(f'B.tanh(B.dot({x}, {y}))', a[:-1] + (b[:-2] + b[-1:] if len(b) > 1 else ()))
        y, b = self.any(lambda s: len(s) > 1 and s[0] == a[0] and set(s[1:]) & set(a[1:])) or (None, None)
        if y is None or len(a) < 2:
            return None
        i, j = self.one([(i, j) for i in range(1, len(a)) for j in range(1, len(b)) if a[i] == b[j]])
        rest = tuple(d for k, d in enumerate(a[1:], 1) if k != i) + tuple(d for k, d in enumerate(b[1:], 1) if k != j)
        return self.let(f'B.tanh(B.batch_dot({x}, {y}, axes=({i}, {j})))', a[:1] + (rest or (1,)))

    def a_special(self):
        x, shape = self.any()
        if self.chance(0.2) and shape:
            # sizes as values, of what only the loop around knows
            y, other = self.any(lambda s: len(s) > 0)
            size = self.one(
                (
                    f'B.size({y}, {self.rng.randint(len(other))})',
                    f'B.size(B.reshape({y}, (-1,)), 0)',
                    f'(B.size({y}[:1], 0) + 1)',
                )
            )
            return self.let(f"{x} * 0.2 * B.cast({size}, '{self.floatx}')", shape)
        if self.chance(0.4):
            self.sites += 1
            return self.let(f'{x} + 0.1 * B.noise({self.sites}, {x})', shape)
        y, _ = self.any(lambda s: s == shape)
        lead = self.any(lambda s: 0 < len(s) <= len(shape) and s == shape[: len(s)])
        if lead is None:
            return None
        return self.let(f'B.switch(B.greater({lead[0]}, 0.1234), {x}, {y})', shape)

    # -- control -------------------------------------------------------------------------------------------------
    def a_control(self):
        if self.indent > self.most:
            return None
        kinds = 'rnn rnn map fold switch switch phase grad'.split()
        kind = self.one(kinds)
        if kind == 'grad' and not self.inner_gradients:
            return None
        return getattr(self, 'c_' + kind)()

    def few(self):
        return self.rng.randint(1, 5 if self.indent < 2 else 4)

    def condition(self):
        x, shape = self.any()
        return f'B.greater({(x if not shape else f"B.mean({x})")}, 0.0567)'

    def like(self, shape):
        """A result of a function: the text of something of this shape, preferably one that was made inside."""
        x = self.value_of(shape)
        made = self.made_inside()
        return f'B.tanh({x} + 0.3 * ({made}))' if made and self.chance(0.8) else x

    def made_inside(self):
        """The text of a number that depends on variables of the innermost function, None if it has none."""
        inside = {name for name, _shape in self.scope[self.inside :]}
        made = [v for v in self.all() if v[0] in inside and v[0][0] == 't']
        if not made:
            return None
        return ' + '.join(f'B.mean({made[i][0]})' for i in sorted(set(self.rng.randint(len(made), size=3))))

    def c_switch(self):
        condition = self.condition()
        _, shape = self.any()
        branches = []
        for _ in range(2):
            if self.chance(0.2):
                branches.append(self.value_of(shape))
            else:
                branches.append(self.function([], self.few(), lambda: (self.like(shape), None))[0])
        return self.let(f'B.switch({condition}, {branches[0]}, {branches[1]})', shape)

    def c_phase(self):
        _, shape = self.any()
        f, _ = self.function([], self.few(), lambda: (self.like(shape), None))
        return self.let(f'B.in_train_phase({f}, {self.value_of(shape)}, training=phase)', shape)

    def c_grad(self):
        _, shape = self.any(lambda s: len(s) < 3)
        x = self.value_of(shape)
        parameter = (self.new('x'), shape)
        before, self.sites, noises = self.inner_gradients, self.sites, self.a_special
        self.inner_gradients, self.a_special = False, self.a_unary  # no draws inside: differences would draw anew
        f, _ = self.function(
            [parameter],
            self.few(),
            lambda: (f'B.tanh({self.made_inside() or parameter[0]}) * B.sum(B.sin({parameter[0]}))', None),
        )
        self.inner_gradients, self.a_special = before, noises
        return self.let(f'B.grad({f}, {x})', shape)

    def sequences(self, lead):
        """One or two variables to iterate over, and the shapes of their steps."""
        chosen = [self.any(lambda s: s[: len(lead)] == lead) for _ in range(1 + self.chance(0.3))]
        return chosen if chosen[0] else None

    def c_map(self):
        found = self.any(lambda s: len(s) > 0)
        if not found:
            return None
        chosen = self.sequences(found[1][:1])
        elements = [(self.new('e'), s[1:]) for _x, s in chosen]

        def result():
            kept = [self.any() for _ in range(1 + self.chance(0.3))]
            made = self.made_inside()
            return ', '.join(k[0] + (f' + 0.3 * ({made})' if made else '') for k in kept), [k[1] for k in kept]

        several = len(chosen) > 1
        f, shapes = self.function(elements, self.few(), result)
        call = 'B.map_fn(lambda es: %s(*es), [%s])' if several else 'B.map_fn(%s, %s)'
        text = call % (f, ', '.join(x for x, _s in chosen))
        if len(shapes) == 1:
            return self.let(text, found[1][:1] + shapes[0])
        name = self.new('m')
        self.write('%s = %s', name, text)
        for i, s in enumerate(shapes):
            self.let(f'{name}[{i}]', found[1][:1] + s)
        return True

    def c_fold(self):
        found = self.any(lambda s: len(s) > 0)
        if not found:
            return None
        x, shape = found
        start = self.any()
        without = start is None or self.chance(0.3)
        inside = shape[1:] if without else start[1]
        acc = self.new('a')

        def result():
            made = self.value_of(inside)
            return f'B.tanh({acc} + 0.5 * {made} + 0.3 * ({self.made_inside() or acc}))', None

        f, _ = self.function([(acc, inside), (self.new('e'), shape[1:])], self.few(), result)
        return self.let(
            f'B.{self.one(("foldl", "foldr"))}({f}, {x}{"" if without else ", initializer=" + start[0]})', inside
        )

    def c_rnn(self):
        major = self.chance(0.3)
        found = self.any(lambda s: len(s) > 2)
        if not found:
            return None
        chosen = self.sequences(found[1][:2])
        chosen = [c for c in chosen if len(c[1]) > 2] or [found]
        batch, time = found[1][:2] if not major else found[1][1::-1]
        elements = [(self.new('e'), (batch,) + s[2:]) for _x, s in chosen]
        starts = [self.any() for _ in range(self.rng.randint(4))]
        masked = starts and self.chance(0.5)
        if masked:
            starts = [s for s in starts if s[1][:1] == (batch,)]
            masks = self.all(lambda s: s == ((time, batch) if major else (batch, time)))
            if not starts or not masks:
                masked = False
        states = [(self.new('s'), s) for _x, s in starts]
        constants = [self.any() for _ in range(self.rng.randint(2))]
        given = [(self.new('k'), s) for _x, s in constants]

        def result():
            out = self.any(lambda s: s[:1] == (batch,) if masked else len(s) > 0 and len(s) < 4)
            new = []
            for name, s in states:
                kind = self.rng.randint(5)
                made = self.value_of(s)
                new.append(
                    name
                    if kind == 0
                    else made
                    if kind == 1
                    else f'B.tanh({name} + 0.5 * {made} + 0.3 * ({self.made_inside() or name}))'
                )
            if states and not masked and self.chance(0.4):
                i = self.rng.randint(len(states))
                if len(states[i][1]) > 0:
                    out = (self.new('o'), states[i][1])
                    self.write('%s = %s', out[0], new[i])
                    new[i] = out[0]
            return f'{out[0]}, [{", ".join(new)}]', out[1]

        body, out = self.function(elements + states + given, self.few(), result)
        several = len(chosen) > 1
        text = 'B.rnn(lambda x, s: {}({}, *s), {}, [{}], go_backwards={!r}, time_major={!r}'.format(
            body,
            '*x' if several else 'x',
            ('[%s]' if several else '%s') % ', '.join(x for x, _s in chosen),
            ', '.join(x for x, _s in starts),
            self.chance(0.4),
            major,
        )
        if constants:
            text += f', constants=[{", ".join((x for x, _s in constants))}]'
        if masked:
            text += f', mask=B.greater({self.one(masks)[0]}, -0.4321), zero_output_for_mask={self.chance(0.5)!r}'
        name = self.new('r')
        self.write('%s = %s)', name, text)
        self.let(name + '[0]', out)
        self.let(name + '[1]', ((time, out[0]) if major else (out[0], time)) + out[1:])
        for i, (_name, s) in enumerate(states):
            self.let(f'{name}[2][{i}]', s)
        return True


def _joint(a, b):
    """The shape of what `a` and `b` broadcast to; None if they do not for sure."""
    short, long = sorted((a, b), key=len)
    out = list(long)
    for i in range(1, len(short) + 1):
        p, q = short[-i], long[-i]
        if p == q or p == 1 or (p, q) == ('u', 'b'):
            continue
        if q == 1 or (p, q) == ('b', 'u'):
            out[-i] = p
            continue
        return None
    return tuple(out)
