"""What goes on after an error of several kinds, or of any kind, says why: no other error takes that way unseen."""

import ast
import glob
import io
import os
import re
import tokenize

import pytest

import keras_backend

PACKAGE = os.path.dirname(keras_backend.__file__)
# What every wide handler begins with. A file without it need not be parsed.
BEGINS = re.compile(r'\bexcept\s*(?:[:(]|Exception\b|BaseException\b|_[A-Z])')
# Classes from which nearly all errors are derived.
BROAD = {'Exception', 'BaseException'}


def _is_wide(kind):
    """Whether a handler takes errors of several kinds. A name of our own module is a tuple of them, or one class."""
    if kind is None or isinstance(kind, ast.Tuple):
        return True
    return isinstance(kind, ast.Name) and (kind.id in BROAD or (kind.id.startswith('_') and kind.id.isupper()))


def _says_why(handler, lines, comments):
    """Whether a comment stands on the line of `except`, alone on the line before it, or behind it before the body."""
    first = handler.body[0].lineno
    before = handler.lineno - 1
    alone = before in comments and lines[before - 1].strip().startswith('#')
    return alone or any(line in comments for line in range(handler.lineno, first + 1))


def without_reason(text):
    """The lines of the fallbacks without a reason. What raises at its end is no fallback."""
    if not BEGINS.search(text):
        return []
    wide = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ExceptHandler) and _is_wide(node.type) and not isinstance(node.body[-1], ast.Raise)
    ]
    lines, comments = text.split('\n'), _comments(text) if wide else set()
    return [node.lineno for node in wide if not _says_why(node, lines, comments)]


def _comments(text):
    """The numbers of the lines with comments."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {token.start[0] for token in tokens if token.type == tokenize.COMMENT}


def test_every_wide_fallback_says_why():
    found = []
    for path in sorted(glob.glob(os.path.join(PACKAGE, '**', '*.py'), recursive=True)):
        with open(path, encoding='utf-8') as stream:
            found += [f'{os.path.relpath(path, PACKAGE)}:{line}' for line in without_reason(stream.read())]
    assert found == []


@pytest.mark.parametrize(
    ('handler', 'lacks'),
    [
        ('except (ValueError, TypeError):\n    y = 1', True),
        ('except Exception as error:\n    y = error', True),
        ('except:\n    y = 1', True),
        ('except _KINDS:\n    y = 1', True),
        ('except ValueError:\n    y = 1', False),
        ('except (ValueError, TypeError):  # why\n    y = 1', False),
        ('# why\nexcept (ValueError, TypeError):\n    y = 1', False),
        ('except (ValueError, TypeError):\n    # why\n    y = 1', False),
        ('except (ValueError, TypeError):\n    y = 1\n    # no reason', True),
        ('except (ValueError, TypeError) as error:\n    raise KeyError from error', False),
    ],
)
def test_a_fallback_without_a_reason_is_found(handler, lacks):
    assert bool(without_reason(f'try:\n    x = 1  # of the body\n{handler}\n')) == lacks
