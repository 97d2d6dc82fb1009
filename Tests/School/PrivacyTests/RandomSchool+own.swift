import HTTPWire
import JSONBytes
import Postgres
import PrivacyRules
import TestKit
import Values

/// Contexts that an app saves for a teacher, and tasks that assign them.
extension RandomSchool {
    func save(_ own: OwnContext, _ edition: Int) async throws -> Answer {
        try await ask(
            .post, "/v1/me/contexts",
            token(own.owner, in: own.context.world, app: own.context.app),
            [
                "contexts": [
                    [
                        "identifierPath": path(own.context), "title": .text(mark.text(edition)),
                        "type": "quiz",
                    ]
                ]
            ])
    }

    /// Whose contexts a step may assign.
    func owners(for step: Step) -> Set<PersonName> {
        guard let actor = step.actor else { return [] }
        return Cast.ownContexts.reduce(into: []) {
            $0.formUnion(oracle.owners(of: $1, for: actor))
        }
    }

    /// Looks up whose contexts new tasks assign: one that the teacher could name.
    func learnOwners(_ deed: Deed, of owners: Set<PersonName>) throws {
        let name: HandoutName? =
            switch deed {
            case .gives(let handout): handout.name
            case .edits(let name, _, _, _): name
            default: nil
            }
        for task in name.flatMap({ oracle.handout($0) })?.tasks ?? []
        where Cast.ownContexts.contains(task.context) && task.owner == nil {
            guard let id = tasks[task.name] else { continue }
            let rows = try service.sql(
                "select context_owner_id as id from school.task where task_id = \(id)")
            let owner = PersonName(try rows[0].optionalUUID("id").map(self.name) ?? "nobody")
            if !owners.contains(owner) {
                findings.append("\(task.name) assigns what \(owner) keeps private")
            }
            learn(owner, of: task.name)
        }
    }
}
