"""From an unknown log to a profile: look at it, guess what its columns are, write the guess down, show it at work."""
