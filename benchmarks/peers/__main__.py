"""One peer: `python -m peers NAME WHO` runs one work in one library.

The first line of its answers is JSON: what the library is, and the value after some calls; or why it cannot run. Then
it reads numbers of calls from standard input, makes so many calls, and answers with the seconds that they took. To the
word `memory` it makes five calls, and answers with the bytes that the work takes at its peak.
"""

import gc
import json
import os
import sys
import time

KINDS = {
    'k': 'in_k',
    'numpy': 'in_k',
    'original': 'in_k',
    'original_cntk': 'in_k',
    'original_theano': 'in_k',
    'tf_function': 'in_tf_function',
    'keras': 'in_keras',
    'tf_keras': 'in_keras',
    'jax': 'in_jax',
    'torch': 'in_torch',
    'torch_loop': 'in_torch',
}
CLOCKS = {'wall': time.perf_counter, 'cpu': time.process_time}


def pin(threads):
    """The process runs on so many CPUs, and its libraries start so many threads."""
    if hasattr(os, 'sched_setaffinity'):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])
    for name in ('OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'OPENBLAS_NUM_THREADS'):
        os.environ[name] = str(threads)


def total(value):
    """The number that stands for the result of a work."""
    import numpy as np

    if value is None:
        return None
    return float(sum(np.sum(np.asarray(v), dtype='float64') for v in (value if isinstance(value, list) else [value])))


def prepared(name, who):
    """(what goes before each call, the call or None, what the library is)."""
    from .data import layers, model

    in_keras2 = model(name) or layers(name)
    module = __import__('peers.' + ('in_keras2' if in_keras2 else KINDS[who]), fromlist=['work'])
    library = module.library(who)[1]
    gc.collect()
    START.append(resident()[0])
    work = module.work(name, who)
    before, call = work if isinstance(work, tuple) else (None, work)
    return before, call, library


# The bytes of the process before the work is made: what the libraries themselves take.
START = []


def resident():
    """The bytes of the process in memory, and the most there were since `peak` began to count. Linux says so."""
    with open('/proc/self/status') as file:
        lines = dict(line.split(':', 1) for line in file)
    return [int(lines[name].split()[0]) * 1024 for name in ('VmRSS', 'VmHWM')]


def peak(before, call, clock):
    """The most bytes during five calls, without those of the libraries."""
    gc.collect()
    with open('/proc/self/clear_refs', 'w') as file:
        file.write('5')
    run(before, call, 5, clock)
    return resident()[1] - START[0]


def run(before, call, number, clock):
    """The seconds of so many calls."""
    if before is None:
        started = clock()
        for _ in range(number):
            call()
        return clock() - started
    seconds = 0.0
    for _ in range(number):
        before()
        gc.collect()
        seconds += run(None, call, 1, clock)
    return seconds


def serve(name, who, clock='wall', threads='1'):
    out = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)  # keeps the output of libraries out of the answers

    def answer(value):
        out.write(json.dumps(value) + '\n')
        out.flush()

    from .data import built, model

    pin(int(threads))
    try:
        if os.environ.get('PEERS_DEVICE') and 'torch' in (KINDS[who][3:], os.environ['KERAS_BACKEND']):
            import torch

            torch.set_default_device(os.environ['PEERS_DEVICE'])
        before, call, library = prepared(name, who)
    except ImportError as error:
        answer({'missing': f'{type(error).__name__}: {error}'})
        return
    if call is None:
        answer({'missing': None})
        return
    if built(name) and before is None:
        before = gc.collect
    value = None
    # The first model of a process is measured, too.
    for _ in range(0 if model(name) else 1 if built(name) else 3):
        if before is not None:
            before()
        value = call()
    answer({'library': library, 'value': total(value)})
    for line in sys.stdin:
        if line.strip() == 'memory':
            answer(peak(before, call, CLOCKS[clock]))
        else:
            answer(run(before, call, int(line), CLOCKS[clock]))


if __name__ == '__main__':
    serve(*sys.argv[1:])
