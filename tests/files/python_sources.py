"""Functions of Python values alone, which use its syntax more densely than those of layers."""

from lambda_sources import case

case(
    'python_loops_in_loops',
    [],
    """
def f(n=5):
    r = []
    for i in range(n):
        for j in range(i):
            if j == 3: break
            if (i + j) % 2: continue
            r.append((i, j))
        else:
            r.append('else')
    return r
""",
    python=True,
)
case(
    'python_generators',
    [],
    """
def f():
    def g():
        i = 0
        while i < 5:
            yield i
            i += 1
    return list(g()), [x for x in g() if x % 2], sum(g()), tuple(g()), dict((k, k * k) for k in g()) == {
        0: 0, 1: 1, 2: 4, 3: 9, 4: 16}
""",
    python=True,
)
case(
    'python_arguments',
    [],
    """
def f(a=1, b=2, *c, **d):
    return (a, b, c, sorted(d.items()))
""",
    python=True,
)
case(
    'python_calls_with_stars',
    [],
    """
def f():
    def a3_(a=1, b=2, *c, **d):
        return (a, b, c, sorted(d.items()))
    return a3_(3, *(4, 5), x=1, **{'y': 2}), a3_(*(1, 2, 3)), a3_(**{'b': 7, 'q': 1}), a3_(b=3)
""",
    python=True,
)
case(
    'python_functions_of_loops',
    [],
    """
def f():
    fs = [lambda i=i: i * 10 for i in range(3)]
    gs = [(lambda k: (lambda: k))(i) for i in range(3)]
    return [f() for f in fs] + [g() for g in gs]
""",
    python=True,
)
case(
    'python_elements',
    [],
    """
def f():
    x = [[1, 2], [3, 4]]
    x[0][1] += 5
    x[1] = x[0] + x[1]
    d = {'a': [1]}
    d['a'].append(2)
    d['b'] = d.get('z', 9)
    return x, sorted(d.items()), len(d), x[-1][::-1], x[0][:1], x[1][1:], x[1][:-1:2]
""",
    python=True,
)
case(
    'python_truths_of_values',
    [],
    """
def f(a=3):
    return [a and 0 or 5, a or 0, not a, a if a > 2 else 0, 1 < a < 3, 1 < a <= 3, a == 3 != 4, None is None,
            a is not None, 2 in [1, 2], 'x' not in 'abc', (a > 1) == True]
""",
    python=True,
)
case(
    'python_texts_and_names',
    [],
    """
def f():
    s = 'abc'
    (p, q), r = (1, 2), 3
    p, q, r = r, p, q
    a = b = c = [p]
    a += [q]
    return s[0] + s[-1] + s[1:] + '%d-%s-%.2f' % (3, 'z', 1.5), \\
        p, q, r, b, c, s * 2, s.upper(), 'a,b'.split(',')
""",
    python=True,
)
case(
    'python_comprehensions',
    [],
    """
def f():
    t = 0
    for k, (u, v) in enumerate(zip(range(3), (5, 6, 7))):
        t += k * u - v
    z = {i: j for i, j in zip('ab', range(2))}
    y = {i % 2 for i in range(5)}
    m = [[i * j for j in range(3)] for i in range(2)]
    n = [(i, j) for i in range(3) if i for j in range(i) if j != 1]
    return t, sorted(z.items()), sorted(y), m, n, \\
        any(i > 3 for i in range(5)), all([]), max(x for x in (1, 9, 3)), min([4, 2])
""",
    python=True,
)
case(
    'python_loops_that_end',
    [],
    """
def f(x=7):
    total = 0
    while x:
        x -= 1
        if x == 5:
            continue
        if x == 1:
            break
        total += x
    else:
        total = -1
    while True:
        total += 1
        if total > 20:
            return total, x
""",
    python=True,
)
case(
    'python_functions_in_functions',
    [],
    """
def f():
    out = []
    def outer(n):
        def inner(m):
            out.append((n, m))
            return n * m
        return inner(n + 1) + inner(2)
    return outer(1), outer(2), out
""",
    python=True,
)
case(
    'python_operators_of_numbers',
    [],
    """
def f():
    return [2 ** 3, -2 ** 2, 7 // 2, -7 // 2, 7 % 3, -7 % 3, 5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 3, 9 >> 1, 7.0 / 2,
            +3, 1e3, 0x1F, 10 ** 12, -1]
""",
    python=True,
)
case(
    'python_built_in_names',
    [],
    """
def f(a=(1, (2, 3))):
    s = slice(1, 3)
    p, (q, r) = a
    return p, q, r, [0, 1, 2, 3][s], list(range(10))[2:8:2], \\
        list(reversed([1, 2])), sorted([3, 1], reverse=True), list(map(lambda v, w: v + w, [1, 2], [3, 4])), \\
        abs(-3), round(2.6), int('4'), str(5), float('1.5'), isinstance(3, (int, str)), isinstance([], dict)
""",
    python=True,
)
case(
    'python_stars_and_keywords',
    [],
    """
def f():
    def f(*args, **kw):
        return len(args), sorted(kw)
    k = {'a': 1}
    l = [1, 2]
    return f(*l), f(0, *l), f(**k), f(*l, **k), f(0, *l, **k), f(0, z=1, *l), f(0, z=1, **k)
""",
    python=True,
)
case(
    'python_variables_of_comprehensions',
    [],
    """
def f():
    i = 'outer'
    l = [i for i in range(3)] and 0
    r = [x + y for x in 'ab' for y in 'cd']
    def g(i):
        return [i + j for j in range(i)]
    return r, g(2), [g(k) for k in range(3)]
""",
    python=True,
)
case(
    'python_branches',
    [],
    """
def f(v=3):
    if v == 1: r = 'one'
    elif v == 2: r = 'two'
    elif v in (3, 4):
        if not (v == 4 or v > 9) and (v < 9 and v != 0):
            r = 'three'
        else:
            r = 'x'
    else: r = 'y'
    return r, (1 if v else 2) + (3 if not v else 4), v and (v > 2 or v < 0) and 'yes' or 'no'
""",
    python=True,
)
case(
    'python_order_of_calls',
    [],
    """
def f():
    c = [0]
    def nxt():
        c[0] += 1
        return c[0]
    return [nxt(), nxt()], (nxt(), nxt()), {'k': nxt()}, \\
        nxt() - nxt(), [nxt() for _ in range(2)], [1, 2, 3][nxt() - 8:], (nxt() < nxt() < nxt())
""",
    python=True,
)
case(
    'python_dicts_and_tuples',
    [],
    """
def f():
    d = {'x': 1, 'y': 2}
    e = dict(d, z=3)
    e.update({'w': 0})
    k = [key for key in sorted(e)]
    del d
    x = 1,
    y = ()
    z = [None] * 2
    return k, x, y, z, sorted(e.values()), e['z'], 'x' in e, [i for i in range(3)][-1]
""",
    python=True,
)
