"""Removes what is installed in the environment whose Python runs this, and its temporary files: .ci/run says why.

What tox says about the environment, and its logs, stay.
"""

import glob
import os
import shutil
import sys

installed = glob.glob(os.path.join(sys.prefix, 'lib*', 'python*', 'site-packages'))
for folder in [*installed, os.path.join(sys.prefix, 'tmp')]:
    shutil.rmtree(folder, ignore_errors=True)
