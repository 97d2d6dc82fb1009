import Foundation

/// Runs programs of the system.
enum Program {
    struct Output: Sendable {
        let status: Int32
        let output: Data
    }

    /// Where a program is; `nil` if it is not installed.
    static func find(_ name: String, in variables: [String: String]) -> URL? {
        (variables["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
            .map { URL(fileURLWithPath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Runs a program and waits for it.
    ///
    /// - Parameters:
    ///   - input: goes to its standard input, which no other user can see, unlike its arguments.
    ///   - seconds: the time limit; after it, the process is terminated.
    /// - Returns: `nil` if it is not installed.
    static func run(
        _ name: String, _ arguments: [String], input: Data = Data(), seconds: Double,
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> Output? {
        guard let file = find(name, in: variables) else { return nil }
        return try await Blocking.run {
            let process = Process()
            process.executableURL = file
            process.arguments = arguments
            process.environment = variables
            // A socket, because writing to a pipe that nobody reads would end the app by a signal.
            let (ours, its) = try sockets()
            defer { close(ours) }
            process.standardInput = its
            let sink = Pipe()
            process.standardOutput = sink
            process.standardError = FileHandle.nullDevice
            do {
                try process.run()
            } catch {
                throw UplinkError.secrets(
                    "\(file.path) cannot be run: \(error.localizedDescription)")
            }
            let end = DispatchWorkItem { process.terminate() }
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: end)
            defer { end.cancel() }
            try? its.close()
            send(input, to: ours)
            let output = (try? sink.fileHandleForReading.readToEnd()) ?? Data()
            process.waitUntilExit()
            return Output(
                status: process.terminationReason == .exit ? process.terminationStatus : -1,
                output: output)
        }
    }

    private static func sockets() throws -> (ours: Int32, its: FileHandle) {
        var pair: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
            throw UplinkError.secrets("socketpair: \(String(cString: strerror(errno)))")
        }
        return (pair[0], FileHandle(fileDescriptor: pair[1], closeOnDealloc: true))
    }

    private static func send(_ input: Data, to socket: Int32) {
        var rest = Array(input)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        shutdown(socket, Int32(SHUT_WR))
    }

    /// Starts a program that may go on, such as a browser.
    ///
    /// - Returns: whether it is installed and does not fail at once.
    static func launch(
        _ name: String, _ arguments: [String],
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> Bool {
        guard let file = find(name, in: variables) else { return false }
        let process = Process()
        process.executableURL = file
        process.arguments = arguments
        process.environment = variables
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        for _ in 0..<20 where process.isRunning { try await Task.sleep(for: .milliseconds(100)) }
        return process.isRunning || process.terminationStatus == 0
    }
}
