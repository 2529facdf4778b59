"""Distributions, random fields, losses, images, metrics, hyperparameters, and replaced graphs."""

import numpy as np
import tensorflow as tf


def _facts(distribution, x, *names):
    found = {name: getattr(distribution, name)() for name in names}
    found.update(log_prob=distribution.log_prob(x), prob=distribution.prob(x))
    found.update(batch=distribution.batch_shape.as_list(), event=distribution.event_shape.as_list())
    found['samples'] = distribution.sample(3, seed=1).shape.as_list()
    return found


def distributions(bench):
    """Densities, moments and divergences."""
    tfd = tf.contrib.distributions
    normal, other = tfd.Normal([0.0, 1.0], 2.0), tfd.Normal(0.5, [1.0, 3.0])
    loc, scale = bench.array(2, 3), np.abs(bench.array(2, 3, seed=1)) + 0.5
    mvn, wide = tfd.MultivariateNormalDiag(loc, scale), tfd.MultivariateNormalDiag([0.0, 0.0, 1.0])
    moments = ('mean', 'variance', 'stddev', 'mode', 'entropy')
    bernoulli, categorical = (
        tfd.Bernoulli(logits=[0.5, -1.0]),
        tfd.Categorical(logits=[[0.1, 0.2, 1.0], [2.0, 0.0, 0.5]]),
    )
    uniform = tfd.Uniform([0.0, 1.0], 3.0)
    return {
        'normal': dict(_facts(normal, [0.3, 2.0], *moments), cdf=normal.cdf([0.3, 2.0])),
        'mvn': dict(_facts(mvn, bench.array(3, seed=2), *moments), covariance=mvn.covariance()),
        'wide': _facts(
            tfd.MultivariateNormalDiag([0.0, 0.0, 1.0], scale_identity_multiplier=2.0), [1.0, 0.0, 1.0], *moments
        ),
        'only scale': _facts(tfd.MultivariateNormalDiag(scale_diag=[1.0, 2.0]), [1.0, 0.0], *moments),
        'both': _facts(tfd.MultivariateNormalDiag([0.0], [1.0, 2.0], 0.5), [1.0, 0.0], *moments),
        'soft': _facts(tfd.MultivariateNormalDiagWithSoftplusScale([0.0, 1.0], [1.0, -2.0]), [1.0, 0.0], *moments),
        'softplus': [tfd.NormalWithSoftplusScale(0.0, -1.0).stddev(), tfd.softplus_inverse([0.1, 5.0])],
        'uniform': dict(
            _facts(uniform, [0.5, 0.5], 'mean', 'variance', 'stddev', 'entropy'), cdf=uniform.cdf([0.5, 2.0])
        ),
        'bernoulli': _facts(bernoulli, [1, 0], *moments),
        'categorical': _facts(categorical, [2, 0], 'mode', 'entropy'),
        'beta': _facts(tfd.Beta(2.0, 3.0), 0.2, *moments),
        'gamma': _facts(tfd.Gamma(2.0, 3.0), 0.2, *moments),
        'kl': [
            tfd.kl_divergence(normal, other),
            tfd.kl_divergence(mvn, wide),
            tfd.kl_divergence(bernoulli, tfd.Bernoulli(probs=0.3)),
            mvn.kl_divergence(mvn),
            tfd.kl_divergence(categorical, tfd.Categorical(probs=[0.2, 0.3, 0.5])),
        ],
    }


def random_numbers(bench):
    """The mean and the deviation of many numbers, to one digit."""
    tfd = tf.contrib.distributions
    samples = [
        tfd.MultivariateNormalDiag([0.0, 10.0], [1.0, 3.0]).sample(20000, seed=1),
        tfd.Normal(10.0, 2.0).sample(20000, seed=1),
        tf.cast(tfd.Bernoulli(probs=0.2).sample(20000, seed=1), tf.float32),
        tfd.Uniform(1.0, 5.0).sample(20000, seed=1),
    ]
    return {'moments': [[np.round(each.mean(0), 1) + 0.0, np.round(each.std(0), 1)] for each in bench.run(samples)]}


def percentiles(bench):
    """Each interpolation, and numbers in the middle of two."""
    percentile = tf.contrib.distributions.percentile
    x, cube = tf.constant([4.0, 1.0, 3.0, 2.0]), tf.constant(bench.array(2, 3, 4))
    found = {}
    for size in 2, 3, 4, 5, 6:
        for how in 'nearest', 'lower', 'higher', None:
            row = tf.range(10.0, 10.0 + size)
            found[f'{size} {how}'] = [
                percentile(row, q, interpolation=how) for q in (0, 10, 25, 30, 50, 70, 75, 90, 100.0)
            ]
    return dict(
        found,
        one=percentile(x, 50.0),
        axes=percentile(cube, 30, axis=[0, 2]),
        last=percentile(cube, 80, axis=-1),
        kept=percentile(cube, 60.0, axis=1, keep_dims=True),
        all=percentile(cube, 60.0, keep_dims=True),
        integers=percentile(tf.constant([5, 3, 9]), 50),
        shape=percentile(cube, 30, axis=[0, 2]).shape.as_list(),
    )


