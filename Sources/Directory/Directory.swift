import Postgres
import School
import Values

/// The organization, its locations, people, courses and classes, and who sits in them.
///
/// Who may read or change what is decided in `SQL/policies/directory.sql`; here stands only who has no
/// business with a call at all.
package struct Directory: Feature {
    let database: Database

    package init(database: Database) {
        self.database = database
    }

    package var endpoints: [Endpoint] {
        organizationEndpoints + locationEndpoints + personEndpoints + personStatusEndpoints
            + courseEndpoints + classEndpoints + termEndpoints + rosterEndpoints + [rosterBatch]
            + progressPauseEndpoints
    }

    /// Who reads the whole directory.
    static let readers: [Standing] = Standing.directoryManagers + [.manager, .contentManager]
    /// Who reads the whole directory, and teachers, who read what belongs to their classes.
    static let readersAndTeachers: [Standing] = readers + [.teacher]
    /// Who changes the directory.
    static let writers: [Standing] = Standing.directoryManagers
    /// Who makes classes and seats people in them: a manager in those that no import brought.
    static let classWriters: [Standing] = writers + [.manager]
    /// Who changes people; managers those who hold only roles that are theirs to give.
    static let peopleWriters: [Standing] = writers + [.manager]
}
