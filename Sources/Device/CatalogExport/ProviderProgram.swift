import Foundation

/// A program that runs a context provider, such as one whose main function is `ClassKitLinux.run(provider)`.
struct ProviderProgram {
    let path: String
    let arguments: [String]
    /// Has to be one; nothing is sent to it while the provider runs.
    let server: URL

    /// Runs it in a place of its own, with nobody signed in, so that the tree is the provider's and nothing else.
    func tree(
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> ExportedTree {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "classkit-catalog-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "tree.json")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = variables.filter { !$0.key.hasPrefix("CLASSKIT_TOKEN") }.merging([
            "CLASSKIT_EXPORT": file.path, "CLASSKIT_SERVER": server.absoluteString,
            "XDG_DATA_HOME": folder.path,
        ]) { $1 }
        process.standardOutput = FileHandle.standardError
        do {
            try process.run()
        } catch {
            throw ExportError("\(path) cannot be run: \(error.localizedDescription)")
        }
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw ExportError(
                "\(path) failed (\(process.terminationStatus)). Nothing was published.")
        }
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw ExportError(
                "\(path) wrote no tree: its main function should be ClassKitLinux.run(provider).")
        }
        return try ExportedTree.read(file)
    }
}