def random_fields(bench):
    """Scores, norms and the best tags of sequences with different lengths, also 0 and 1."""
    crf = tf.contrib.crf
    inputs, transitions = tf.constant(bench.array(4, 5, 3) * 2), tf.constant(bench.array(3, 3, seed=1))
    tags, lengths = (
        tf.constant(np.random.RandomState(0).randint(0, 3, (4, 5)).astype('int32')),
        tf.constant([5, 3, 1, 0]),
    )
    likelihood, given = crf.crf_log_likelihood(inputs, tags, lengths, transitions)
    own, made = crf.crf_log_likelihood(inputs, tags, lengths)
    best, score = crf.crf_decode(inputs, transitions, lengths)
    bench.fill()
    path, top = crf.viterbi_decode(bench.array(5, 3) * 2, bench.array(3, 3, seed=1))
    return {
        'unary': crf.crf_unary_score(tags, lengths, inputs),
        'binary': crf.crf_binary_score(tags, lengths, transitions),
        'score': crf.crf_sequence_score(inputs, tags, lengths, transitions),
        'norm': crf.crf_log_norm(inputs, lengths, transitions),
        'likelihood': likelihood,
        'given': given,
        'own': own,
        'variable': made.name,
        'best': best,
        'best score': score,
        'dtype': [best.dtype.name, score.dtype.name],
        'one step': crf.crf_decode(inputs[:, :1], transitions, tf.constant([1, 1, 1, 1]))[0],
        'one norm': crf.crf_log_norm(inputs[:, :1], tf.constant([1, 1, 1, 1]), transitions),
        'gradient': tf.gradients(tf.reduce_sum(likelihood[:3]), [inputs, transitions]),
        'viterbi': [path, top],
        'long': crf.crf_log_likelihood(inputs, tags, tf.cast(lengths, tf.int64), transitions)[0],
    }


def losses_of_contrib(bench):
    """Triplets, pairs, and sequences."""
    learning = tf.contrib.losses.metric_learning
    rows = tf.constant(bench.array(8, 3))
    labels = tf.constant([0, 1, 0, 2, 1, 1, 0, 3])
    logits, weights = tf.constant(bench.array(2, 3, 4)), tf.constant([[1.0, 1.0, 0.0], [0.5, 0.0, 0.0]])
    targets = tf.constant([[1, 2, 0], [3, 1, 0]])
    sequence = tf.contrib.seq2seq.sequence_loss
    loss = learning.triplet_semihard_loss(labels, rows)
    return {
        'triplet': [loss, learning.triplet_semihard_loss(labels, rows, margin=0.2), loss.shape.as_list()],
        'normal': learning.triplet_semihard_loss(labels, tf.nn.l2_normalize(rows, 1)),
        'gradient': tf.gradients(loss, rows),
        'columns': learning.triplet_semihard_loss(labels[:, tf.newaxis][:, 0], rows),
        'one kind': learning.triplet_semihard_loss(tf.zeros([8], tf.int32), rows),
        'contrastive': learning.contrastive_loss(tf.constant([1, 0, 1]), rows[:3], rows[3:6]),
        'sequence': sequence(logits, targets, weights),
        'steps': sequence(logits, targets, weights, True, False),
        'batch': sequence(logits, targets, weights, False, True),
        'each': sequence(logits, targets, weights, False, False),
        'own': sequence(
            logits,
            targets,
            weights,
            softmax_loss_function=lambda labels, logits: tf.reduce_sum(logits, 1) * tf.cast(labels, tf.float32),
        ),
    }


def images(bench):
    """Images turned and moved."""
    image = tf.contrib.image
    x = tf.constant(bench.array(2, 4, 5, 2))
    matrix = [1.0, 0.3, -0.5, 0.1, 0.8, 0.2, 0.01, 0.02]
    return {
        'nearest': image.rotate(x, 0.5),
        'bilinear': image.rotate(x, [0.3, -1.2], 'BILINEAR'),
        'one': image.rotate(x[0], 3.14159265 / 2),
        'flat': image.rotate(x[0, :, :, 0], 0.4, interpolation='BILINEAR'),
        'transform': image.transform(x, matrix, 'BILINEAR'),
        'size': image.transform(x, matrix, output_shape=[2, 3]),
        'moved': image.translate(x, [1.0, -2.0]),
        'each': image.translate(x, [[1, 0.5], [0, 2]], 'BILINEAR'),
        'angles': image.angles_to_projective_transforms([0.1, 2.0], 4.0, 5.0),
        'moves': image.translations_to_projective_transforms([1.0, 2.0]),
        'composed': image.compose_transforms(matrix, [0.5, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 0.0]),
        'whole': image.rotate(tf.constant(np.arange(12).reshape(3, 4, 1)), 0.3),
        'gradient': tf.gradients(tf.reduce_sum(tf.square(image.rotate(x, 0.5, 'BILINEAR'))), x),
        'shape': image.rotate(x, 0.5).shape.as_list(),
    }


