"""The commands of docs/tutorial.md, from a repository of 2017 to code of today, print what the page shows."""

import os

import pytest
from documents import fenced
from keras3_backends import BACKENDS
from shell import Shell

# In the environments of tox there is one.
BACKEND = BACKENDS[-1]
BLOCKS = [block for block in fenced('tutorial.md') if not block.reason]


def missing(shown, printed):
    """The lines of a page that a command did not print, or not in that order."""
    rest = iter(printed.splitlines())
    return [line for line in shown.splitlines() if not any(line.strip() in said for said in rest)]


@pytest.mark.skipif(os.name != 'posix', reason='the commands are for bash')
def test_steps_of_the_tutorial(tmp_path):
    """Run, prove, migrate, test: each command ends well, on the backend that is tested here."""
    shell = Shell(tmp_path)
    for block in BLOCKS:
        if block.title:
            (shell.work / block.title).write_text(block.text, encoding='utf-8')
    for block, following in zip(BLOCKS, BLOCKS[1:] + [None]):
        if block.language != 'bash':
            continue
        status, printed = shell.run(block.text.replace('torch', BACKEND))
        assert status == 0, printed
        if following is not None and following.follows and following.language == 'text':
            assert missing(following.text.replace('torch', BACKEND), printed) == [], printed


def test_a_line_that_is_not_printed_is_told():
    """Lines may stand between those of the page, but none may lack, and their order counts."""
    assert missing('one\nthree', 'zero one\ntwo\nthree four') == []
    assert missing('three\none', 'one\ntwo\nthree') == ['one']
