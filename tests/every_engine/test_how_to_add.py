"""What docs/architecture.md says under "How to add", done on a copy of the checkout, is all that is needed."""

import functools
import os

import pytest
from changed_copy import changed_copy, passes, succeeds, text
from checkout import ROOT
from processes import ENGINE

STUB = '''

def hypot(x: TensorLike, y: TensorLike) -> Tensor:
    """Length of the hypotenuse of each triangle with the legs `x` and `y`.

    Parameters
    ----------
    x : tensor
        Of any shape.
    y : tensor
        Of a shape that broadcasts with that of `x`.

    Returns
    -------
    tensor
        It has the shape that both broadcast to.

    Examples
    --------
    >>> K.eval(K.hypot(K.variable([3., 5.]), K.variable([4., 12.]))).tolist()
    [5.0, 13.0]
    """
    return K.hypot(x, y)
'''
METHOD = """
    def hypot(self, x: Any, y: Any) -> Tensor:
        return self.sqrt(self.square(x) + self.square(y))
"""
TEST = '''

@covers('hypot')
def test_hypot(K):
    """The length of the hypotenuse."""
    x, y = np.array([3.0, -5.0]), np.array([4.0, 12.0])
    close(K.eval(K.hypot(K.variable(x), K.variable(y))), np.hypot(x, y))
'''
# (file of the copy, the text before the new one or None for its end, the new text)
FUNCTION = [
    ('keras_backend/contract/elementwise.py', None, STUB),
    ('keras_backend/front/elementwise.py', None, METHOD),
    ('keras_backend/conformance/test_elementwise.py', None, TEST),
    ('tools/make_keras3_names.py', 'eager | - |\n', 'hypot | = |\n'),
]

TENSORFLOW = """

def exp2(x: Any) -> Any:
    return tf.pow(tf.constant(2, x.dtype), x)
"""
LINE = '    def exp(self, x: Tensor) -> Tensor: ...\n'
RULE = "unary('exp2', lambda F, x, y, g: g * y * 0.6931471805599453)\n"
KERAS_3 = "    'exp2': keeping(lambda x: ops.power(ops.cast(2, x.dtype), x)),\n"
ROW = "    'exp2': unary(lambda K, x: of_graph(K, 'exp2', x, lambda x: K.pow(K.constant(2.0, 'float64'), x))),\n"
ENGINES = 'keras_backend/engines/'
PRIMITIVE = [
    ('keras_backend/basics/library.py', LINE, LINE.replace('exp', 'exp2')),
    ('keras_backend/graph/primitives/elementwise.py', "unary('exp', lambda F, x, y, g: g * y)\n", RULE),
    ('keras_backend/kernels/elementwise.py', "    'expm1': np.expm1,\n", "    'exp2': np.exp2,\n"),
    (ENGINES + 'torch_backend/primitives/arithmetic.py', "_SAME = (\n    'exp ", 'exp2 '),
    (ENGINES + 'jax_backend/primitives/arithmetic.py', "    'abs exp ", 'exp2 '),
    (ENGINES + 'tensorflow_backend/primitives/elementwise.py', None, TENSORFLOW),
    (ENGINES + 'theano_backend/primitives/table.py', "            'prod ", 'exp2 '),
    (ENGINES + 'keras3_backend/primitives/elementwise.py', "    'abs': keeping(_abs),\n", KERAS_3),
    ('tests/tools/kernel_examples.py', "    example('exp ", 'exp2 '),
    ('keras_backend/conformance/test_gradient_rules.py', 'ROWS = {\n', ROW),
]


@pytest.fixture
def copy(tmp_path):
    """A function that makes a copy of the checkout with changes in it."""
    return functools.partial(changed_copy, str(tmp_path / 'copy'))


def conforms(root, tests):
    """The conformance tests of these names pass on this engine in the copy."""
    inside_keras_3 = os.environ.get('TEST_ENGINE') == 'keras3'
    engine = 'keras_backend.engines.keras3_backend' if inside_keras_3 else ENGINE
    passes(root, 'keras_backend', 'check', engine, '-k', tests)


def test_the_page_names_the_files():
    """Each file that is changed here is named by the page, or its folder and the topic are."""
    page = text(os.path.join(ROOT, 'docs', 'architecture.md')).partition('## How to add')[2].partition('\n## ')[0]
    for name, _before, _new in FUNCTION + PRIMITIVE:
        short = name.replace('keras_backend/', '', 1) if name.startswith('keras_backend/') else name
        if short.startswith('engines/'):
            assert f'`{short.split("/")[1]}`' in page
        else:
            assert short.replace('elementwise', '<topic>') in page or short in page, name


def test_a_function(copy):
    """The new function works, and every test of the contract knows it."""
    root = copy(FUNCTION)
    conforms(root, 'hypot or test_contract.py')
    if ENGINE == 'numpy':
        succeeds(root, 'tools/make_stubs.py')
        succeeds(root, 'tools/make_keras3_names.py')
        passes(root, 'pytest', '-q', '-k', 'hypot or names or stubs or needs', 'tests/contract', 'tests/front')


def test_a_primitive(copy):
    """The engine loads, so it has the primitive, and its gradient is that of finite differences."""
    root = copy(PRIMITIVE)
    conforms(root, 'exp2 or test_every_gradient_rule_has_a_row')
    if ENGINE == 'numpy':
        passes(root, 'pytest', '-q', '-k', 'exp2 or example', 'tests/kernels/test_kernels.py')
