import Postgres
import PrivacyRules
import School
import TestKit
import Values

/// What teachers have looked at: each sees the own marks alone, of handouts in sight, and nobody else sees any.
extension RandomSchool {
    func lookIntoReviews() throws {
        defer { _ = try? service.sql("delete from school.review") }
        for (name, viewer) in Onlooker.viewers {
            guard case .teacher = viewer else { continue }
            let visible = oracle.handouts(seenBy: viewer)
            try service.sql(
                "select \(fragment: Self.markedAll) from unnest(\(ids(visible))) as h (id)",
                as: caller(for: viewer))
            let hidden = handouts.keys.filter { !visible.contains($0) }
            let marked = try service.sql(
                """
                select h.id from unnest(\(ids(Set(hidden)))) as h (id)
                 where \(fragment: Self.markedAll) > 0
                    or school.return_work(h.id, null, \(people.values.map(\.uuid)), 'mine', false, null,
                                          null, null, null) > 0
                """, as: caller(for: viewer))
            for row in marked {
                findings.append("\(name) marks \(self.name(try row.uuid("id"))), out of sight")
            }
        }
        for (name, viewer) in Onlooker.viewers { try look(name, viewer, caller(for: viewer)) }
        for standing in Standing.allCases where ![.teacher, .student].contains(standing) {
            try look("\(standing)", .other, caller(standing))
        }
        for (name, caller) in strangers { try look(name, .other, caller) }
    }

    private static let markedAll: Statement =
        "school.mark_reviewed(h.id, null, null, null, null, null, null)"

    private func ids(_ names: Set<HandoutName>) -> [UUID] {
        names.compactMap { handouts[$0]?.uuid }
    }

    private func look(_ name: String, _ viewer: Viewer, _ caller: Caller) throws {
        let visible = oracle.handouts(seenBy: viewer)
        let visibleTasks = Set(tasks.filter { visible.contains($0.key.handout) }.map(\.value.uuid))
        let found = try rows("select task_id, teacher_id from school.review", as: caller)
        guard let found else { return }
        for row in found {
            let isOwn = try row.uuid("teacher_id") == caller.personID?.uuid
            guard case .teacher = viewer, isOwn, visibleTasks.contains(try row.uuid("task_id"))
            else {
                findings.append("\(name) sees what a teacher has looked at")
                continue
            }
        }
    }
}
