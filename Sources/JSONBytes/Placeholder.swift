// JSONBytes follows.
