// Access follows.
