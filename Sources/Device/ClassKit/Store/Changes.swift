/// What changed since the last save, in the order in which it did.
struct Changes {
    var contexts: [CLSContext] = []
    var activities: [CLSActivity] = []
    /// Marked for removal, or taken out of the tree.
    var removed: [CLSContext] = []
    /// Paths below the app whose removal could not be written.
    var removedPaths: [[String]] = []
}
