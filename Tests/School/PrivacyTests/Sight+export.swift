import Archive
import Exports
import Foundation
import JSONBytes
import Postgres
import PrivacyRules
import School
import TestKit
import Values

/// What the nightly export holds.
extension RandomSchool {
    /// Writes everything as the nightly job does, and reads the files.
    func lookIntoExport() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "nightly-\(organization.uuid)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var wishes = NightlyExport.Wishes(root: folder)
        wishes.isFull = true
        wishes.again = true
        let connection = try NightlyExport.connect(
            service.ownerURL + " user=school_exporter_login")
        let here = try ExportedOrganization.all(connection).filter { $0.id == organization }
        for organization in here {
            guard
                case .exported(let path, _) = try NightlyExport(connection, wishes)
                    .export(organization)
            else { continue }
            try compareFiles(path)
        }
    }

    private func compareFiles(_ folder: String) throws {
        let exporter = "the exporter"
        let handouts = try rows("handouts", folder)
        compare(
            Set(handouts.map { name($0["handout_id"]) }),
            oracle.records(.handout, seenBy: .exporter), exporter, "handouts.ndjson")
        let reports = try rows("activity_reports", folder)
        compare(
            Set(reports.map(attempt)), oracle.attempts(seenBy: .exporter), exporter,
            "activity_reports.ndjson")
        let words = try rows("assignments", folder).compactMap { row in
            let noted = noted(inRow: row)
            return noted.saysAnything
                ? Wording.assignment(
                    TaskName(name(row["task_id"])), PersonName(name(row["person_id"])), noted) : nil
        }
        compare(
            Set(words), oracle.assigned(seenBy: .exporter), exporter, "assignments.ndjson")
    }

    private func noted(inRow row: JSONValue) -> Noted {
        Noted(
            isOpened: row["opened_at"] != .null, isDone: row["done_at"] != .null,
            givenBack: row["returned_at"] == .null
                ? nil
                : GivenBack(
                    edition: mark.edition(row["return_note"]?.text ?? "") ?? Mark.foreign,
                    isToTryAgain: row["is_to_try_again"]?.bool ?? false))
    }

    private func attempt(_ row: JSONValue) -> String {
        let student = PersonName(name(row["person_id"]))
        let id = Values.UUID(row["activity_id"]?.text ?? "") ?? Values.UUID(high: 0, low: 0)
        let title = row["primary_title"]?.text
        return Wording.attempt(
            activity(id, of: student), TaskName(name(row["task_id"])),
            Wording.Figures(
                progress: percent(row["progress"]),
                seconds: Int(row["duration_seconds"]?.double ?? 0),
                edition: title.map {
                    edition(titled: $0, score: Int(row["primary_score"]?.double ?? 0))
                }))
    }

    private func rows(_ set: String, _ folder: String) throws -> [JSONValue] {
        let file = URL(filePath: "\(folder)/\(set).ndjson.gz")
        var packed: [UInt8]? = try Array(Data(contentsOf: file))
        let reader = GzipReader {
            defer { packed = nil }
            return packed
        }
        var bytes: [UInt8] = []
        while let piece = try reader.next() { bytes += piece }
        return try bytes.split(separator: UInt8(ascii: "\n"))
            .map { try JSONValue(parsing: Array($0)) }
    }
}
