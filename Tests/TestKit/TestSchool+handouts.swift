import Crypto
import JSONBytes
import Postgres
import School
import Values

/// A handout with one task, created bypassing every policy.
package struct GivenHandout: Sendable {
    package let id: HandoutID
    package let task: TaskID
    package let classID: ClassID
}

extension TestSchool {
    /// The context that tests assign unless they say otherwise.
    package static let context = ["unit-2", "check-1"]

    /// A moment that many minutes ago.
    package func ago(_ minutes: Int) -> Timestamp {
        Timestamp(milliseconds: database.clock.now.milliseconds - Int64(minutes) * 60_000)
    }

    /// Publishes a handout, two hours ago unless the test says otherwise.
    package func newHandout(
        in classID: ClassID = TestIDs.biology, by author: Persona = .tom,
        path: [String] = TestSchool.context, publishedAt: Timestamp? = nil,
        dueAt: Timestamp? = nil, to chosen: [Persona]? = nil, bundle: String = TestIDs.quizzler,
        environment: String = "production"
    ) throws -> GivenHandout {
        let published = publishedAt ?? ago(120)
        let handout = HandoutID(UUID.v7())
        let organization = author.isElsewhere ? elsewhere : hillside
        try sql(
            """
            insert into school.handout (organization_id, handout_id, class_id, author_id, environment,
                   title, recipients, publish_at, due_at, created_at)
            values (\(organization), \(handout), \(classID), \(author.personID), \(environment),
                    'Cells', \(chosen == nil ? "class" : "chosen"), \(published), \(dueAt),
                    \(published))
            """)
        for person in chosen ?? [] {
            try sql(
                """
                insert into school.handout_recipient (organization_id, handout_id, person_id, created_at)
                values (\(organization), \(handout), \(person.personID), \(published))
                """)
        }
        let task = try newTask(
            of: handout, in: classID, organization, path: path, bundle: bundle, at: published)
        return GivenHandout(id: handout, task: task, classID: classID)
    }

    /// Adds a task for a context of an app.
    @discardableResult
    package func newTask(
        of handout: HandoutID, in classID: ClassID, _ organization: OrganizationID? = nil,
        path: [String], title: String = "Check", bundle: String = TestIDs.quizzler,
        position: Int = 1, at moment: Timestamp? = nil
    ) throws -> TaskID {
        let task = TaskID(UUID.v7())
        try sql(
            """
            insert into school.task (organization_id, task_id, handout_id, class_id, position, kind,
                   title, bundle_id, identifier_path, created_at)
            values (\(organization ?? hillside), \(task), \(handout), \(classID), \(position),
                    'appActivity', \(title), \(bundle), \(path), \(moment ?? ago(120)))
            """)
        return task
    }

    /// One attempt as an app reports it: an hour ago, for half an hour, unless the test says otherwise, and last
    /// changed when it stopped.
    package func attempt(
        _ id: UUID = UUID.v7(), at path: [String] = TestSchool.context,
        from start: Timestamp? = nil,
        to end: Timestamp?? = nil, seconds: Double = 60, ranges: [[Double]] = [[0, 0.5]],
        primary: JSONValue? = nil, additional: [JSONValue] = [], modified: Timestamp? = nil
    ) -> JSONValue {
        let stop = end ?? ago(30)
        let part: JSONValue = [
            "id": .text(id.description), "identifierPath": .array(path.map(JSONValue.text)),
            "startedAt": .text((start ?? ago(60)).description),
            "stoppedAt": stop.map { .text($0.description) } ?? nil,
            "durationSeconds": JSONValue(floatLiteral: seconds),
            "progressRanges": .array(
                ranges.map { .array($0.map { JSONValue(floatLiteral: $0) }) }),
            "primaryItem": primary ?? nil, "additionalItems": .array(additional),
            "modifiedAt": .text((modified ?? stop ?? ago(0)).description),
        ]
        return part.withoutNulls
    }

    /// Reports activities as a persona's app.
    @discardableResult
    package func upload(_ activities: [JSONValue], as app: Persona = .samsApp) async throws
        -> Answer
    {
        try await post("/v1/activities", as: app, json: ["activities": .array(activities)])
    }

    /// How many activities of a persona there are, whoever may see them.
    package func storedCount(of persona: Persona = .sam) throws -> Int {
        try sql(
            """
            select count(*) as count from school.activity
             where organization_id = \(persona.isElsewhere ? elsewhere : hillside)
               and person_id = \(persona.personID)
            """)[0].int("count")
    }
}
