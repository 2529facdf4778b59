"""The pages of errors have the messages that programs really gave, and what they say to type works."""

import json
import os
import re
import subprocess
import sys

import pytest
from checkout import ROOT
from files_of_models import FOLDER
from processes import python

sys.path.insert(0, os.path.join(ROOT, 'tools'))

import error_texts
import make_error_pages

# Every seventh of the model files. tests/programs/test_error_programs.py runs the programs.
FILES = sorted({entry.files for entry, _, _ in error_texts.shown('files') if '--weights' not in entry.cure})[::7]


def test_pages_of_errors_are_written():
    """The pages are what the tool makes of tools/messages and of the recorded messages."""
    tool = os.path.join(ROOT, 'tools', 'make_error_pages.py')
    assert 0 == subprocess.call([sys.executable, tool, '--check'])


@pytest.mark.parametrize('door', error_texts.DOORS)
def test_each_program_gave_a_message(door):
    """Each entry has a recorded message, each heading is a part of it, and no message is left of an older entry."""
    record, listed = error_texts.recorded(), error_texts.entries(door)
    assert [] == [entry.name for entry in listed if entry.name not in record]
    assert {entry.name for entry in listed} == {name for name in record if name.startswith(door + ' ')}
    for entry in listed:
        message = record[entry.name]['message']
        assert error_texts.heading(entry, message) in message
        assert entry.cause.endswith('.')
        assert not re.search(r'[.!?] [A-Z]', entry.cause), 'one sentence'


def test_how_many_messages():
    """There are over 120 messages of programs that ran without keras_backend, and no page has a heading twice."""
    without = 0
    for door in error_texts.DOORS:
        titles = [title for _, title, _ in error_texts.shown(door)]
        assert len(titles) == len({re.sub(r'[^\w\- ]', '', title.lower()) for title in titles})
        without += sum(origin != 'keras_backend' for _, _, origin in error_texts.shown(door))
    assert without > 300
    assert set(make_error_pages.PAGES) == set(error_texts.DOORS)


@pytest.mark.parametrize('names', FILES, ids=lambda names: names[0])
def test_command_for_a_model_file(names, tmp_path):
    """The command that the page shows reads the file that another Keras refused."""
    path = os.path.join(FOLDER, names[-1])
    status, out, err = python('-m', 'keras_backend', 'model', path, '--json', home=tmp_path)
    assert 0 == status, err
    assert json.loads(out)


# What people paste from the last line of a traceback, or from a page that asks about it.
PASTED = (
    'TypeError: pop expected at most 1 argument, got 2', "Unrecognized keyword arguments: ['batch_shape'",
    'expected axis -1 of input shape to have value', 'Layer weight shape',
    "Error when deserializing class 'InputLayer'",
    'file signature not found', 'because its parent module', "'str' object has no attribute 'decode'",
    'Layer count mismatch', 'Unknown initializer', 'expected 2 variables, but received 0', 'Unknown loss function',
    "axes don't match array",
)  # fmt: skip


@pytest.mark.parametrize('line', PASTED)
def test_a_pasted_line_is_a_heading(line):
    """A search finds headings first."""
    with open(os.path.join(ROOT, 'docs', 'file-errors.md'), encoding='utf-8') as page:
        assert [heading for heading in page if heading.startswith('### ') and line in heading]
