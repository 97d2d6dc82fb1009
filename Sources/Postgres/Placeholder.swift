// Postgres follows.
