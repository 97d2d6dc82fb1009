// Cluster follows.
