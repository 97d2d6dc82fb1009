// HTTPWire follows.
