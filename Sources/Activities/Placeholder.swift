// Activities follows.