def metrics(bench):
    """Metrics over two batches."""
    contrib, found = tf.contrib.metrics, {}
    predictions, labels = tf.placeholder(tf.float32, (None,)), tf.placeholder(tf.float32, (None,))
    classes, wanted = tf.cast(predictions > 0.4, tf.int32), tf.cast(labels, tf.int32)
    made = {
        'accuracy': contrib.streaming_accuracy(classes, wanted),
        'auc': contrib.streaming_auc(predictions, labels),
        'mean': contrib.streaming_mean(predictions),
        'iou': contrib.streaming_mean_iou(classes, wanted, 2),
        'precision': contrib.streaming_precision(classes, wanted),
        'recall': contrib.streaming_recall(classes, wanted),
        'mae': contrib.streaming_mean_absolute_error(predictions, labels, labels + 1),
        'mse': contrib.streaming_mean_squared_error(predictions, labels),
        'root': contrib.streaming_root_mean_squared_error(predictions, labels, name='root'),
        'negatives': contrib.streaming_false_negatives(classes, wanted),
        'less': contrib.streaming_percentage_less(predictions, 0.3),
    }
    bench.session.run(tf.local_variables_initializer())
    for seed in 0, 1:
        feed = {predictions: np.abs(bench.array(6, seed=seed)), labels: [1, 0, 1, 1, 0, 0]}
        bench.run([update for _, update in made.values()], feed)
    found = {name: bench.run(value) for name, (value, _) in made.items()}
    found['now'] = bench.run([contrib.accuracy(classes, wanted), contrib.accuracy(classes, wanted, labels + 1)], feed)
    found['confusion'] = bench.run(contrib.confusion_matrix(wanted, classes), feed)
    return found


def hyperparameters(bench):
    """Values read from text."""
    HParams = tf.contrib.training.HParams
    made = HParams(rate=0.5, size=3, sizes=[1, 2, 3], name='a', on=True, none=None)
    found = {'values': made.values(), 'text': str(made), 'json': made.to_json(sort_keys=True)}
    made.parse('rate=2,size=4,sizes=[7,8],name=b c,on=false').set_hparam('size', 6)
    made.override_from_dict({'name': 'z'}).parse_json('{"rate": 0.25}').add_hparam('more', [0.5])
    made.parse('sizes=[7,5],more=[1]')
    found['changed'] = [
        made.values(),
        'rate' in made,
        'rat' in made,
        made.get('size'),
        made.get('nothing', 3),
        made.rate,
    ]
    made.del_hparam('name')
    errors = []
    for change in (
        lambda: made.parse('nothing=2'),
        lambda: made.parse('size=x'),
        lambda: made.parse('size=2.5'),
        lambda: made.set_hparam('size', 'x'),
        lambda: made.set_hparam('size', [1]),
        lambda: made.set_hparam('q', 1),
        lambda: made.add_hparam('size', 1),
        lambda: HParams(empty=[]),
        lambda: made.parse('size[1]=2'),
        lambda: made.parse('sizes[1]=2'),
        lambda: made.name,
        lambda: made.set_hparam('sizes', 3),
    ):
        try:
            errors.append(str(change()))
        except (ValueError, KeyError, AttributeError) as error:
            errors.append(type(error).__name__)
    return dict(found, errors=errors, left=sorted(made.values()))


def replaced_graphs(bench):
    """Copies of a graph that read other tensors."""
    replace = tf.contrib.graph_editor.graph_replace
    x = tf.placeholder(tf.float32, (None, 3), name='x')
    w = tf.get_variable('w', (3, 2))
    h = tf.tanh(tf.matmul(x, w), name='h')
    y = tf.reduce_sum(tf.square(h) + h, 1, name='y')
    other = tf.constant(bench.array(2, 3, seed=3))
    first = replace(y, {x: other})
    both = replace([y, h], {x: 2 * x, w.value(): tf.ones((3, 2))})
    inside = replace({'a': y}, {h: tf.zeros_like(h) + 1})
    scoped = replace(y, {x: other}, dst_scope='copy')
    unrolled = y
    updated = w - 0.5 * tf.gradients(tf.reduce_sum(y), w)[0]
    for _ in range(2):
        unrolled = replace(unrolled, {w.value(): updated})
    gradient = tf.gradients(tf.reduce_sum(unrolled), w)
    with tf.control_dependencies([tf.no_op(name='before')]):
        controlled = tf.identity(h)
    chosen = tf.cond(tf.reduce_sum(h) > 0, lambda: h * 2, lambda: h * 3)
    looped = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v + h), (0, h))[1]
    copies = replace([controlled, chosen, looped], {h: h - 1})
    try:
        message = str(replace(y, {tf.constant(1.0): other}))
    except ValueError as error:
        message = type(error).__name__
    bench.fill()
    feed = {x: bench.array(2, 3)}
    return {
        'values': bench.run([first] + both + [inside['a'], scoped, unrolled] + gradient + copies, feed),
        'error': message,
        'scope': scoped.op.name.split('/')[0],
        'shape': first.shape.as_list(),
        'variables': len(tf.global_variables()),
        'old': bench.run([y, controlled, looped], feed),
    }
