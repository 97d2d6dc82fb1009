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
    ///   - seconds: then it is ended.
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
            let (source, sink) = (Pipe(), Pipe())
            process.standardInput = source
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
            try? source.fileHandleForWriting.write(contentsOf: input)
            try? source.fileHandleForWriting.close()
            let output = (try? sink.fileHandleForReading.readToEnd()) ?? Data()
            process.waitUntilExit()
            return Output(
                status: process.terminationReason == .exit ? process.terminationStatus : -1,
                output: output)
        }
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
