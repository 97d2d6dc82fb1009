import Files
import JSONBytes

/// The seals of audit trails that exported folders carried out of the database.
package enum ExportedSeals {
    /// The newest seal of each organization in `path` and two levels below, as `doctor --seal` takes it.
    package static func newest(in path: String) -> [String] {
        var newest: [String: (number: Int64, digest: String)] = [:]
        look(at: path, depth: 0, &newest)
        return newest.map { "\($0.key):\($0.value.number):\($0.value.digest)" }.sorted()
    }

    private static func look(
        at path: String, depth: Int, _ newest: inout [String: (number: Int64, digest: String)]
    ) {
        let bytes = try? File.contents(
            of: "\(path)/\(ExportManifest.name)", limit: ExportManifest.bytesMax)
        if let head = bytes.flatMap({ try? JSONValue(parsing: $0) })?["auditHead"],
            let organization = head["organizationId"]?.text, let seal = AuditHead(head),
            seal.number > newest[organization]?.number ?? 0
        {
            newest[organization] = (seal.number, seal.digest)
        }
        guard depth < 2 else { return }
        for name in Folder.names(in: path)
        where !name.hasPrefix(".") && Folder.exists("\(path)/\(name)") {
            look(at: "\(path)/\(name)", depth: depth + 1, &newest)
        }
    }
}
