"""Train on several machines: a parameter server holds the weights, and K runs in the workers.

    python examples/parameter_server.py                  # starts one server and two workers on this machine
    python examples/parameter_server.py --workers 3 --steps 400

The processes communicate through TensorFlow's own runtime (gRPC). With several machines, start this file once on each
machine. --cluster is the same on all machines; --job and --task differ:

    python examples/parameter_server.py --job ps --cluster '{"ps": ["a:2222"], "worker": ["b:2222"]}'

Each worker has its own data. It reads the weights that all workers have trained from the server. The task is to find:
y = 2 x1 - 3 x2 + 0.5.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import time

import numpy as np

TRUTH = np.array([2.0, -3.0]), 0.5


def addresses(count):
    """Free addresses on this machine."""
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(('127.0.0.1', 0))
    found = [f'127.0.0.1:{s.getsockname()[1]}' for s in sockets]
    for s in sockets:
        s.close()
    return found


def launch(workers, steps):
    """Run one server and some workers as processes of this machine, and return the exit status."""
    free = addresses(1 + workers)
    cluster = json.dumps({'ps': free[:1], 'worker': free[1:]})

    def start(job, task):
        return subprocess.Popen(
            [
                sys.executable,
                os.path.abspath(__file__),
                '--cluster',
                cluster,
                '--job',
                job,
                '--task',
                str(task),
                '--steps',
                str(steps),
            ]
        )

    server = start('ps', 0)
    try:
        return max([worker.wait() for worker in [start('worker', task) for task in range(workers)]])
    finally:
        # A server does not end by itself.
        server.kill()
        server.wait()


def work(server, task, workers, steps):
    """What one worker does: build the model with its weights on the server, then train."""
    import tensorflow.compat.v1 as tf

    import keras_backend as K

    session = tf.Session(server.target)
    K.set_session(session)
    # Only the first worker initialises. A later one would reset the weights that the others have trained.
    K.manual_variable_initialization(task > 0)
    with tf.device(tf.train.replica_device_setter(ps_tasks=1, worker_device=f'/job:worker/task:{task}')):
        w, b, done = K.zeros((2, 1), name='w'), K.zeros((1,), name='b'), K.zeros((), name='done')
        x, y = K.placeholder((None, 2)), K.placeholder((None, 1))
        loss = K.mean(K.square(K.bias_add(K.dot(x, w), b) - y))
        updates = [K.update_sub(p, 0.05 * g) for p, g in zip((w, b), K.gradients(loss, [w, b]))]
        train = K.function([x, y], [loss], updates=updates)
        finish = K.function([], [], updates=[K.update_add(done, 1.0)])
        # TensorFlow complains of one that was made and never run.
        waiting = tf.report_uninitialized_variables() if task > 0 else None
    while waiting is not None and len(session.run(waiting)):
        time.sleep(0.1)
    rng = np.random.RandomState(task)
    for _ in range(steps):
        points = rng.randn(32, 2)
        value = train([points, points.dot(TRUTH[0])[:, None] + TRUTH[1]])[0]
    finish([])
    print(
        f'worker {task} of {workers}: loss {value:.6f}, w = {K.get_value(w).ravel().round(3).tolist()}, b = '
        f'{K.get_value(b).round(3).tolist()}, on {w.device}',
        flush=True,
    )
    # No process of a cluster may end before all are done.
    while K.get_value(done) < workers:
        time.sleep(0.1)
    return 0 if value < 1e-3 else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--workers', type=int, default=2, help='how many to start on this machine')
    parser.add_argument('--steps', type=int, default=200, help='training steps of each worker')
    parser.add_argument('--cluster', help='the addresses of all processes, as JSON')
    parser.add_argument('--job', choices=['ps', 'worker'])
    parser.add_argument('--task', type=int, default=0)
    options = parser.parse_args()
    if options.job is None:
        return launch(options.workers, options.steps)
    os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
    os.environ['KERAS_BACKEND'] = 'tensorflow'
    import tensorflow.compat.v1 as tf

    tf.disable_eager_execution()
    cluster = json.loads(options.cluster)
    server = tf.train.Server(tf.train.ClusterSpec(cluster), job_name=options.job, task_index=options.task)
    if options.job == 'ps':
        return server.join()
    return work(server, options.task, len(cluster['worker']), options.steps)


if __name__ == '__main__':
    sys.exit(main())
