"""What the documents show, for the tests that run it."""

import os
import re

from checkout import ROOT


def blocks(name, language=None):
    """The fenced blocks of docs/NAME in order: (language, title, text); of one language, the texts alone."""
    with open(os.path.join(ROOT, 'docs', name), encoding='utf-8') as file:
        found = re.findall(r'^```(\S+)([^\n]*)\n(.*?)^```$', file.read(), re.MULTILINE | re.DOTALL)
    if language is None:
        return [(kind, title.strip(), text) for kind, title, text in found]
    return [text for kind, _, text in found if kind == language]
