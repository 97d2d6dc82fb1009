import Postgres
import School
import TestKit

/// A school with at least one row of everything on either side of every border, queried in the database itself.
struct PopulatedSchool {
    let school: TestSchool
    private let connection: BlockingConnection

    init(_ school: TestSchool, isReadOnly: Bool = false) throws {
        self.school = school
        connection = try BlockingConnection(school.ownerURL)
        if isReadOnly { try connection.execute("set default_transaction_read_only = on") }
    }

    /// The caller that represents a standing: a person of Hillside, a student and a teacher of Biology.
    func caller(_ standing: Standing) -> Caller {
        switch standing {
        case .administrator: school.caller(.ada)
        case .siteManager: caller("simon", standing)
        case .peopleManager: school.caller(.petra)
        case .contentManager: caller("connie", standing)
        case .manager: school.caller(.mara)
        case .teacher: school.caller(.tom)
        case .staff: caller("stan", standing)
        case .student: school.caller(.sam)
        case .provisioner: school.caller(.provisioner)
        case .exporter: school.caller(.exporter)
        case .rosterReader: school.caller(.rosterReader)
        case .directoryWriter: school.caller(.directoryWriter)
        case .tool: school.caller(.tool)
        case .developer: developer("QUIZ")
        case .app: school.caller(.samsApp)
        }
    }

    func developer(_ team: String) -> Caller {
        Caller(
            organizationID: school.hillside, personID: nil, standings: [.developer], team: team)
    }

    /// A person whom the population added to the cast.
    func caller(_ name: String, _ standing: Standing) -> Caller {
        let id = try? connection.query("select test.id(\(name)) as id").first?.uuid("id")
        return Caller(
            organizationID: school.hillside, personID: id.map { PersonID($0) },
            standings: [standing])
    }

    /// The labels of all rows, bypassing every policy.
    func labels(_ statement: Statement) throws -> Set<String> {
        Set(try connection.query(statement).map { try $0.text("label") })
    }

    /// The labels of the rows that a caller sees; none if the query itself is refused.
    func labels(_ statement: Statement, as identity: Identity) throws -> Set<String> {
        do {
            let rows = try connection.query(statement, as: identity)
            return Set(try rows.map { try $0.text("label") })
        } catch let error as PostgresError where error.sqlState == "42501" {
            return []
        }
    }

    func labels(_ statement: Statement, as caller: Caller) throws -> Set<String> {
        try labels(statement, as: caller.identity)
    }

    /// The outcome of a statement, which leaves nothing behind.
    func attempt(_ statement: Statement, as caller: Caller) throws -> Outcome {
        do {
            var affected = 0
            do {
                try connection.transaction(as: caller.identity) {
                    affected = try connection.query(statement).affected
                    throw Undo()
                }
            } catch is Undo {}
            return affected == 0 ? .nothing : .done
        } catch let error as PostgresError where error.sqlState == "42501" {
            return .refused
        }
    }

    private struct Undo: Error {}
}

/// Gives the test a populated school.
func withPopulatedSchool(_ body: (PopulatedSchool) async throws -> Void) async throws {
    try await withSchool(in: .shared(), copying: PopulatedDatabase.origin.get()) { school in
        try await body(try PopulatedSchool(school))
    }
}

/// Gives the test the populated school that all tests read that change nothing.
func withSharedPopulatedSchool(_ body: (PopulatedSchool) async throws -> Void) async throws {
    try await withSchool(named: PopulatedDatabase.read.get(), in: .shared()) { school in
        try await body(try PopulatedSchool(school, isReadOnly: true))
    }
}

/// Populated once for all tests, since that takes longer than most of them.
private enum PopulatedDatabase {
    /// What others are copies of.
    static let origin = Result {
        let databases = try TestDatabase.shared()
        let name = try databases.clone()
        try Population.settle(databases.connect(to: name))
        return name
    }

    static let read = Result { try TestDatabase.shared().clone(of: origin.get()) }
}
