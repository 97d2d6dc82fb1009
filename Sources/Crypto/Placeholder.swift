// Crypto follows.
