"""What a contract would find: faults planted into a copy of the user's own rows, and what became of each."""
