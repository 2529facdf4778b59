"""Train a network of digits.py on many devices or in many processes, through JAX, PyTorch or TensorFlow.

    python examples/digits_distributed.py jax --devices 8            # eight virtual devices of one process
    python examples/digits_distributed.py jax --processes 2
    python examples/digits_distributed.py torch --processes 2
    python examples/digits_distributed.py tensorflow --processes 2

This starts all processes on this machine. With several machines, start the file once on each. --addresses is the same
on all of them, and --task is the place of the machine in it:

    python examples/digits_distributed.py torch --task 1 --addresses a:2222,b:2222

Every step trains on one batch that the devices divide. So the losses are those of one device: compare with
--processes 1. docs/scaling.md explains the three ways.
"""

import argparse
import os
import subprocess
import sys
import time

import numpy as np
from parameter_server import addresses

# The network of the examples has no dropout: in PyTorch and TensorFlow each process would draw a mask of its own.
MODEL = 'lstm'


# -- the training program, one for each engine -------------------------------------------------------------------
def on_jax(options):
    """The program is that of one device. A mesh tells JAX which devices divide what is fed."""
    import jax

    if options.processes > 1:
        jax.config.update('jax_cpu_collectives_implementation', 'gloo')
        jax.distributed.initialize(options.addresses[0], options.processes, options.task)

    import keras_backend as K
    from keras_backend.commands.demo.network import MODELS, Classifier
    from keras_backend.engines.jax_backend import use_mesh

    use_mesh(jax.sharding.Mesh(np.array(jax.devices()), ('batch',)))
    print(f'task {options.task}: {len(jax.local_devices())} of {len(jax.devices())} devices', flush=True)
    classifier = Classifier(*MODELS[MODEL][:2], options.seed)

    def step(images, labels):
        return classifier.train([images, labels, 1])[0]

    return step, lambda: [K.get_value(w) for w in classifier.weights]


def on_torch(options):
    """Each process has its own part of the batch. The gradients are added up between K.gradients and the update."""
    import torch
    from torch import distributed as group

    import keras_backend as K
    from keras_backend.commands.demo.network import MODELS, adam, losses

    host, port = options.addresses[0].split(':')
    os.environ.update(MASTER_ADDR=host, MASTER_PORT=port)
    group.init_process_group('gloo', rank=options.task, world_size=options.processes)
    make, rate, _epochs = MODELS[MODEL]
    net = make(np.random.RandomState(options.seed))
    images, labels = K.placeholder((None, 8, 8)), K.placeholder((None,), dtype='int32')
    loss = K.sum(losses(labels, net.logits(images)))
    backward = K.function([images, labels, K.learning_phase()], [loss, *K.gradients(loss, net.weights)])
    means = [K.placeholder(K.int_shape(w)) for w in net.weights]
    update = K.function(means, [], updates=adam(net.weights, means, K.variable(rate)))
    print(f'task {options.task}: one of {group.get_world_size()} processes', flush=True)

    def step(images, labels):
        mine = slice(options.task, None, options.processes)
        sums = [torch.as_tensor(value) for value in backward([images[mine], labels[mine], 1])]
        flat = torch.cat([value.reshape(-1) for value in sums])
        group.all_reduce(flat)
        parts = (flat / len(images)).split([value.numel() for value in sums])
        mean, *gradients = [part.reshape(value.shape) for part, value in zip(parts, sums)]
        update(gradients)
        return mean

    return step, lambda: [K.get_value(w) for w in net.weights]


