import ClassKitUplink

extension CLSContext {
    /// The context as the server's JSON has it.
    package var record: ContextRecord {
        ObjectLock.locked { ContextRecord(row(at: pathBelowApp)) }
    }
}
