"""What h5py 3 does otherwise."""
import h5py
import numpy as np

with h5py.File('data.h5') as file:
    file['x'] = np.arange(3)
    file.attrs['names'] = [b'one', b'two']
    file.attrs['version'] = b'2.1'
    file.attrs['text'] = u'\u00e9'
    file.attrs['layer_names'] = []
with h5py.File('data.h5') as file:
    assert file['x'].value.tolist() == [0, 1, 2]
    file.flush()
    assert file.fid.get_file_image()[1:4] == b'HDF'
    assert [name.decode('utf8') for name in file.attrs['names']] == ['one', 'two']
    assert file.attrs['version'].decode('utf8') == '2.1' and file.attrs['text'] == u'\u00e9'
    assert [name.decode('utf8') for name in file.attrs['layer_names']] == []
with h5py.File('data.h5', 'r') as file:
    try:
        file['y'] = 1
    except (IOError, ValueError, KeyError, RuntimeError):
        pass
    else:
        raise AssertionError("mode 'r' has to hold")
print('cured')
