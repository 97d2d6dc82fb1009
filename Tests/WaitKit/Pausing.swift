import Glibc

/// Lets something run before the test interrupts it. It must withstand that at any moment, so it does not matter how
/// far it comes; where that matters, use `eventually`.
package func letRun(for duration: Duration) async {
    try? await Task.sleep(for: duration)
}

/// The same for threads that may block.
package func letRun(for duration: Duration) {
    usleep(UInt32(duration / .microseconds(1)))
}

/// Lets a client pause before it asks again, as a client does that was asked to come back.
package func pauseBetweenAttempts() async {
    await letRun(for: .milliseconds(20))
}

/// The same for threads that may block.
package func pauseBetweenAttempts() {
    letRun(for: .milliseconds(20))
}
