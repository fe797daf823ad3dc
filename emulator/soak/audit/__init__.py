"""Work out what a controller must have done, from the law and from what clients saw."""
