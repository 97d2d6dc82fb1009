// Handouts follows.
