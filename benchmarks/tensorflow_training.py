"""Training steps on the TensorFlow engine compared with Keras 3, tf_keras and a hand-written tf.function."""

from _measure import main
from peers.race import race

# (title, name of the work, target ratios to Keras 3, tf_keras and tf.function)
WORKS = (
    ('MLP 784-512-512-10, batch 128', 'mlp', (0.8, 0.4, 0.9)),
    ('conv 28x28x1-32-64-pool-10, batch 64', 'conv', (1.0, 1.0, 0.9)),
    ('LSTM T=50 B=32 I=64 H=128, K.rnn', 'lstm', (0.95, 0.8, 0.9)),
    ('LSTM T=50 B=8 I=16 H=16, K.rnn unrolled', 'lstm_unrolled', (0.7, 0.7, 0.9)),
)


def run(report):
    for what, work, targets in WORKS:
        times = race(work, 'k', 'keras', 'tf_keras', 'tf_function')
        for peer, seconds, target in zip(
            ('Keras 3 train_on_batch', 'tf_keras train_on_batch', 'tf.function by hand'), times[1:], targets
        ):
            if seconds is not None:
                report.ratio(what, times[0], peer, seconds, target)


if __name__ == '__main__':
    main(run, __doc__.splitlines()[0])
