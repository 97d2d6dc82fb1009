// CSV follows.
