"""Conformance tests through files of ONNX. The whole suite is `python -m keras_backend check numpy --through onnx`."""

import io
import re

import pytest

pytest.importorskip('hypothesis')

from keras_backend import conformance


@pytest.mark.parametrize(('words', 'least'), [('test_rnn.py', 40), ('test_updates.py', 25), ('test_lookups.py', 80)])
def test_conformance_through_onnx(words, least):
    """Every case that ONNX can say passes, but for those that are listed with their reasons."""
    stream = io.StringIO()
    code = conformance.run('numpy', extra_args=('-k', words), stream=stream, through='onnx')
    report = stream.getvalue()
    assert code == 0, report
    assert int(re.search(r'^through onnx: (\d+) of', report, re.MULTILINE).group(1)) >= least
