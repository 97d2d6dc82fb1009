import CSV
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// What each cell of a table says, compared with the document of the same report.
@Suite("Cells of reports as CSV")
struct ReportCellTests {
    /// A report by its path, who reads it, and its lists from the outermost to the innermost.
    struct Report: CustomTestStringConvertible, Sendable {
        let path: String
        let persona: Persona
        let lists: [String]

        var testDescription: String { path }
    }

    /// HANDOUT, TASK, CLASS and STUDENT stand for their ids.
    private static let reports = [
        Report(path: "/v1/handouts/HANDOUT/report", persona: .tom, lists: ["tasks", "students"]),
        Report(
            path: "/v1/handouts/HANDOUT/tasks/TASK/items", persona: .tom,
            lists: ["items", "students"]),
        Report(path: "/v1/classes/CLASS/report", persona: .tom, lists: ["handouts", "tasks"]),
        Report(
            path: "/v1/classes/CLASS/students/STUDENT/report", persona: .tom,
            lists: ["handouts", "tasks"]),
        Report(path: "/v1/me/report", persona: .sam, lists: ["handouts", "tasks"]),
    ]

    /// Columns that a document does not have, or has under another name.
    private static let ownColumns: Set = [
        "className", "handoutTitle", "taskTitle", "sourceId", "managedId",
    ]

    @Test(arguments: reports)
    func `each cell equals the document`(report: Report) async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            try school.newTask(of: handout.id, in: school.biology, path: ["second"], position: 2)
            try await school.upload([
                school.result(60, progress: 0.3, seconds: 12.5, Item.score(7, of: 9)),
                school.attempt(additional: [Item.quantity(3)]),
                school.result(40, Item.quantity(-2.5), at: ["second"]),
            ])
            try await school.upload([school.result(40, Item.score(2, of: 3))], as: .suesApp)
            try school.sql(
                """
                insert into school.mark (organization_id, mark_id, handout_id, task_id, person_id, points,
                                         maximum_points, given_at)
                select \(school.hillside), gen_random_uuid(), \(handout.id), t, \(school.id(.sam)), 7.25, 10, now()
                  from unnest(array[null, \(handout.task)]::uuid[]) as t
                """)
            let path = report.path
                .replacing("HANDOUT", with: "\(handout.id.uuid)")
                .replacing("TASK", with: "\(handout.task.uuid)")
                .replacing("CLASS", with: "\(school.biology.uuid)")
                .replacing("STUDENT", with: "\(school.id(.sam).uuid)")
            let document = try await school.get(path, as: report.persona).json
            let table = try await school.get(
                path, as: report.persona, headers: [("Accept", "text/csv")])
            let records = try CSVReader.records(
                of: Array(table.body.dropFirst(3)), options: .rfc4180
            ).map(\.fields)
            let header = try #require(records.first)
            let lines = lines(of: document, report.lists[...])
            try #require(!lines.isEmpty)
            #expect(records.count == lines.count + 1)
            for (record, objects) in zip(records.dropFirst(), lines) {
                for (name, cell) in zip(header, record) where !Self.ownColumns.contains(name) {
                    #expect(cell == text(value(name, in: objects)), "\(name)")
                }
            }
        }
    }

    /// The objects around each line, innermost first.
    private func lines(of object: JSONValue, _ lists: ArraySlice<String>) -> [[JSONValue]] {
        guard let list = lists.first else { return [[object]] }
        return (object[list]?.array ?? []).flatMap { inner in
            self.lines(of: inner, lists.dropFirst()).map {
                $0 + [object, object["student"] ?? nil]
            }
        }
    }

    /// A member by its name or, for a member of a nested object, by both names: `primaryItemScore`. A name that no
    /// object has shows up as a difference.
    private func value(_ name: String, in objects: [JSONValue]) -> JSONValue {
        for object in objects {
            if let value = object[name] { return value }
        }
        for object in objects {
            for holder in [
                "primaryItem", "item", "returned", "classAverage", "mark", "handoutMark",
            ]
            where name.hasPrefix(holder) {
                guard let value = object[holder] else { continue }
                let rest = name.dropFirst(holder.count)
                return value[rest.prefix(1).lowercased() + rest.dropFirst()] ?? nil
            }
        }
        return .text("nowhere in the document")
    }

    private func text(_ value: JSONValue) -> String {
        switch value {
        case .text(let text): text
        case .bool(let value): value ? "true" : "false"
        case .number(let number): number.text
        default: ""
        }
    }
}
