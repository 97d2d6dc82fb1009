// Demonstration follows.
