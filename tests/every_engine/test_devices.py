"""The command tells what the engine that is tested here runs on."""

import json

import numpy as np
from processes import ENGINE

from keras_backend.__main__ import main
from keras_backend.commands import devices
from keras_backend.engines.table import ENGINES


def test_hardware(home, monkeypatch, capfd):
    """The report asks the engine for its device and its threads, and NumPy for its BLAS, in words and as JSON."""
    monkeypatch.setenv('KERAS_BACKEND', ENGINE)
    monkeypatch.setenv('OMP_NUM_THREADS', '1')
    assert 0 == main([])
    out, err = capfd.readouterr()
    assert '' == err
    lines = out.split('Hardware\n')[1].split('\nEngines')[0].splitlines()
    told = dict(line.strip().split(None, 1) for line in lines if line)
    assert ['NumPy', 'device', 'threads'] == sorted(told)
    assert told['NumPy'].startswith(f'{np.__version__} with ')
    assert 'threads: ' in told['NumPy']
    assert 0 == main(['--json'])
    out, _err = capfd.readouterr()
    report = json.loads(out)
    assert told == report['hardware']
    assert 'keras_backend' == report['use']['writes']
    assert ENGINE in ENGINES
    assert report['engines'][ENGINE]['installed']


def test_the_answer_is_that_of_this_process(capsys):
    """What the process says that is asked is what this one says, which runs on the same engine."""
    devices.main(ENGINE, 'this test')
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert devices.ask(ENGINE, 'this test')._asdict() == told
    assert told['device']
    assert told['threads']