def on_tensorflow(options):
    """The first process runs the program. The other ones are servers, which compute what is placed on them."""
    import tensorflow.compat.v1 as tf

    tf.disable_eager_execution()
    cluster = tf.train.ClusterSpec({'worker': options.addresses})
    server = tf.train.Server(cluster, job_name='worker', task_index=options.task)
    if options.task > 0:
        server.join()

    import keras_backend as K
    from keras_backend.commands.demo.network import MODELS, adam, losses

    K.set_session(tf.Session(server.target))
    make, rate, _epochs = MODELS[MODEL]
    with tf.device('/job:worker/task:0'):
        net = make(np.random.RandomState(options.seed))
        images, labels = K.placeholder((None, 8, 8)), K.placeholder((None,), dtype='int32')
    sums = []
    for task in range(options.processes):
        with tf.device(f'/job:worker/task:{task}'):
            part = slice(task, None, options.processes)
            loss = K.sum(losses(labels[part], net.logits(images[part])))
            sums.append([loss, *K.gradients(loss, net.weights)])
            print(f'task {task}: {loss.device}', flush=True)
    with tf.device('/job:worker/task:0'):
        count = K.cast(K.shape(images)[0], K.floatx())
        mean, *gradients = [sum(parts) / count for parts in zip(*sums)]
        updates = adam(net.weights, gradients, K.variable(rate))
        train = K.function([images, labels, K.learning_phase()], [mean], updates=updates)

    def step(images, labels):
        return train([images, labels, 1])[0]

    return step, lambda: [K.get_value(w) for w in net.weights]


# -- the processes -----------------------------------------------------------------------------------------------
def launch(options, arguments):
    """Run the processes on this machine until the first task ends or any fails; returns the exit status."""
    free = ','.join(addresses(options.processes))
    command = [sys.executable, os.path.abspath(__file__), *arguments, '--addresses', free, '--task']
    started = [subprocess.Popen([*command, str(task)]) for task in range(options.processes)]
    try:
        while True:
            ended = [process.poll() for process in started]
            if any(ended) or ended[0] is not None:
                return next((status for status in ended if status), 0)
            time.sleep(0.05)
    finally:
        # Servers of TensorFlow do not end by themselves, nor do processes whose partner is gone.
        for process in started:
            process.kill()
            process.wait()


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('engine', choices=['jax', 'torch', 'tensorflow'])
    parser.add_argument('--processes', type=int, default=1, help='how many to start on this machine')
    parser.add_argument('--devices', type=int, default=1, help='virtual devices of each process; for jax')
    parser.add_argument('--steps', type=int, default=90, help='batches to train on')
    parser.add_argument('--batch', type=int, default=32)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--save', help='where task 0 saves the losses and the weights, as .npz')
    parser.add_argument('--addresses', help='those of all processes, with commas between')
    parser.add_argument('--task', type=int, default=0)
    options = parser.parse_args(arguments)
    if options.addresses is None:
        return launch(options, arguments)
    options.addresses = options.addresses.split(',')
    options.processes = len(options.addresses)
    os.environ['KERAS_BACKEND'] = options.engine
    os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
    if options.devices > 1:
        os.environ['XLA_FLAGS'] = f'--xla_force_host_platform_device_count={options.devices}'
        os.environ['JAX_PLATFORMS'] = 'cpu'

    step, weights = {'jax': on_jax, 'torch': on_torch, 'tensorflow': on_tensorflow}[options.engine](options)
    from keras_backend.commands.demo.training import digits

    images, labels, _test_images, _test_labels = digits(options.seed)
    rng, rows, found, times = np.random.RandomState(options.seed), [], [], []
    for number in range(options.steps):
        if not len(rows):
            rows = rng.permutation(len(images))
        # The last batch of an epoch is smaller.
        batch, rows = rows[: options.batch], rows[options.batch :]
        started = time.perf_counter()
        found.append(float(step(images[batch], labels[batch])))
        times.append(time.perf_counter() - started)
        if options.task == 0 and (number + 1) % 15 == 0:
            print(f'step {number + 1:3}  loss {found[-1]:.6f}', flush=True)
    values = weights()
    if options.task == 0:
        print(f'{np.median(times) * 1e3:.2f} ms a step', flush=True)
        if options.save:
            np.savez(options.save, np.array(found), *values)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
