// Log follows.
