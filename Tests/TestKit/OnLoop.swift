import EventLoop

/// Runs the body as a task of the tests' loop.
func onLoop<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        TestSchool.loop.spawn { continuation.resume(returning: await body()) }
    }
}
