import Archive
import Foundation
import HTTPWire
import JSONBytes
import PrivacyRules
import School
import TestKit
import Values

/// Those who have no access to progress, and try nevertheless.
extension RandomSchool {
    /// Names and tokens of everyone but teachers and students: directory managers, services, apps, and people of
    /// another organization.
    var others: [(name: String, token: String)] {
        let managers = Cast.others.map { ($0.name.text, token($0.name)) }
        let services = (Standing.rolesOfServices + [.tool]).map { ($0.rawValue, token($0)) }
        let apps = [Cast.students[0], Cast.teachers[0]].map {
            ("the app of \($0)", token($0, app: Cast.apps[0]))
        }
        let strangers = [Persona.tom, .sam, .ada, Persona.exporter].map {
            ("\($0) of another organization", $0.token)
        }
        return managers + services + apps + strangers
    }

    /// An app finds what it saved for its person.
    private func allowed(_ name: String) -> Set<Int> {
        name == "the app of \(Cast.teachers[0])" ? oracle.ownMarks(of: Cast.teachers[0]) : []
    }

    /// Every reading call, with the ids of this school: no answer shows anything that was done in it.
    ///
    /// - Parameter everywhere: also by the calls that have nothing to do with progress.
    func lookAsOther(_ name: String, _ token: String, everywhere: Bool) async throws {
        let allowed = allowed(name)
        for row in RouteTable.rows
        where row.method == "GET" && (everywhere || row.kind != .plain) {
            for target in targets(row.path) {
                let answer = try await ask(.get, target, token)
                look(through: answer.body, for: allowed, name, target)
                if row.path == "/v1/audit-events" {
                    let table = try await ask(
                        .get, target, token, headers: [("Accept", "text/csv")])
                    look(through: table.body, for: allowed, name, "\(target) as CSV")
                }
                guard row.kind != .plain else { continue }
                // A call without an id of this school in its path returns the caller's own data, and says nothing about
                // this school.
                let isOwn = !row.path.contains("{") && !namesThisSchool(answer.body)
                if answer.status == 200, !isOwn {
                    findings.append("\(name) reads \(target)")
                } else if ![200, 403, 404].contains(answer.status) {
                    findings.append("\(name) gets \(answer.status) by \(target)")
                }
            }
        }
    }

    /// Whether an answer names a handout or task of this school.
    private func namesThisSchool(_ answer: [UInt8]) -> Bool {
        let text = String(decoding: answer, as: UTF8.self)
        return handouts.values.contains { text.contains($0.uuid.description) }
            || tasks.values.contains { text.contains($0.uuid.description) }
    }

    /// A path with ids of this school for its parameters: one example of each.
    private func targets(_ path: String) -> [String] {
        let handout = handouts.max { $0.key < $1.key }?.value.uuid.description
        let classroom = classes.min { $0.key < $1.key }?.value.uuid.description ?? ""
        let student = text(of: Cast.students[0])
        var examples = [
            "/v1/locations/{id}": location.uuid.description, "/v1/people/{id}": student,
            "/v1/classes/{id}": classroom, "/v1/terms/{id}": term.uuid.description,
        ]
        examples["/v1/handouts/{id}"] = handout
        examples["/v1/me/handouts/{id}"] = handout
        var target = path
        for (beginning, id) in examples where path.hasPrefix(beginning) {
            target = beginning.replacing("{id}", with: id) + path.dropFirst(beginning.count)
        }
        target = target.replacing("{personId}", with: student)
            .replacing("{person}", with: student)
            .replacing("{bundleId}", with: Cast.apps[0])
            .replacing("{taskId}", with: tasks.values.first?.uuid.description ?? "")
        // Nothing here belongs to the remaining parameters: any id will do.
        while let open = target.firstIndex(of: "{"), let close = target.firstIndex(of: "}") {
            target.replaceSubrange(open...close, with: organization.uuid.description)
        }
        return [target]
    }

    // MARK: The one exception of rule 5

    /// The archive of one person's data, which an administrator orders, holds what is kept about that person; nobody
    /// else gets it.
    func checkPersonalData(of student: PersonName) async throws {
        let target = "/v1/people/\(text(of: student))/data-export"
        let answer = try await ask(.post, target, token(Cast.administrator))
        let found = answer.status == 200 ? try marks(inArchive: answer.body) : []
        compare(
            Set(found.map(String.init)),
            Set(oracle.marks(of: student).filter { $0 < Cast.firstScore }.map(String.init)),
            "the administrator", "the archive of \(student)")
        guard student == Cast.students[0] else { return }
        for (name, token) in others where name != Cast.administrator.text {
            let answer = try await ask(.post, target, token)
            if answer.status < 400 { findings.append("\(name) gets the archive of \(student)") }
        }
    }

    private func marks(inArchive bytes: [UInt8]) throws -> Set<Int> {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "archive-\(organization.uuid)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data(bytes).write(to: URL(filePath: file))
        let archive = try ZipReader(path: file)
        return try archive.entries.reduce(into: []) {
            $0.formUnion(mark.all(in: try archive.read($1)))
        }
    }
}
