"""Triton is imported before TensorFlow in a process that has PyTorch, and in no other."""

import pytest
from processes import run

CODE = """
import sys, types
for name in {modules!r}:
    sys.modules[name] = types.ModuleType(name)
from keras_backend.engines import process
process.before_tensorflow()
print(sys.modules.get('triton_was_here') is not None)
"""
WORKING = "import sys, types\nsys.modules['triton_was_here'] = types.ModuleType('triton_was_here')\n"


@pytest.mark.parametrize(
    ('backend', 'modules', 'wanted'),
    [
        ('torch', [], True),
        ('numpy', ['torch'], True),
        ('numpy', [], False),
        ('tensorflow', [], False),
        ('torch', ['tensorflow'], False),
        ('numpy', ['torch', 'tensorflow'], False),
    ],
)
@pytest.mark.parametrize('end', ['', 'raise RuntimeError("broken")\n'], ids=['working', 'broken'])
def test_triton_before_tensorflow(tmp_path, backend, modules, wanted, end):
    """It is imported if PyTorch is there, or Keras will run on it, before TensorFlow is there. A broken one is left."""
    (tmp_path / 'triton.py').write_text(WORKING + end)
    found = run(CODE.format(modules=modules), home=tmp_path / 'home', path=[tmp_path], backend=backend)
    assert found == f'{wanted}\n'


def test_no_triton(tmp_path):
    """Without Triton there is nothing to do."""
    code = "import sys\nsys.modules['triton'] = None\n" + CODE.format(modules=['torch'])
    assert run(code, home=tmp_path, backend='torch') == 'False\n'
