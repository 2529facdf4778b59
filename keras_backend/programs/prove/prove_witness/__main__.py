"""`python prove_witness SETTINGS.json`: run the program that the settings name."""

import os
import sys

# The name of the package is the name of this folder. A program that runs here finds none of the modules beside it.
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from prove_witness import program  # noqa: E402

if __name__ == '__main__':
    sys.path[0] = ''
    program.run(sys.argv[1])
