"""Rules that the whole package follows, one a module. docs/architecture.md says what each may import."""
