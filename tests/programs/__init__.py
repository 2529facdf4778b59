"""Programs as people wrote them in 2016 to 2019, run as they are by `python -m keras_backend.keras2`."""
