// Directory follows.
