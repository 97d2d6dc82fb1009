import Postgres

extension Statement {
    /// Keeps of an upload what was assigned to the student.
    static func storeActivities(_ activities: JSONDocument) -> Statement {
        "select school.store_activities(\(activities))"
    }

    /// Marks done what the student has open for the context.
    static func completeAssignments(identifierPath: [String]) -> Statement {
        "select school.complete_assignments(\(identifierPath))"
    }
}
