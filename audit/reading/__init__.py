"""From files to typed events: nothing lost, nothing silent."""
