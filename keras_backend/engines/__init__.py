"""The engines: a package each, with one file per topic of the contract. None is imported before it is chosen."""
