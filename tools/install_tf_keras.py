"""Installs the tf_keras of the installed TensorFlow, and nothing with it: it would bring TensorFlow for GPUs.

python tools/install_tf_keras.py
"""

import subprocess
import sys

from keras_backend.programs.on_tf_keras import launcher

if __name__ == '__main__':
    requirement = f'tf_keras{launcher.version()}'
    subprocess.check_call([sys.executable, '-m', 'pip', 'install', '--quiet', '--no-deps', requirement])
