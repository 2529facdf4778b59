"""The files of the notebooks: short, with outputs, without traces of the machine that made them."""

import json
import re

import pytest
from notebooks import installs, names, path_of, printed


def read(name):
    with open(path_of(name), encoding='utf-8') as file:
        return json.load(file)


def test_names_of_notebooks():
    """The notebooks that the pages and tox.ini name are there."""
    assert ['layer_code_on_any_engine', 'old_repository', 'tf_keras_on_jax'] == names()


@pytest.mark.parametrize('name', names())
def test_cells_of_notebooks(name):
    """At most 15 cells. The first code cell installs, and no other does. What prints has its output stored."""
    found = read(name)
    assert (4, 5) == (found['nbformat'], found['nbformat_minor'])
    assert len(found['cells']) <= 15
    code = [cell for cell in found['cells'] if cell['cell_type'] == 'code']
    assert [True] + [False] * (len(code) - 1) == [installs(cell) for cell in code]
    lines = [line for line in ''.join(code[0]['source']).splitlines() if not line.startswith('#')]
    assert 1 == len(lines)
    assert lines[0].startswith('%pip install ')
    for place, cell in enumerate(code[1:], 1):
        assert place == cell['execution_count']
        assert not [output for output in cell['outputs'] if output['output_type'] == 'error']
        if 'print(' in ''.join(cell['source']) and not ''.join(cell['source']).startswith('%%writefile'):
            assert printed(cell).strip()


@pytest.mark.parametrize('name', names())
def test_no_traces_in_notebooks(name):
    """No time of execution, no path of a machine, no name of a kernel of somebody."""
    found = read(name)
    assert {'display_name': 'Python 3', 'language': 'python', 'name': 'python3'} == found['metadata']['kernelspec']
    for cell in found['cells']:
        assert set(cell['metadata']) <= {'tags'}, cell['metadata']
        text = ''.join(cell['source']) + printed(cell)
        assert [] == re.findall(r'/(?:home|root|opt|tmp|usr|work)\b\S*|site-packages|\x1b', text)
        assert [] == re.findall(r'https?://', text)
