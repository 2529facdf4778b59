"""Makes a program that shows a difference small: statements go, expressions become their parts, values become simple.

It works on the text of the program alone, by `ast`. What it tries is kept if the truth still has values and the engine
still differs in the same way.
"""

import ast
import copy
import re
import time

import numpy as np
from engine_programs import Difference, compare, truths_of
from wide_programs import VARIABLES, Feed, parameters


def said(K, case):
    """In what way the engine differs, in words that stay the same while the program shrinks; None if it does not."""
    try:
        truths = truths_of(case)
    except Exception:
        return None  # no program
    if not truths:
        return None
    try:
        compare(K, case, truths)
    except Difference as e:
        return e.kind
    except Exception as e:
        return f'{type(e).__name__}: {first_words(e)}'
    return None


def first_words(error):
    """The beginning of a message, without what changes from program to program."""
    text = str(error).strip().split('\n')[0]
    text = re.sub(r"'[^']*'|\"[^\"]*\"|\{\{.*?\}\}|0x\w+|[\[(][^\])]*[\])]|\d+", '_', text)
    return ' '.join(re.sub(r'[\w/]*_[\w/]*', '_', text).split()[:9])


def bodies(tree):
    """Every list of statements."""
    return [node.body for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.FunctionDef))][1:]


def without_statements(tree):
    """The program without one statement."""
    for number, body in enumerate(bodies(tree)):
        for i in reversed(range(len(body))):
            if not isinstance(body[i], ast.Return):
                smaller = copy.deepcopy(tree)
                at = bodies(smaller)[number]
                del at[i]
                if not at:
                    at.append(ast.Pass())
                yield smaller


def parts(node):
    """What may stand in the place of an expression."""
    if isinstance(node, ast.Call):
        yield from node.args
        if isinstance(node.func, ast.Name):
            yield from ()
    elif isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Subscript):
        yield node.value
    elif isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == 1:
        yield from ()


class _Replace(ast.NodeTransformer):
    def __init__(self, number, make):
        self.number, self.make, self.count = number, make, -1

    def visit(self, node):
        if isinstance(node, ast.expr):
            self.count += 1
            if self.count == self.number:
                return self.make(node)
        return self.generic_visit(node)


def with_smaller_expressions(tree):
    """The program with one expression less: a part of itself, or a variable in its place."""
    expressions = [node for node in _in_order(tree) if isinstance(node, ast.expr)]
    names = [a.arg for a in tree.body[0].args.args[1:-1]]
    for number, node in enumerate(expressions):
        for k in range(len(list(parts(node)))):
            yield _replaced(tree, number, lambda old, k=k: list(parts(old))[k])
        if isinstance(node, (ast.Call, ast.Subscript, ast.BinOp)) or (
            isinstance(node, ast.Name) and re.match(r'[a-z]\d', node.id)
        ):
            for name in names[:11]:
                yield _replaced(tree, number, lambda old, name=name: ast.Name(name, ast.Load()))
        if isinstance(node, ast.List) and len(node.elts) > 1:
            for k in range(len(node.elts)):
                yield _replaced(tree, number, lambda old, k=k: ast.List(old.elts[:k] + old.elts[k + 1 :], ast.Load()))


