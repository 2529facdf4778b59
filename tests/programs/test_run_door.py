"""`python -m keras_backend run` under the Keras 2 that is installed: a program of its time, and it as a notebook."""

import json

from processes import ENGINE, given_path, python
from program_records import result

from .record import path_of

NAME = 'crf_tagger'


def run(*arguments, **options):
    options.update(backend=ENGINE, path=given_path())
    return python('-W', 'ignore', '-m', *arguments, **options)


def test_a_program_of_keras_2(tmp_path):
    """The program and its notebook compute what they compute under the launcher, on the Keras that is installed."""
    options = {'home': tmp_path, 'cwd': tmp_path}
    status, launched, err = run('keras_backend.keras2', path_of(NAME), **options)
    assert status == 0, err
    with open(path_of(NAME), encoding='utf-8') as stream:
        code = ['%matplotlib inline\n!pip install keras\n', stream.read()]
    book = tmp_path / 'notebooks' / 'train.ipynb'
    book.parent.mkdir()
    cells = [{'cell_type': 'code', 'source': text} for text in code]
    book.write_text(json.dumps({'cells': cells, 'metadata': {}, 'nbformat': 4}))
    for program in (path_of(NAME), str(book)):
        status, out, err = run('keras_backend', 'run', program, **options)
        assert status == 0, err
        assert result(launched) == result(out)
        assert f'engine {ENGINE}' in err


def test_check_of_a_program_of_keras_2(tmp_path):
    status, out, _err = run('keras_backend', 'run', '--check', '--json', path_of(NAME), home=tmp_path, cwd=tmp_path)
    told = json.loads(out)
    assert (0, 'keras2', [], '') == (status, told['way'], told['missing'], told['refused'])
