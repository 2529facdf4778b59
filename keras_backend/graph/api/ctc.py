"""Decoding of connectionist temporal classification (Graves et al. 2006)."""

from ...errors import ShapeError

K = G = None


def _lengths(x):
    """Lengths given as (samples,) or (samples, 1), as an int32 vector."""
    return G.cast(K.flatten(G.operand(x)), 'int32')


def ctc_decode(y_pred, input_length, greedy=True, beam_width=100, top_paths=1, merge_repeated=False):
    y_pred = G.floating(y_pred)
    if len(y_pred.dims) != 3:
        raise ShapeError(f'K.ctc_decode needs (samples, time, categories), {y_pred.name} has the shape {y_pred.shape}.')
    y = K.log(y_pred + K.epsilon())
    lengths = _lengths(input_length)
    if greedy:
        found = G.results('ctc_greedy', (y, lengths), {})
    else:
        if top_paths > beam_width:
            raise ValueError(
                f'K.ctc_decode cannot return top_paths={top_paths} of beam_width={beam_width}; raise beam_width.'
            )
        y = G.F.log_softmax(y, axis=2)
        found = G.results(
            'ctc_beam',
            (y, lengths),
            {'beam_width': int(beam_width), 'top_paths': int(top_paths), 'merge_repeated': bool(merge_repeated)},
        )
    return found[:-1], found[-1]


def ctc_label_dense_to_sparse(labels, label_lengths):
    return G.F.ctc_sparse(G.operand(labels), _lengths(label_lengths))