def _in_order(node):
    """As _Replace counts."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def _replaced(tree, number, make):
    return ast.fix_missing_locations(_Replace(number, make).visit(copy.deepcopy(tree)))


def inlined(tree):
    """The program with a variable that is used once written where it is used."""
    for number, body in enumerate(bodies(tree)):
        for i, statement in enumerate(body):
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                name = statement.targets[0].id
                uses = [
                    n
                    for n in ast.walk(tree)
                    if isinstance(n, ast.Name) and n.id == name and n is not statement.targets[0]
                ]
                if len(uses) == 1:
                    smaller = copy.deepcopy(tree)
                    value = bodies(smaller)[number].pop(i).value
                    if not bodies(smaller)[number]:
                        continue

                    class Put(ast.NodeTransformer):
                        def visit_Name(self, node, name=name, value=value):
                            return value if node.id == name else node

                    yield ast.fix_missing_locations(Put().visit(smaller))


def without_inputs(case):
    """The case without the inputs that the program does not use."""
    tree = ast.parse(case.text)
    used = {n.id for n in ast.walk(tree.body[0]) if isinstance(n, ast.Name)}
    arguments = tree.body[0].args.args
    tree.body[0].args.args = [a for a in arguments if a.arg in used or a.arg in ('B', 'phase')]
    return case.but(text=ast.unparse(tree) + '\n')


def smaller_cases(case):
    for i in range(len(case.feeds)):
        if len(case.feeds) > 1:
            yield case.but(feeds=[case.feeds[i]])
    if case.orders:
        yield case.but(orders=case.orders - 1)
    for name in parameters(case.text):
        value = case.feeds[0].values[name]
        if name not in VARIABLES and None not in case.shapes[name]:
            yield case.but(shapes={**case.shapes, name: (None,) * value.ndim})
        if case.dtypes[name] not in (case.floatx, 'bool') and case.dtypes[name].startswith('float'):
            yield _cast(case, name, case.floatx)
        if value.dtype.kind == 'f':
            for simple in np.ones_like(value), np.zeros_like(value), np.round(value * 4) / 4:
                if not np.array_equal(value, simple, equal_nan=True):
                    yield _valued(case, name, simple)
    for floatx in 'float32', 'float64':
        if case.floatx != floatx and case.floatx != 'float32':
            new = case.but(text=case.text.replace(case.floatx, floatx), floatx=floatx)
            for name in [n for n in parameters(case.text) if case.dtypes[n] == case.floatx]:
                new = _cast(new, name, floatx)
            yield new


def _valued(case, name, value):
    feeds = []
    for feed in case.feeds:
        new = copy.copy(feed)
        new.values = {**feed.values, name: value if feed is case.feeds[0] else feed.values[name]}
        feeds.append(new)
    return case.but(feeds=feeds)


def _cast(case, name, dtype):
    feeds = []
    for feed in case.feeds:
        new = copy.copy(feed)
        new.values = {**feed.values, name: feed.values[name].astype(dtype)}
        feeds.append(new)
    return case.but(dtypes={**case.dtypes, name: dtype}, feeds=feeds)


def shrunk(K, case, seconds=60):
    """The smallest case found in that time which differs as `case` does."""
    wanted, end = said(K, case), time.process_time() + seconds
    if wanted is None:
        return case

    def still(new):
        return said(K, new) == wanted

    progress = True
    while progress and time.process_time() < end:
        progress = False
        for make in (without_statements, _fewer, with_smaller_expressions, inlined):
            again = True
            while again and time.process_time() < end:
                again = False
                for new in make(case) if make is _fewer else _texts(case, make):
                    if time.process_time() > end:
                        break
                    if still(new):
                        case, again, progress = new, True, True
                        break
    tidy = without_inputs(case)
    return tidy if still(tidy) else case


def _fewer(case):
    tidy = without_inputs(case)
    if tidy.text != case.text:
        yield tidy
    yield from smaller_cases(case)


def _texts(case, make):
    for tree in make(ast.parse(case.text)):
        try:
            text = ast.unparse(tree) + '\n'
        except Exception:
            continue
        if text != case.text:
            try:
                compile(text, '<program>', 'exec')
            except SyntaxError:
                continue
            yield case.but(text=text)


def as_entry(case, about):
    """The case as text for the corpus."""
    case = without_inputs(case)
    lines = [
        f'    # {about}',
        '    Found(',
        '        """' + case.text.strip() + '""",',
        f'        floatx={case.floatx!r},',
    ]
    if case.orders:
        lines.append(f'        orders={case.orders},')
    for n in parameters(case.text):
        shape = '' if n in VARIABLES else f', {case.shapes[n]!r}'
        feeds = ', '.join(value_text(f.values[n]) for f in case.feeds)
        lines.append(f'        {n}=({case.dtypes[n]!r}{shape}, [{feeds}]),')
    if any(f.phase for f in case.feeds):
        lines.append(f'        phase={[f.phase for f in case.feeds]},')
    return '\n'.join(lines + ['    ),'])


def value_text(value):
    if value.size == 0:
        return f'np.zeros({value.shape})'
    return repr(value.tolist()).replace('nan', 'np.nan').replace('inf', 'np.inf')


__all__ = ['Feed', 'as_entry', 'said', 'shrunk']
