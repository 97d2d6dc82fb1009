// Exports follows.
