"""What several commands share: how they find a controller or a journal, read values, and print."""
