"""Decoding of connectionist temporal classification; the last class is the blank."""

from typing import Dict, List, Sequence, Tuple

import numpy as np

from .common import Array

Labels = List[int]

NOTHING = -np.inf


def _pad(paths: Sequence[Labels]) -> Array:
    """Lists of labels as an int64 matrix, short ones filled up with -1."""
    out = np.full((len(paths), max([len(p) for p in paths] or [0])), -1, np.int64)
    for row, path in zip(out, paths):
        row[: len(path)] = path
    return out


def ctc_greedy(y: Array, lengths: Array) -> Tuple[Array, Array]:
    """The labels along the most probable alignment, and the negated sum of its log probabilities.

    `y` holds log probabilities (batch, time, classes), `lengths` how many of the times count.
    """
    batch, time, classes = y.shape
    counts = np.arange(time) < np.asarray(lengths).reshape(batch, 1)
    best = y.argmax(2)
    new = counts & (best != classes - 1)
    new[:, 1:] &= best[:, 1:] != best[:, :-1]
    total = np.where(counts, y.max(2), np.zeros((), y.dtype)).sum(1, np.float64, keepdims=True)
    return _pad([labels[kept] for labels, kept in zip(best, new)]), np.negative(total).astype(y.dtype)


def ctc_beam(y: Array, lengths: Array, beam_width: int, top_paths: int, merge_repeated: bool) -> Tuple[Array, ...]:
    """The `top_paths` most probable label sequences that a prefix beam search finds, and their log probabilities.

    A sequence has the probability of all its alignments together, as far as they stayed within the beam. Where fewer
    sequences are possible, the rest are empty with probability 0.
    """
    batch = y.shape[0]
    beams = [
        _search(y[i, : max(n, 0)].astype(np.float64), beam_width)
        for i, n in enumerate(np.asarray(lengths).reshape(-1).tolist())
    ]
    paths, scores = [], np.full((batch, top_paths), NOTHING)
    for k in range(top_paths):
        column = []
        for i, beam in enumerate(beams):
            path, scores[i, k] = beam[k] if k < len(beam) else ([], NOTHING)
            column.append(_merged(path) if merge_repeated else path)
        paths.append(_pad(column))
    return tuple(paths) + (scores.astype(y.dtype),)


def _merged(path: Labels) -> Labels:
    """`path` with one label in place of equal neighbours."""
    return [label for i, label in enumerate(path) if i == 0 or label != path[i - 1]]


class _Prefixes:
    """The tree of all label sequences met: a number for each, so that one dropped and found again is the same."""

    _child: Dict[Tuple[int, int], int]

    def __init__(self) -> None:
        self.parent, self.label, self._child = [-1], [-1], {}

    def child(self, prefix: int, label: int) -> int:
        number = self._child.get((prefix, label))
        if number is None:
            number = self._child[prefix, label] = len(self.parent)
            self.parent.append(prefix)
            self.label.append(label)
        return number

    def path(self, prefix: int) -> Labels:
        labels = []
        while prefix:
            labels.append(self.label[prefix])
            prefix = self.parent[prefix]
        return labels[::-1]


def _search(y: Array, width: int) -> List[Tuple[Labels, float]]:
    """Results of a prefix beam search over log probabilities (time, classes): (labels, log probability), best first."""
    blank = y.shape[1] - 1
    tree, beam = _Prefixes(), [0]
    # of each prefix of the beam, the log probability of its alignments that end in a blank, and that end in its label
    ends_blank, ends_label = np.zeros(1), np.full(1, NOTHING)
    for now in y:
        size = len(beam)
        last = np.array([tree.label[prefix] for prefix in beam])
        together = np.logaddexp(ends_blank, ends_label)
        longer = together[:, None] + now[:blank]
        labelled = np.flatnonzero(last >= 0)
        # a label follows its equal only across a blank; without one it is the same label still
        longer[labelled, last[labelled]] = ends_blank[labelled] + now[last[labelled]]
        stay_label = np.where(last >= 0, ends_label + now[last], NOTHING)
        positions = {prefix: i for i, prefix in enumerate(beam)}
        parents = np.array([positions.get(tree.parent[prefix], -1) for prefix in beam])
        # prefixes that are in the beam already gather what grows into them
        j = np.flatnonzero(parents >= 0)
        i, label = parents[j], last[j]
        stay_label[j] = np.logaddexp(stay_label[j], longer[i, label])
        longer[i, label] = NOTHING
        stay_blank = together + now[blank]

        scores = np.concatenate((np.logaddexp(stay_blank, stay_label), longer.ravel()))
        chosen = _largest(scores, width)
        stays = chosen < size
        kept = chosen[stays]
        origin, grown = np.divmod(chosen[~stays] - size, max(blank, 1))
        beam = [beam[k] for k in kept] + [tree.child(beam[o], g) for o, g in zip(origin.tolist(), grown.tolist())]
        ends_blank = np.concatenate((stay_blank[kept], np.full(len(grown), NOTHING)))
        ends_label = np.concatenate((stay_label[kept], longer[origin, grown]))
    scores = np.logaddexp(ends_blank, ends_label)
    return [(tree.path(beam[k]), scores[k]) for k in np.argsort(-scores, kind='stable')]


def _largest(scores: Array, width: int) -> Array:
    """The places of the `width` largest possible scores, earlier ones first among equals; at least one place."""
    if len(scores) > width:
        bound = np.partition(scores, len(scores) - width)[len(scores) - width]
        indices = np.flatnonzero(scores >= bound)
    else:
        indices = np.arange(len(scores))
    indices = indices[np.argsort(-scores[indices], kind='stable')][:width]
    possible = indices[scores[indices] > NOTHING]
    return possible if len(possible) else indices[:1]


PRIMITIVES = {'ctc_greedy': ctc_greedy, 'ctc_beam': ctc_beam}
