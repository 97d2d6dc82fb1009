// Catalog follows.
