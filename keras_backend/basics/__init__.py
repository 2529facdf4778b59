"""Rules that the whole package follows, one a module. They import `errors` and each other."""
