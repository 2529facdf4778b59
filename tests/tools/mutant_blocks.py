"""The outcomes of changed model files, tried in processes of their own: HDF5 can loop or end at a damaged file."""

import collections
import json
import os

from processes import python

HERE = os.path.dirname(os.path.abspath(__file__))
# What HDF5 itself does to a file is no work of ours: only where its bytes or its types are changed may it end.
ENDED = 'ENDED'


def outcomes(way, first, last, backend, **variables):
    """{number: (words for the change, outcome, message)}. ENDED is the outcome of a file that ends its process."""
    results = {}
    while first < last:
        arguments = [os.path.join(HERE, 'try_mutants.py'), way, str(first), str(last)]
        status, out, err = python(*arguments, home=HERE, backend=backend, path=[HERE], **variables)
        for line in out.splitlines():
            number, words, result, message = json.loads(line)
            results[number] = (words, result or ENDED, message)
        begun = [number for number in results if number >= first]
        assert begun, err[-2000:]
        if status == 0:
            break
        number = max(begun)
        assert results[number][1] == ENDED, err[-2000:]
        results[number] = (*results[number][:2], err[-1000:])
        first = number + 1
    return results


def wrong(results):
    """What must not be: raw errors, long messages, storms of warnings, and an end that HDF5 has no part in."""
    return [
        f'mutant {number}, {words}: {result}: {message}'
        for number, (words, result, message) in sorted(results.items())
        if result.isupper() and not (result == ENDED and 'h5py' in message)
    ]


def counts(results):
    """How often each outcome comes."""
    return collections.Counter([result for _, result, _ in results.values()])
