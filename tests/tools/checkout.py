"""Where the files of the checkout lie. The package that is tested may be an installed one, in another place."""

import os

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(TESTS)
