// Imports follows.
