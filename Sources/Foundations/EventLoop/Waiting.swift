/// Suspends the task for that many milliseconds, on a timer of its loop if it has one.
package func pause(milliseconds: Int) async {
    guard let loop = Loop.current else {
        try? await Task.sleep(for: .milliseconds(milliseconds))
        return
    }
    await withCheckedContinuation { continuation in
        loop.schedule(afterMilliseconds: milliseconds) { continuation.resume() }
    }
}
