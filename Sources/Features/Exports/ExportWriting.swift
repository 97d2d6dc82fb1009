import JSONBytes
import Postgres
import School
import Values

/// Writes all files of a folder in an open transaction that reads as `school_exporter`.
struct ExportWriting {
    let connection: BlockingConnection
    /// Called with what is being written.
    let progress: (String) -> Void

    /// Writes all files and then the manifest, which it returns. The manifest lists every file but itself.
    func write(
        _ changes: Changes, of day: Day, at takenAt: Timestamp, into folder: ExportFolder
    ) throws -> ExportManifest {
        var manifest = ExportManifest(
            organizationID: changes.organizationID, day: day, takenAt: takenAt,
            since: changes.since)
        manifest.auditHead = try connection.query(.auditHead).first.map(AuditHead.init)
        for set in DataSet.all {
            try write(set, changes, into: folder.aside, manifest: &manifest)
        }
        let script = LoadScript(
            organizationID: changes.organizationID, isFull: changes.since == nil)
        for (name, content) in [
            (SchemaDocument.name, SchemaDocument.bytes), (LoadScript.name, Array(script.text.utf8)),
        ] {
            manifest.files.append(
                (try OutputFile.write(content, as: name, in: folder.aside), nil))
        }
        manifest.own = try OutputFile.write(
            manifest.bytes, as: ExportManifest.name, in: folder.aside)
        try connection.query(
            .audit(
                "export", subjectKind: "organization", subject: changes.organizationID.uuid,
                details: [
                    "date": .text(day.description), "full": .bool(changes.since == nil),
                    "rows": .number(.init(Int64(manifest.rows))),
                ]))
        return manifest
    }

    /// Writes both files of a data set from one run of its statement.
    private func write(
        _ set: DataSet, _ changes: Changes, into folder: String, manifest: inout ExportManifest
    ) throws {
        let csv = try PackedFile("\(set.name).csv.gz", in: folder)
        let lines = try PackedFile("\(set.name).ndjson.gz", in: folder)
        var record = CopiedRecord()
        try connection.copyOut(.copy(set, changes)) { bytes in
            let fields = try record.read(bytes)
            try csv.write(record: fields)
            if csv.records > 1 { try record.json.withUnsafeBytes { try lines.write(record: $0) } }
        }
        let rows = lines.records
        manifest.files.append((try csv.finish(), rows))
        manifest.files.append((try lines.finish(), rows))
        progress("\(set.name): \(rows) rows")
    }
}
