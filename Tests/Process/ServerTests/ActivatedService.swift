import EventLoop
import Foundation
import NotifyKit
import Synchronization
import Testing

@testable import ServerKit

/// One life of the service, with a socket that was passed to it.
final class ActivatedService: Sendable {
    private let process = Process()
    private let listener: NotifyListener
    private let said = Mutex<[String]>([])

    /// What it reported until it was ready.
    var messages: [String] { said.withLock { $0 } }

    init(
        _ homeroom: Homeroom, _ socket: Int32, _ listener: NotifyListener,
        watchdogMicroseconds: Int? = nil
    ) throws {
        self.listener = listener
        process.executableURL = URL(filePath: "/bin/sh")
        // The process id is known only once it runs; exec keeps it.
        process.arguments = [
            "-c", "export LISTEN_PID=$$; exec \"$0\" serve --log off 3<&0 </dev/null",
            Homeroom.executable,
        ]
        process.standardInput = FileHandle(fileDescriptor: socket, closeOnDealloc: false)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        var variables = homeroom.variables
        variables["LISTEN_FDS"] = "1"
        variables["LISTEN_FDNAMES"] = "http"
        variables["NOTIFY_SOCKET"] = listener.path
        variables["WATCHDOG_USEC"] = watchdogMicroseconds.map { "\($0)" }
        process.environment = variables
        try process.run()
    }

    func waitUntilReady() async {
        await aside { [self] in
            while let message = listener.next() {
                said.withLock { $0.append(message) }
                if message.hasPrefix("READY=1") { return }
            }
            Issue.record("not ready in time")
        }
    }

    func terminate() {
        process.terminate()
    }

    /// How it ended.
    func status() async -> Int32 {
        await aside { [self] in
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    /// Stops it as a service manager does.
    func stop() async {
        terminate()
        #expect(await status() == 0)
        listener.forget()
    }
}

/// Runs what blocks on a thread of its own.
func aside<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        startThread { continuation.resume(returning: body()) }
    }
}
