"""The rules of both launchers about Python, files and other libraries, and how a finding gets its words.

A launcher adds the rules about its Keras to `RULES`.
"""

import re
from typing import Dict, Optional

from .finding import STOPS, Finding, Place
from .rule import ARRAYS, PYTHON, Rule

OF_ALL_PROGRAMS = (
    Rule(
        'python2',
        PYTHON,
        STOPS,
        "`Missing parentheses in call to 'print'`, `invalid syntax`",
        'the program is written in Python 2',
        '`pip install fissix`, then `python -m fissix -w train.py`, which rewrites the program in Python 3',
    ),
    Rule(
        'python2-name',
        PYTHON,
        STOPS,
        "`name 'xrange' is not defined`, `No module named 'cPickle'`, `has no attribute 'iteritems'`",
        'the name is one of Python 2',
        '`pip install fissix`, then `python -m fissix -w train.py`, which rewrites the program in Python 3',
    ),
    Rule(
        'python2-division',
        PYTHON,
        STOPS,
        "`'float' object cannot be interpreted as an integer`",
        '`7 / 2` is 3 in Python 2, and 3.5 in Python 3',
        'write `7 // 2` for sizes and indices',
    ),
    Rule(
        'python-removed',
        PYTHON,
        STOPS,
        "`No module named 'asyncore'`, `module 'string' has no attribute 'atoi'`",
        'Python has removed the name',
        'write the name that Python has today; `--check` says which',
    ),
    Rule('broken-syntax', PYTHON, STOPS, '`SyntaxError`', 'Python cannot read the line', 'mend the line'),
    Rule(
        'encoding',
        PYTHON,
        STOPS,
        '`Non-UTF-8 code starting with`',
        'the file has another encoding than UTF-8, and does not say which',
        'save it as UTF-8, or put `# -*- coding: latin-1 -*-` into the first line',
    ),
    Rule('unreadable', PYTHON, STOPS, '', 'the file cannot be read', 'nothing was checked here'),
    Rule('magic', PYTHON, STOPS, '', 'the line is a command of notebooks', 'delete the line'),
    Rule(
        'library-removed',
        ARRAYS,
        STOPS,
        "`module 'numpy' has no attribute 'irr'`",
        'a library has removed the name',
        'write the name of today, or install the version that `--check` names',
    ),
)

RULES: Dict[str, Rule] = {rule.name: rule for rule in OF_ALL_PROGRAMS}


def plain(text: str) -> str:
    """Markdown as text: a link is its words, and the page that it leads to."""
    return re.sub(r'\[([^\]]*)\]\(([^)]*)\)', r'\1 (docs/\2)', text)


def finding(
    rule: str, place: Place, reason: Optional[str] = None, advice: Optional[str] = None, severity: Optional[str] = None
) -> Finding:
    """A finding by the words of its rule, or by words for the very program."""
    words = RULES[rule]
    return Finding(
        place.path,
        place.line,
        rule,
        reason or plain(words.reason),
        advice or plain(words.advice),
        severity or words.severity,
        place.cell,
    )
