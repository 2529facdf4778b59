"""The lock of all that changes: values of variables, and what is made once for a layer or a variable."""

from ....basics.locks import Lock

LOCK = Lock()
