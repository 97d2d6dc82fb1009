import Foundation
import Postgres
import School
import Testing

/// The statements of a resource in `SQL/statements`, for readers and for `git diff`.
///
/// `HOMEROOM_PRINT_STATEMENTS=1 swift test --filter Statement` rewrites the files.
package enum StatementFile {
    package static func check<Entity>(
        _ resource: Resource<Entity>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let name = "SQL/statements/\(Entity.table.text).sql"
        let file = repository.appending(path: name)
        let printed =
            "-- What the service asks of \(Entity.table.text), printed by a test: never edited by hand.\n\n"
            + resource.printedStatements
        if ProcessInfo.processInfo.environment["HOMEROOM_PRINT_STATEMENTS"] == "1" {
            try printed.write(to: file, atomically: true, encoding: .utf8)
        }
        let kept = try? String(contentsOf: file, encoding: .utf8)
        #expect(
            kept == printed,
            "\(name) is not what \(resource.names.many) ask; print it anew and read the difference",
            sourceLocation: sourceLocation)
    }

    private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
}
