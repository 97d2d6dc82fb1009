// The test kit follows.
