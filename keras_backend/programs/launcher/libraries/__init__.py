"""What programs of 2015 to 2023 find missing in Python and in other libraries: NumPy, SciPy, Matplotlib, pandas ...

`cures.py` lists all cures. They lie by library in `*_cures.py`, and `giving.py` has what they share. `library_pins.py`
has the last versions that work without them.
"""
