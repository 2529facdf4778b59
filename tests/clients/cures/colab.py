"""What stands in for `google.colab`, for `yaml.load(file)` of PyYAML before 6, and for arguments of plots."""

import keras_backend.keras2  # noqa: F401  # isort: skip
import os

import google.colab
from google.colab import auth, data_table, drive, files, output, runtime, userdata

assert google.colab.drive is drive
drive.mount('/content/drive', force_remount=True)
drive.flush_and_unmount()
auth.authenticate_user()
output.clear()
runtime.unassign()
data_table.enable_dataframe_formatter()
with open('data.csv', 'w') as stream:
    stream.write('a,b\n')
with open('train.py', 'w') as stream:
    stream.write('')
uploaded = files.upload()
assert 'data.csv' in uploaded and 'train.py' not in uploaded
assert uploaded['data.csv'] == b'a,b\n' == dict(uploaded.items())['data.csv']
files.download('data.csv')
for call, error in (
    (lambda: files.download('no.csv'), FileNotFoundError),
    (lambda: uploaded['no.csv'], KeyError),
    (lambda: userdata.get('NO_SUCH_SECRET'), userdata.SecretNotFoundError),
):
    try:
        call()
    except error:
        pass
    else:
        raise AssertionError(error)
os.environ['SECRET_OF_TEST'] = 'x'
assert userdata.get('SECRET_OF_TEST') == 'x'
print('cured')
