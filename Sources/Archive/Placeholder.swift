// Archive follows.
