import API
import HTTPWire
import Postgres
import School

/// The switch for the progress of one student.
extension Directory {
    var progressPauseEndpoints: [Endpoint] {
        let path = "/v1/people/{id}/progress-pause"
        let standings: [Standing] = [.administrator, .siteManager, .peopleManager]
        let person = Shape.object(Self.people.shape)
        let problems = [
            (403, "Only administrators, site managers and people managers may do this.")
        ]
        let pause = Endpoint(
            .put, path, "Turn progress off for one student and delete what was recorded",
            description: """
                What was recorded is deleted for good, and nothing more is recorded until progress is turned \
                on again.
                """,
            for: standings,
            answers: [.json("The person, paused from now on.", person).tagged],
            problems: problems + [(409, "A hold keeps the progress (`held`).")],
            handler: { try await setProgressPause(true, $0, $1) })
        return [
            pause, pause.formerly(.post, path),
            Endpoint(
                .delete, path, "Turn progress on again for one student",
                description: "Recording begins now; what was deleted does not come back.",
                for: standings,
                answers: [.json("The person, no longer paused.", person).tagged],
                problems: problems,
                handler: { try await setProgressPause(false, $0, $1) }),
        ]
    }

    private func setProgressPause(
        _ isPaused: Bool, _ request: Request, _ caller: Caller
    ) async throws -> Response {
        let reference: Reference<PersonEntity> = try request.reference("id")
        return try await database.transaction(as: caller) { session in
            let found = try await session.query(.id(of: reference, in: caller.organizationID))
            guard found.count > 0 else { throw Problem.notFound }
            let id = PersonID(try found[0].uuid("id"))
            try await session.query(.setProgressPause(of: id, isPaused))
            return try .object(
                try await session.query(Self.people.find(.id(id), of: caller.organizationID)))
        }
    }
}

extension Statement {
    /// Pausing also deletes the student's progress.
    fileprivate static func setProgressPause(of id: PersonID, _ isPaused: Bool) -> Statement {
        "select school.set_progress_pause(\(id), \(isPaused))"
    }
}
