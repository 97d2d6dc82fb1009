// School follows.
