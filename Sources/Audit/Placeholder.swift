// Audit follows.
