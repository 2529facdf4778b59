"""What an engine supports, without running a test: the origin of each function, and the tests that are known to fail.

A run of the conformance tests fails if an expected failure passes, or if another test fails. So what is said here holds
wherever such a run succeeds.
"""

from ._report import covered


class Support:
    """A pytest plugin that counts, for each K function, the collected tests that are expected to fail.

    `expected` is a dict from the name of a K function to that number. Functions without such a test are not in it.
    """

    def __init__(self):
        self.expected = {}

    def pytest_collection_finish(self, session):
        for item in session.items:
            if item.get_closest_marker('xfail') is not None:
                for name in covered(item):
                    self.expected[name] = self.expected.get(name, 0) + 1
