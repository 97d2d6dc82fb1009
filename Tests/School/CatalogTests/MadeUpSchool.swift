import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// The development environment of Hillside, just after its administrator turned it on.
struct MadeUpSchool {
    let school: TestSchool
    let organizationID: OrganizationID
    let classID: ClassID
    let teacher: String
    let student: String
    /// The team's app on the device of the first student.
    let studentsApp: String

    init(_ school: TestSchool, bundleID: String = Team().bundleIDs[0]) async throws {
        let answer = try await school.put("/v1/development", as: .ada)
        #expect(answer.status == 201 || answer.status == 200)
        self.school = school
        organizationID = OrganizationID(
            try #require(answer.json["organizationId"]?.text.flatMap { UUID($0) }))
        classID = ClassID(try #require(answer.json["classId"]?.text.flatMap { UUID($0) }))
        teacher = try await school.madeUpToken(["role": "teacher"])
        student = try await school.madeUpToken(["role": "student"])
        studentsApp = try await school.madeUpToken([
            "role": "student", "bundleId": .text(bundleID),
        ])
    }

    /// Gives the made-up class a task for a context of the team's app.
    func give(_ path: [String], of team: Team = Team()) async throws -> Answer {
        try await school.send(
            .post, "/v1/handouts", token: teacher,
            body: ([
                "classId": .text(classID.uuid.description), "title": "Tried out",
                "publishAt": "2020-01-01T00:00:00Z",
                "tasks": [
                    [
                        "kind": "appActivity", "bundleId": .text(team.bundleIDs[0]),
                        "identifierPath": .array(path.map(JSONValue.text)),
                    ]
                ],
            ] as JSONValue).bytes)
    }

    /// Reports that the first student works at a context now.
    func work(at path: [String]) async throws -> Answer {
        let attempt = school.attempt(
            at: path, from: Timestamp(milliseconds: Clock.system.now.milliseconds), to: .some(nil))
        return try await school.send(
            .post, "/v1/activities", token: studentsApp,
            body: (["activities": [attempt]] as JSONValue).bytes)
    }

    /// How many rows of the environment a table has, whoever may see them.
    func count(_ table: String) throws -> Int {
        let rows = try school.sql(
            """
            select (xpath('//n/text()', query_to_xml(format(
                'select count(*) as n from school.%I where organization_id = %L', \(table),
                \(organizationID)), false, true, '')))[1]::text::bigint as count
            """)
        return try rows[0].int("count")
    }
}

extension TestSchool {
    /// A token of a made-up person, as Hillside's administrator gets it.
    func madeUpToken(_ wish: JSONValue) async throws -> String {
        let answer = try await post("/v1/development/tokens", as: .ada, json: wish)
        #expect(answer.status == 200)
        return try #require(answer.json["accessToken"]?.text)
    }

    /// What an organization has in every table but its audit trail: table, number of rows, digest.
    func fingerprint(of organization: OrganizationID) throws -> [String] {
        try sql(
            """
            select format('%s: %s', c.relname, query_to_xml(format(
                       'select count(*), md5(string_agg(t::text, '','' order by t::text)) from school.%I as t
                         where organization_id = %L', c.relname, \(organization)), false, true, '')::text)
                   as line
              from pg_class as c
              join pg_attribute as a on a.attrelid = c.oid and a.attname = 'organization_id'
             where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p')
               and not c.relispartition and c.relname not like 'audit\\_%'
             order by c.relname
            """
        ).map { try $0.text("line") }
    }
}
