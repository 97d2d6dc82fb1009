import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import OneRoster

/// What left the directory satisfies the schemas of the standard: a strict client refuses a whole page for one record.
@Suite struct TombstoneTests {
    /// What the OpenAPI files of OneRoster 1.2, and the tables of 1.1, require of an object beside its head.
    private static let required: [Edition: [String: [String]]] = [
        .v1p2: [
            "orgs": ["name", "type"],
            "academicSessions": ["title", "startDate", "endDate", "type", "schoolYear"],
            "courses": ["title", "org"],
            "classes": ["title", "classType", "course", "school", "terms"],
            "users": ["enabledUser", "givenName", "familyName", "roles"],
            "enrollments": ["user", "class", "school", "role"],
        ],
        .v1p1: [
            "orgs": ["name", "type"],
            "academicSessions": ["title", "startDate", "endDate", "type", "schoolYear"],
            "courses": ["title", "org"],
            "classes": ["title", "classType", "course", "school", "terms"],
            "users": ["username", "enabledUser", "givenName", "familyName", "role", "orgs"],
            "enrollments": ["user", "class", "school", "role"],
        ],
    ]

    /// Removes one of each kind for good, and changes a sourcedId of each.
    private func remove(_ school: TestSchool) async throws {
        try school.addTerms()
        try school.sql(
            """
            insert into school.location (organization_id, location_id, source_id, name)
            values (\(school.hillside), gen_random_uuid(), 'annex', 'Annex')
            """)
        let made = try await school.put(
            "/v1/people/source:pia", as: .ada,
            json: [
                "givenName": "Pia", "familyName": "Page",
                "roles": [["role": "student", "locationId": "source:annex"]],
            ])
        try #require(made.status < 300, "\(made.text)")
        let path = "/v1/people/source:pia"
        let gone = try await school.delete(path, as: .ada)
        try #require(gone.status == 204, "\(gone.text)")
        let chemistry = try await school.delete("/v1/classes/source:class-Chemistry", as: .ada)
        try #require(chemistry.status == 204, "\(chemistry.text)")
        try school.sql("delete from school.term where source_id = 'marks'")
        try school.sql("delete from school.location where source_id = 'annex'")
        let tables: [Statement] = [
            "school.person", "school.class", "school.course", "school.location", "school.term",
        ]
        for table in tables {
            try school.sql(
                """
                update \(fragment: table) set source_id = 'new-' || source_id
                 where source_id in ('sis-sue', 'class-Biology', 'science', 'main', 'autumn')
                """)
        }
    }

    @Test(arguments: Edition.allCases)
    func `every record that left has what the standard requires`(edition: Edition) async throws {
        try await withSchool { school in
            try await remove(school)
            let erased = try await school.post(
                "/v1/people/\(school.id(.sam).uuid)/erasure", as: .ada)
            try #require(erased.status < 300, "\(erased.text)")
            for (name, members) in Self.required[edition] ?? [:] {
                let path = "\(name)?filter=status='tobedeleted'"
                let page = try await school.roster(path, in: edition)
                let objects = page.json.object?.members.first?.value.array ?? []
                #expect(!objects.isEmpty, "\(name)")
                for object in objects {
                    for member in members {
                        let value = object[member]
                        let isThere = value?.array.map { !$0.isEmpty } ?? (value != nil)
                        #expect(isThere, "\(name): \(member) of \(object)")
                    }
                }
            }
        }
    }

    @Test func `an enrollment that left says of whom, and a class of what`() async throws {
        try await withSchool { school in
            try await remove(school)
            let seats = try await school.roster("enrollments?filter=status='tobedeleted'")
            let chemistry = seats.json["enrollments"]?.array?.filter {
                $0["class"]?["sourcedId"] == "class-Chemistry"
            }
            let found = chemistry?.compactMap { $0["user"]?["sourcedId"]?.text }.sorted()
            #expect(found == ["sis-ben", "sis-tess"])
            #expect(chemistry?.allSatisfy { $0["school"]?["sourcedId"] == "main" } == true)
            let group = try await school.roster("classes/class-Chemistry").json["class"]
            #expect(group?["title"] == "Chemistry" && group?["status"] == "tobedeleted")
            #expect(group?["terms"]?.array?.first?["sourcedId"] == "homeroom-year")
            let course = group?["course"]?["sourcedId"]?.text
            #expect(course?.hasPrefix("course-of-") == true)
            let term = try await school.roster("gradingPeriods/marks").json["academicSession"]
            #expect(term?["startDate"] == "2026-08-01" && term?["schoolYear"] == "2027")
        }
    }

    @Test func `who left is in the collection of the role, without a name`() async throws {
        try await withSchool { school in
            try await remove(school)
            let sam = school.id(.sam).uuid.description
            let erased = try await school.post("/v1/people/\(sam)/erasure", as: .ada)
            try #require(erased.status < 300, "\(erased.text)")
            for edition in Edition.allCases {
                let gone = "?filter=status='tobedeleted'"
                #expect(
                    Set(try await school.ids("students\(gone)", in: edition))
                        == ["pia", "sis-sue", sam])
                #expect(try await school.ids("teachers\(gone)", in: edition) == [])
                #expect(try await school.ids("students", in: edition).contains(sam) == false)
            }
            for id in ["pia", "sis-sue", sam] {
                let user = try await school.roster("users/\(id)").json["user"]
                #expect(user?["givenName"] == "-" && user?["familyName"] == "-", "\(id)")
                #expect(user?["email"] == nil && user?["username"]?.text == id)
                #expect(user?["roles"]?.array?.first?["role"] == "student", "\(id)")
            }
            let org = try await school.roster("users/\(sam)").json["user"]?["roles"]?.array?.first
            #expect(org?["org"]?["sourcedId"]?.text == school.hillside.uuid.description)
        }
    }
}
