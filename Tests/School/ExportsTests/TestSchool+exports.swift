import Archive
import CSV
import Exports
import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values
import WaitKit

/// A handout with one task, given by a test.
struct Given {
    let handout: Values.UUID
    let task: Values.UUID
}

/// A folder of its own that is gone when the body ends.
func withFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory
        .appending(path: "exports-\(Foundation.UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

func newID() -> Values.UUID { Values.UUID(Foundation.UUID().uuidString.lowercased())! }

extension TestSchool {
    /// A connection as the nightly job's login.
    func nightly() throws -> BlockingConnection {
        try NightlyExport.connect(ownerURL + " user=school_exporter_login")
    }

    /// Exports Hillside and returns the folder.
    @discardableResult
    func export(
        _ root: String, _ day: String, full: Bool = false, again: Bool = false
    ) throws -> String {
        var wishes = NightlyExport.Wishes(root: root)
        wishes.day = Day(day)
        wishes.isFull = full
        wishes.again = again
        switch try outcome(wishes) {
        case .exported(let path, _): return path
        case .alreadyThere(let path):
            Issue.record("\(path) is there already")
            return path
        }
    }

    func outcome(_ wishes: NightlyExport.Wishes) throws -> NightlyExport.Outcome {
        let connection = try nightly()
        let all = try ExportedOrganization.all(connection)
        let organization = try #require(all.first { $0.id == hillside })
        return try NightlyExport(connection, wishes).export(organization)
    }

    /// Waits until every transaction so far is over for every snapshot to come: rows of a transaction younger than one
    /// still running may be exported twice.
    func settle() async throws {
        let end = try sql(
            "select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as number")[0]
        let number = try end.int("number")
        try await eventually {
            try sql("select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as number")[0]
                .int("number") >= number
        }
    }

    /// Gives Biology a handout with one task for Quizzler, published yesterday.
    @discardableResult
    func give(
        _ title: String = "Cells", path: [String] = ["unit-1"], recipients: [Persona] = [],
        isDraft: Bool = false
    ) throws -> Given {
        let given = Given(handout: newID(), task: newID())
        try sql(
            """
            insert into school.handout (organization_id, handout_id, class_id, author_id, environment,
                                        title, recipients, publish_at, created_at)
            values (\(hillside), \(given.handout), \(biology), \(id(.tom)), 'production', \(title),
                    \(recipients.isEmpty ? "class" : "chosen"),
                    case when not \(isDraft) then now() - interval '1 day' end, now() - interval '2 days')
            """)
        for persona in recipients {
            try sql(
                """
                insert into school.handout_recipient (organization_id, handout_id, person_id)
                values (\(hillside), \(given.handout), \(id(persona)))
                """)
        }
        try sql(
            """
            insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title,
                                     bundle_id, identifier_path, created_at)
            values (\(hillside), \(given.task), \(given.handout), \(biology), 1, 'appActivity', \(title),
                    \(quizzler), \(path), now() - interval '2 days')
            """)
        return given
    }

    /// An attempt of a student that counts for the task; for none if there is no task.
    @discardableResult
    func attempt(
        _ persona: Persona, at given: Given?, hour: Int, progress: Double? = nil,
        score: Double? = nil, seconds: Double = 60
    ) throws -> Values.UUID {
        let activity = newID()
        try sql(
            """
            insert into school.activity (organization_id, person_id, activity_id, environment, bundle_id,
                                         identifier_path, arrived_at)
            values (\(hillside), \(id(persona)), \(activity), 'production', \(quizzler), '{unit-1}', now())
            """)
        if let given {
            try sql(
                """
                insert into school.activity_assignment (organization_id, person_id, activity_id, task_id,
                       handout_id, class_id, started_at, modified_at, duration_seconds, progress, kind, share)
                select organization_id, person_id, activity_id, \(given.task), \(given.handout), \(biology),
                       date_trunc('day', now()) - interval '1 day' + make_interval(hours => \(Int32(hour))),
                       now(), \(seconds), \(progress),
                       case when \(score)::float is not null then 'score' end, \(score)::float / 10
                  from school.activity
                 where activity_id = \(activity)
                """)
        }
        if let given, let score {
            try sql(
                """
                insert into school.activity_item (organization_id, person_id, activity_id, task_id, identifier,
                                                  position, is_primary, kind, title, score, max_score)
                values (\(hillside), \(id(persona)), \(activity), \(given.task), 'points', 1, true, 'score',
                        'Points "so far"', \(score), 10)
                """)
            try sql(
                """
                update school.activity_assignment as l set primary_item = school.item_document(i)
                  from school.activity_item as i
                 where i.activity_id = l.activity_id and l.activity_id = \(activity)
                """)
        }
        return activity
    }
}

/// The rows of a set, as in the NDJSON file.
func rows(_ set: String, in folder: String) throws -> [JSONValue] {
    try unpacked("\(set).ndjson.gz", in: folder).split(separator: UInt8(ascii: "\n"))
        .map { try JSONValue(parsing: Array($0)) }
}

/// The records of a set with the header, as in the CSV file.
func records(_ set: String, in folder: String) throws -> [[String]] {
    try CSVReader.records(of: unpacked("\(set).csv.gz", in: folder), options: .rfc4180)
        .map(\.fields)
}

func unpacked(_ name: String, in folder: String) throws -> [UInt8] {
    var packed: [UInt8]? = try content(name, in: folder)
    let reader = GzipReader {
        defer { packed = nil }
        return packed
    }
    var bytes: [UInt8] = []
    while let piece = try reader.next() { bytes += piece }
    return bytes
}

func content(_ name: String, in folder: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
}

func fileNames(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
}

extension Array where Element == JSONValue {
    func texts(_ key: String) -> [String] { compactMap { $0[key]?.text }.sorted() }
    func numbers(_ key: String) -> [Double] { compactMap { $0[key]?.double } }
}
