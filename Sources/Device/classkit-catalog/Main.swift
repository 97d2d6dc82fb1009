import CatalogExport
import Foundation

/// The command for app developers.
@main
struct Main {
    static func main() async {
        do {
            let command = try ExportCommand(Array(CommandLine.arguments.dropFirst()))
            print(try await command.run())
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
            exit((error as? ExportError)?.status ?? 1)
        }
    }
}
