"""Read handwritten digits with a network whose layers are written with `import keras_backend as K` only.

    python examples/digits.py                       # a convolutional network on the configured engine
    KERAS_BACKEND=numpy python examples/digits.py --model lstm

The layers, the three models, the loss, Adam and the training are in keras_backend/commands/demo/network.py: read that
file. The command `python -m keras_backend demo` trains the same network. The 1,797 digits of 8 x 8 pixels (Alpaydin and
Kaynak 1998, UCI) lie in the package, so the file needs NumPy only. Matplotlib draws the picture where it is installed.
"""

import argparse
import os
import sys

# The matrices are small, so a second thread of the BLAS costs more than it gains, above all on a busy machine.
os.environ.setdefault('OMP_NUM_THREADS', '1')

from keras_backend.commands.demo import network
from keras_backend.commands.demo.training import NoPicture, save, table, train


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--model', choices=sorted(network.MODELS), default='conv')
    parser.add_argument('--epochs', type=int, help='instead of what suits the model')
    parser.add_argument('--batch', type=int, default=32)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--picture', default='', help='where the picture goes (default: digits.png)')
    parser.add_argument('--require', type=float, default=0.95, help='the test accuracy below which this fails')
    options = parser.parse_args(arguments)

    outcome = train(network, options.model, options.seed, options.epochs, options.batch)
    print()
    for line in table(outcome):
        print(line)
    try:
        print('Picture:', save(outcome, options.picture))
    except NoPicture as reason:
        print(reason, file=sys.stderr)
        if options.picture:
            return 1
    accuracy = outcome.accuracies[-1]
    if accuracy < options.require:
        print(f'The test accuracy {accuracy:.4f} is below {options.require:.4f}.', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
