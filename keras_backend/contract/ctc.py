"""Connectionist temporal classification: labels for sequences that are not aligned with them."""

from typing import List, Tuple

from .engine import K
from .kinds import Count, Flag, Tensor, TensorLike

TITLE = 'CTC'


def ctc_label_dense_to_sparse(labels: TensorLike, label_lengths: TensorLike) -> Tensor:
    """Turn padded labels into a sparse tensor.

    Parameters
    ----------
    labels : tensor of int, shape (samples, max_length)
        Labels, padded at the end with anything.
    label_lengths : tensor of int, shape (samples,)
        How many labels count in each row.

    Returns
    -------
    tensor, sparse, shape (samples, max_length)
        The labels that count; `K.to_dense` has 0 in place of the others.

    Examples
    --------
    >>> labels = K.constant([[1, 2], [3, 9]], dtype='int32')
    >>> sparse = K.ctc_label_dense_to_sparse(labels, K.constant([2, 1], dtype='int32'))
    >>> K.is_sparse(sparse)
    True
    """
    return K.ctc_label_dense_to_sparse(labels, label_lengths)


def ctc_batch_cost(
    y_true: TensorLike, y_pred: TensorLike, input_length: TensorLike, label_length: TensorLike
) -> Tensor:
    """CTC loss: minus the log probability of the labels, summed over all alignments.

    Parameters
    ----------
    y_true : tensor of int, shape (samples, max_length)
        Labels, padded at the end with anything. The blank, which is no label, is the last category; where
        it stands within the length of a label, the label ends before it.
    y_pred : tensor, shape (samples, time, categories)
        Probabilities, as a softmax gives them.
    input_length : tensor of int, shape (samples, 1)
        How many time steps count.
    label_length : tensor of int, shape (samples, 1)
        How many labels count.

    Returns
    -------
    tensor, shape (samples, 1)
        The loss of each sample; infinite where the labels do not fit into the time steps.

    Notes
    -----
    `K.epsilon()` is added to `y_pred`, which is then normalised again.

    References
    ----------
    A. Graves, S. Fernandez, F. Gomez, J. Schmidhuber, Connectionist Temporal Classification:
    Labelling Unsegmented Sequence Data with Recurrent Neural Networks, ICML 2006.

    Examples
    --------
    Two steps of even chances: the label 0 is read from "0 0", "0 blank" and "blank 0", three of four outcomes.

    >>> y_true = K.constant([[0]], dtype='int32')
    >>> y_pred = K.constant([[[0.5, 0.5], [0.5, 0.5]]])
    >>> lengths = K.constant([[2]], dtype='int32'), K.constant([[1]], dtype='int32')
    >>> loss = K.eval(K.ctc_batch_cost(y_true, y_pred, *lengths))
    >>> loss.shape, round(float(np.exp(-loss[0, 0])), 3)
    ((1, 1), 0.75)
    """
    return K.ctc_batch_cost(y_true, y_pred, input_length, label_length)


def ctc_decode(
    y_pred: TensorLike,
    input_length: TensorLike,
    greedy: Flag = True,
    beam_width: Count = 100,
    top_paths: Count = 1,
    merge_repeated: Flag = False,
) -> Tuple[List[Tensor], Tensor]:
    """Most probable labels for sequences of category probabilities.

    Parameters
    ----------
    y_pred : tensor, shape (samples, time, categories)
        Probabilities, as a softmax gives them. The last category is the blank.
    input_length : tensor of int, shape (samples,)
        How many time steps count.
    greedy : bool, optional
        Take the best category of each step, merge repeated ones and drop blanks; otherwise a prefix
        beam search.
    beam_width : int, optional
        How many prefixes the beam search keeps.
    top_paths : int, optional
        How many label sequences the beam search returns.
    merge_repeated : bool, optional
        Merge equal neighbours in the sequences that the beam search found.

    Returns
    -------
    decoded : list of tensor, int64, shape (samples, longest)
        One tensor if `greedy`, else `top_paths` of them, best first; rows are filled up with -1.
    log_probabilities : tensor, shape (samples, 1) or (samples, top_paths)
        Negated sum of the log probabilities of the steps if `greedy`, else the log probability of
        each sequence.

    Raises
    ------
    ValueError
        `top_paths` is greater than `beam_width`.

    References
    ----------
    A. Graves, S. Fernandez, F. Gomez, J. Schmidhuber, Connectionist Temporal Classification:
    Labelling Unsegmented Sequence Data with Recurrent Neural Networks, ICML 2006.
    A. Hannun et al., First-Pass Large Vocabulary Continuous Speech Recognition using Bi-Directional
    Recurrent DNNs, 2014.

    Examples
    --------
    >>> y_pred = K.constant([[[0.8, 0.1, 0.1], [0.8, 0.1, 0.1], [0.1, 0.1, 0.8], [0.1, 0.8, 0.1]]])
    >>> decoded, scores = K.ctc_decode(y_pred, K.constant([4], dtype='int32'))
    >>> K.eval(decoded[0]).tolist(), K.eval(scores).shape
    ([[0, 1]], (1, 1))
    >>> decoded, scores = K.ctc_decode(y_pred, K.constant([4], dtype='int32'), greedy=False, top_paths=2)
    >>> K.eval(decoded[0]).tolist(), K.eval(scores).shape
    ([[0, 1]], (1, 2))
    """
    return K.ctc_decode(y_pred, input_length, greedy, beam_width, top_paths, merge_repeated)
