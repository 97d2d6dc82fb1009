// Reports follows.
