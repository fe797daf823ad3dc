"""What a controller must have done, worked out again from the law and from what clients saw."""
