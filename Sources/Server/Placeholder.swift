// Server follows.
