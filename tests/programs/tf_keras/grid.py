"""What tf.keras does, row by row, on the TensorFlow that runs this.

    python grid.py ROWS.json [--topics NAMES] [--like RECORD.json.gz]

It runs on TensorFlow 2.4 to 2.15 with their tf.keras, on later ones with tf_keras (TF_USE_LEGACY_KERAS=1), and under
`python -m keras_backend.keras3`. compare_grid.py says how two files of rows differ. `--like` takes the names and the
constructions from a record, so that what is missing here is a row that fails and not a row that is missing.

The topics are files beside this one, grid_TOPIC.py, with a function `rows(rows)`; without `--topics`, all of them run.
"""

import argparse
import importlib
import json
import os
import sys
import tempfile
import time
import warnings

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')

from grid_rows import Rows  # noqa: E402

TOPICS = (
    'names',
    'constructions',
    'layers',
    'recurrent',
    'losses',
    'metrics',
    'optimizers',
    'small',
    'backend',
    'callbacks',
    'trainer',
    'models',
    'saving',
    'graph',
    'preprocessing',
    'draws',
)
# Topics whose rows begin with no graph at all; for the others, names without a number are enough, and faster.
WHOLE = ('models', 'saving', 'graph', 'callbacks', 'trainer')


def like(path):
    """The rows of a record that name what the later rows try; none without a record."""
    if not path:
        return {}
    from compare_grid import read

    return read(path)


def main():
    """Runs the topics and writes their rows."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('out')
    parser.add_argument('--topics', default=','.join(TOPICS))
    parser.add_argument('--like')
    parser.add_argument('--times', action='store_true', help='says what each topic took')
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    import tensorflow as tf

    tf.get_logger().setLevel('ERROR')
    record = like(options.like)
    out, folder = os.path.abspath(options.out), os.getcwd()
    with tempfile.TemporaryDirectory() as empty:
        os.chdir(empty)  # paths in rows are relative ones, and nothing else lies there
        results = results_of(options, record, tf)
        os.chdir(folder)
    with open(out, 'w', encoding='utf-8') as stream:
        json.dump(results, stream, indent=0, sort_keys=True)
    print(f'{len(results)} rows')


def results_of(options, record, tf):
    """The rows of the topics."""
    results = {}
    for topic in options.topics.split(','):
        start = time.process_time()
        rows = Rows(topic, getattr(tf.keras.backend, 'clear_session' if topic in WHOLE else 'reset_uids'))
        importlib.import_module('grid_' + topic).rows(rows, record)
        results.update(rows.results)
        if options.times:
            print(
                f'{topic}: {len(rows.results)} rows, {time.process_time() - start:.1f} s', file=sys.stderr, flush=True
            )
    return results


if __name__ == '__main__':
    main()
