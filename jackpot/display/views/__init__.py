"""What screens show: values made of a controller's answers."""
