"""K on a session of a TensorFlow server, with variables in another process: TensorFlow's own runtime on loopback."""

import json
import os
import subprocess
import sys

import pytest
from checkout import ROOT
from processes import IMPORTED_FROM, environment, run

pytest.importorskip('tensorflow')

EXAMPLE = os.path.join(ROOT, 'examples', 'parameter_server.py')

WORKER = f"""
import json, sys
sys.path.insert(0, {os.path.dirname(EXAMPLE)!r})
from parameter_server import addresses
import subprocess
free = addresses(2)
cluster = {{'ps': free[:1], 'worker': free[1:]}}
ps = subprocess.Popen([sys.executable, {EXAMPLE!r}, '--job', 'ps', '--cluster', json.dumps(cluster)])
try:
    import keras_backend.engines.tensorflow_backend as K
    import numpy as np, tensorflow.compat.v1 as tf
    server = tf.train.Server(tf.train.ClusterSpec(cluster), job_name='worker', task_index=0)
    session = tf.Session(server.target)
    K.set_session(session)
    with tf.device(tf.train.replica_device_setter(ps_tasks=1, worker_device='/job:worker/task:0')):
        w, count = K.variable([2., 3.]), K.variable(0.)
        large = K.variable(np.full((300, 300), 7.))
        x = K.placeholder((None, 4, 2))
        last = K.rnn(lambda e, s: (e * w + s[0], [e * w + s[0]]), x, [K.zeros_like(x[:, 0])])[0]
        gradient = K.gradients(K.sum(last), [w])[0]
        step = K.function([x], [last, gradient], updates=[(w, w - 0.5 * gradient), K.update_add(count, 1.)])
    places = sorted({{v.device for v in (w, count, large)}})
    first = [value.tolist() for value in step([np.ones((1, 4, 2))])]
    K.set_value(count, 5.)
    step([np.zeros((1, 4, 2))])
    values = [K.get_value(v).tolist() for v in (w, count)]
    with tf.Session(server.target) as other:
        seen = other.run([w, large[0, 0]])
    result = {{'places': places, 'first': first, 'values': values, 'seen': [seen[0].tolist(), float(seen[1])],
              'same': K.get_session() is session, 'sum': float(K.get_value(large).sum())}}
    print('RESULT ' + json.dumps(result), flush=True)
finally:
    ps.kill()
    ps.wait()
"""


def test_variables_on_a_parameter_server(tmp_path):
    """Loops, gradients, updates and values work with variables in another process; a second session sees them."""
    out = run(WORKER, home=tmp_path, TF_CPP_MIN_LOG_LEVEL='3')
    result = json.loads(out.split('RESULT ', 1)[1].splitlines()[0])
    assert ['/job:ps/task:0'] == result['places']
    assert [[[8.0, 12.0]], [4.0, 4.0]] == result['first']
    assert [[0.0, 1.0], 6.0] == result['values']
    assert [[0.0, 1.0], 7.0] == result['seen']
    assert result['same']
    assert 7.0 * 300 * 300 == result['sum']


def test_the_example(tmp_path):
    """Two workers that learn from different data end with the same weights, those of the truth, on the server."""
    process = subprocess.Popen(
        [sys.executable, EXAMPLE, '--workers', '2'],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path, TF_CPP_MIN_LOG_LEVEL='3'),
        cwd=IMPORTED_FROM,
        universal_newlines=True,
    )
    out, err = process.communicate(timeout=300)
    lines = [line for line in out.splitlines() if line.startswith('worker')]
    assert 0 == process.returncode, out + err
    assert 2 == len(lines), out
    assert 'ERROR' not in err, err
    for line in lines:
        assert 'w = [2.0, -3.0], b = [0.5], on /job:ps/task:0' in line
