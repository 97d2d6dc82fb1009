import ClassKitUplink
import Foundation

/// Sends at the end of the program what waits.
///
/// A program that ends right after its last save would leave that for its next start, which may be long ahead, or never
/// come on a shared machine.
enum SendingAtExit {
    /// How long the end of the program may be held up.
    private static let longestSeconds = 3.0

    private static let isRegistered = atexit { SendingAtExit.send() } == 0

    static func register() { _ = isRegistered }

    private static func send() {
        let store = CLSDataStore.shared
        guard let uplink = ObjectLock.locked({ store.uplink }) else { return }
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            _ = await uplink.flush()
            done.signal()
        }
        _ = done.wait(timeout: .now() + longestSeconds)
    }
}
