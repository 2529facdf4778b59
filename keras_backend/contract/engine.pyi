from ..front import Front

# Beside the code, not in it: the contract does not import the front.
K: Front
