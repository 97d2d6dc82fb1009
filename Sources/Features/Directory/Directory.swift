import Postgres
import School
import Values

/// The organization, its locations, people, courses and classes, and their seats.
///
/// `SQL/policies/directory.sql` decides who may read or change what. The lists here only exclude callers that may not
/// make a call at all.
package struct Directory: Feature {
    package let meaning =
        "The organization, its locations, terms, people, courses, classes and rosters."
    let database: Database

    package init(database: Database) {
        self.database = database
    }

    package var endpoints: [Endpoint] {
        organizationEndpoints + locationEndpoints + personEndpoints + personStatusEndpoints
            + courseEndpoints + classEndpoints + [ownClassesEndpoint] + termEndpoints
            + rosterEndpoints + [rosterBatch]
            + progressPauseEndpoints
    }

    package var expandables: [ExpandedRecord: Expandable] {
        [
            .location: Self.locations.expandable(database),
            .person: Self.people.expandable(database),
            .course: Self.courses.expandable(database), .class: Self.classes.expandable(database),
            .term: Self.terms.expandable(database),
        ]
    }

    /// Readers of the whole directory.
    static let readers: [Standing] = Standing.directoryReaders
    /// Readers of the whole directory, plus teachers, who read what belongs to their classes.
    static let readersAndTeachers: [Standing] = ExpandedRecord.readers
    /// Who changes the directory.
    static let writers: [Standing] = Standing.directoryManagers
    /// Who creates classes and seats people in them. Managers may do so only in classes that no import brought.
    static let classWriters: [Standing] = writers + [.manager]
    /// Who changes people. Managers may change only people whose roles they may all give.
    static let peopleWriters: [Standing] = writers + [.manager]
}
