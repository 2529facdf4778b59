"""Other people's programs: run as they are, checked before they run, migrated, and proved to give the same numbers."""
