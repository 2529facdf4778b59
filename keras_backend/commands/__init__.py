"""What `python -m keras_backend` prints about itself: the report, the demo, the devices, the next commands to type."""
