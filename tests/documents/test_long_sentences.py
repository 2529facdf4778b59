"""The pages that people read first have short sentences."""

import os
import sys

import pytest
from checkout import ROOT

sys.path.insert(0, os.path.join(ROOT, 'tools'))

import long_sentences


@pytest.mark.parametrize('page', long_sentences.PAGES)
def test_sentences_are_short(page):
    """No sentence of the page has over 25 words."""
    assert long_sentences.long_sentences(page) == []


def test_pages_with_short_sentences():
    """The pages are README.md and the five that a reader meets first."""
    named = {'start', 'choosing', 'old-models', 'legacy-keras', 'coming-from-tf-keras'}
    assert {'README.md'} | {f'docs/{name}.md' for name in named} == set(long_sentences.PAGES)


def test_a_long_sentence_is_told(tmp_path, monkeypatch):
    """A long sentence is listed with its words; a table and code are left out."""
    monkeypatch.setattr(long_sentences, 'ROOT', str(tmp_path))
    table, code = '| ' + 'cell ' * 30 + '|\n', '```text\n' + 'line ' * 30 + '\n```\n'
    (tmp_path / 'page.md').write_text(table + code + '\n' + 'word ' * 25 + 'end. Short.\n')
    ((count, sentence),) = long_sentences.long_sentences('page.md')
    assert (26, 'end.') == (count, sentence[-4:])
