import EventLoop

extension Loop {
    /// Runs the body as a task of this loop.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            spawn { continuation.resume(returning: await body()) }
        }
    }

    /// A loop with a thread of its own, which ends with the process.
    static func started() -> Loop {
        do {
            let loop = try Loop()
            loop.start()
            return loop
        } catch {
            fatalError("no event loop: \(error)")
        }
    }
}
