import JSONBytes
import PrivacyRules
import School
import TestKit
import Values

/// What reports over several handouts, and item by item, show.
extension RandomSchool {
    func checkItems(_ look: Look) async throws {
        let visible = oracle.handouts(seenBy: look.viewer)
        for (task, id) in tasks {
            guard let handout = handouts[task.handout] else { continue }
            guard visible.contains(task.handout) || task.text.hasSuffix(".1") else { continue }
            let target = "/v1/handouts/\(handout.uuid)/tasks/\(id.uuid)/items"
            let items = try await read(target, look)?["items"]?.array ?? []
            let seen = items.flatMap { item in
                (item["students"]?.array ?? []).compactMap { cell in
                    edition(cell["item"]).map {
                        Wording.latestItem(
                            task, PersonName(name(cell["personId"])), edition: $0)
                    }
                }
            }
            compare(
                Set(seen), oracle.items(of: task, seenBy: look.viewer), look.name,
                "the items of \(task)")
        }
    }

    func checkClassReports(_ look: Look) async throws {
        for (classroom, id) in classes {
            let report = try await read("/v1/classes/\(id.uuid)/report", look)
            let tasks = (report?["handouts"]?.array ?? []).flatMap { $0["tasks"]?.array ?? [] }
            compare(
                Set(tasks.map(summary)), oracle.summaries(of: classroom, seenBy: look.viewer),
                look.name, "the report of \(classroom)")
        }
        try await checkChanges(look)
    }

    /// A report of changes since a moment holds a subset of the full one, and nothing else.
    private func checkChanges(_ look: Look) async throws {
        let classroom = Cast.classes[Int(plan.seed) % Cast.classes.count]
        guard let id = classes[classroom] else { return }
        let target = "/v1/classes/\(id.uuid)/report?since=\(timestamp(plan.end / 2))"
        let report = try await read(target, look)
        let tasks = (report?["handouts"]?.array ?? []).flatMap { $0["tasks"]?.array ?? [] }
        let all = oracle.summaries(of: classroom, seenBy: look.viewer)
        compare(Set(tasks.map(summary)).union(all), all, look.name, target)
    }

    func summary(_ task: JSONValue) -> String {
        Wording.summary(
            TaskName(name(task["taskId"])), opened: Int(task["studentsOpened"]?.int64 ?? -1),
            done: Int(task["studentsDone"]?.int64 ?? -1),
            givenBack: Int(task["studentsReturned"]?.int64 ?? -1), average: average(task))
    }

    func checkStudentReports(_ look: Look) async throws {
        for (classroom, id) in classes {
            let isTaught = oracle.sees(look.viewer, classroom)
            // For what is out of sight, one request says as much as one for each student.
            for student in isTaught ? Cast.students : [Cast.students[0]] {
                let target = "/v1/classes/\(id.uuid)/students/\(text(of: student))/report"
                compare(
                    cells(try await read(target, look), of: student),
                    oracle.cells(of: student, in: classroom, seenBy: look.viewer), look.name,
                    "the report of \(student) in \(classroom)")
            }
        }
    }

    func checkOwnReport(_ look: Look) async throws {
        guard case .student(let student, _) = look.viewer else { return }
        compare(
            cells(try await read("/v1/me/report", look), of: student),
            oracle.cells(of: student, seenBy: look.viewer), look.name, "GET /v1/me/report")
    }

    private func cells(_ report: JSONValue?, of student: PersonName) -> Set<String> {
        let tasks = (report?["handouts"]?.array ?? []).flatMap { $0["tasks"]?.array ?? [] }
        return Set(tasks.compactMap { cell($0, at: $0, of: student) })
    }
}
