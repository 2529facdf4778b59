"""`einsum` of one or two tensors by functions of K.

Source: the documentation of numpy.einsum and tf.einsum.
"""

from typing import Any, Dict, List, Sequence, Set, Tuple

_LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'


def einsum(K: Any, equation: str, *tensors: Any) -> Any:
    """The sum of products that the equation names. Error: ValueError, for what is not done here."""
    terms, target = _letters(equation, [K.ndim(tensor) for tensor in tensors])
    sizes: Dict[str, Any] = {}
    for tensor, term in zip(tensors, terms):
        for axis, letter in enumerate(term):
            known = K.int_shape(tensor)[axis]
            if known is not None or letter not in sizes:
                sizes[letter] = K.shape(tensor)[axis] if known is None else known
    reduced = [_without(K, tensor, term, target, terms) for tensor, term in zip(tensors, terms)]
    if len(tensors) == 1:
        (tensor, term) = reduced[0]
        return K.permute_dimensions(tensor, [term.index(letter) for letter in target])
    (a, of_a), (b, of_b) = reduced
    return _product(K, (a, of_a), (b, of_b), target, sizes)


def _letters(equation: str, ranks: Sequence[int]) -> Tuple[List[str], str]:
    """The letters of each tensor and of the result. Axes of `...` get letters of their own."""
    words = equation.replace(' ', '')
    left, arrow, right = words.partition('->')
    terms = left.split(',')
    if not arrow or len(terms) != len(ranks) or len(terms) > 2:
        raise ValueError('einsum has a meaning for one or two tensors and an arrow here')
    more = [letter for letter in _LETTERS if letter not in words]
    axes = [rank - len(term.replace('...', '')) for term, rank in zip(terms, ranks) if '...' in term]
    if any([count > len(more) for count in axes]):
        raise ValueError('einsum: there are more axes than letters')
    # The axes of `...` are counted from the last one.
    spread = ''.join(more[: max(axes)]) if axes else ''
    whole = []
    for term, rank in zip(terms, ranks):
        count = rank - len(term.replace('...', ''))
        term = term.replace('...', spread[len(spread) - count :])
        if len(term) != rank or len(set(term)) != rank or not set(term) <= set(_LETTERS):
            raise ValueError(f'einsum: the term {term[:60]} has no meaning here for a tensor with {rank} axes')
        whole.append(term)
    target = right.replace('...', spread)
    if len(set(target)) != len(target) or not set(target) <= set(''.join(whole)):
        raise ValueError(f'einsum: the result {right[:60]} has letters twice, or letters that no tensor has')
    return whole, target


def _without(K: Any, tensor: Any, term: str, target: str, terms: Sequence[str]) -> Tuple[Any, str]:
    """The tensor without the axes that neither the result nor the other tensor has: their sum."""
    kept: Set[str] = set(target).union(*[set(other) for other in terms if other is not term])
    if len(terms) == 2 and terms[0] is terms[1]:
        kept = set(term)
    alone = [axis for axis, letter in enumerate(term) if letter not in kept]
    if alone:
        tensor = K.sum(tensor, axis=alone)
    return tensor, ''.join([letter for letter in term if letter in kept])


def _product(K: Any, left: Tuple[Any, str], right: Tuple[Any, str], target: str, sizes: Dict[str, Any]) -> Any:
    (a, of_a), (b, of_b) = left, right
    both = [letter for letter in of_a if letter in of_b]
    batch = [letter for letter in both if letter in target]
    summed = [letter for letter in both if letter not in target]
    rows, columns = [letter for letter in of_a if letter not in both], [letter for letter in of_b if letter not in both]
    count = [_times(K, [sizes[letter] for letter in letters]) for letters in (batch, rows, summed, columns)]
    a = K.permute_dimensions(a, [of_a.index(letter) for letter in [*batch, *rows, *summed]])
    b = K.permute_dimensions(b, [of_b.index(letter) for letter in [*batch, *summed, *columns]])
    if batch:
        a, b = K.reshape(a, (count[0], count[1], count[2])), K.reshape(b, (count[0], count[2], count[3]))
        y = K.batch_dot(a, b, axes=(2, 1))
    else:
        y = K.dot(K.reshape(a, (count[1], count[2])), K.reshape(b, (count[2], count[3])))
    letters = [*batch, *rows, *columns]
    y = K.reshape(y, [sizes[letter] for letter in letters])
    return K.permute_dimensions(y, [letters.index(letter) for letter in target])


def _times(K: Any, sizes: Sequence[Any]) -> Any:
    product: Any = 1
    for size in sizes:
        product = product * size
    return product
