import JSONBytes
import Postgres
import School
import TestKit
import Testing

@testable import OneRoster

/// Parameters of collections, and where consumers disagree about them.
@Suite struct QueryTests {
    @Test(arguments: [
        "filter=status='active'&limit=5000", "filter=status%3D%27active%27",
        "filter=dateLastModified%3E'2020-01-01T01:00:00.000Z'",
    ])
    func `the filters of Microsoft find everything, on every collection`(
        query: String
    ) async throws {
        try await withSchool { school in
            try school.addTerms()
            for edition in Edition.allCases {
                for name in [
                    "academicSessions", "orgs", "users", "classes", "enrollments", "courses",
                ] {
                    let answer = try await school.roster("\(name)?\(query)", in: edition)
                    #expect(answer.status == 200, "\(answer.text)")
                    let count = answer.json.object?.members.first?.value.array?.count
                    #expect(answer.header("X-Total-Count") == count.map(String.init))
                    #expect((count ?? 0) > 1, "\(name)")
                }
                let empty = try await school.roster("demographics?\(query)", in: edition)
                #expect(empty.json["demographics"] == [])
                #expect(empty.header("X-Total-Count") == "0")
            }
        }
    }

    @Test(arguments: [
        ("familyName='Example'%20AND%20givenName='Sam'", ["sis-sam"]),
        ("username='ben@hillside.example'%20OR%20email~'SAM'", ["sis-ben", "sis-sam"]),
        ("givenName%3C'Bz'", ["sis-ada", "sis-ben"]),
        (
            "roles.role='student'%20AND%20givenName!='Sam'",
            ["sis-ben", "sis-sue"]
        ),
        ("sourcedId='nobody'", []), ("givenName='%25'", []), ("email~'%25'", []),
        ("givenName='x''%20or%20''1''=''1'", []),
        ("givenName='Sam'%20OR%20givenName='Omar'", ["sis-sam"]),
    ])
    func `users are filtered`(filter: String, found: [String]) async throws {
        try await withSchool { school in
            let ids = try await school.ids("users?filter=\(filter)")
            #expect(ids == found)
        }
    }

    @Test func `a filter with OR does not leave its parent, its collection or what is active`()
        async throws
    {
        try await withSchool { school in
            let wide = "filter=givenName='Sam'%20OR%20givenName~''"
            #expect(
                try await school.ids("classes/class-Chemistry/students?\(wide)") == ["sis-ben"])
            #expect(try await school.ids("students?\(wide)") == ["sis-ben", "sis-sam", "sis-sue"])
            try school.sql(
                "update school.person set deactivated_at = now() where person_id = \(school.id(.sue))"
            )
            #expect(try await school.ids("students?\(wide)") == ["sis-ben", "sis-sam"])
            #expect(
                try await school.ids(
                    "demographics?\(wide.replacing("givenName", with: "sourcedId"))") == [])
        }
    }

    @Test(arguments: [
        ("filter=nickname='x'", "invalid_filter_field", "nickname"),
        ("filter=status", "invalid_filter_field", "position 6"),
        (
            "filter=status='active'%20OR%20status='active'%20AND%20nickname='x'",
            "invalid_filter_field", "nickname"
        ),
        ("filter=status=active", "invalid_filter_field", "position 7"),
        ("filter=dateLastModified%3E'yesterday'", "invalid_filter_field", "dateLastModified"),
        ("filter=dateLastModified~'2026'", "invalid_filter_field", "dateLastModified"),
        ("filter=grades%3E'1'", "invalid_filter_field", "grades"),
        ("limit=0", "invaliddata", "limit"), ("limit=10001", "invaliddata", "limit"),
        ("offset=-1", "invaliddata", "offset"), ("limit=ten", "invaliddata", "limit"),
        ("orderBy=up", "invaliddata", "orderBy"), ("page=2", "invaliddata", "page"),
    ])
    func `a wrong parameter is named in the standard's format`(
        query: String, minor: String, named: String
    ) async throws {
        try await withSchool { school in
            let answer = try await school.roster("users?\(query)")
            #expect(answer.status == 400)
            #expect(answer.header("content-type") == "application/json")
            #expect(answer.json["imsx_codeMajor"] == "failure")
            #expect(answer.json["imsx_severity"] == "error")
            let field = answer.json["imsx_CodeMinor"]?["imsx_codeMinorField"]?[0]
            #expect(field?["imsx_codeMinorFieldValue"]?.text == minor)
            #expect(
                answer.json["imsx_description"]?.text?.contains(named) == true, "\(answer.text)")
        }
    }

    @Test func `a field of the standard that nobody fills in is data, and an unknown one warns`()
        async throws
    {
        try await withSchool { school in
            for path in ["users", "users/sis-sam"] {
                func members(_ fields: String) async throws -> (Set<String>, warning: String?) {
                    let answer = try await school.roster("\(path)?fields=\(fields)")
                    #expect(answer.status == 200, "\(answer.text)")
                    let value = answer.json.object?.members.first?.value
                    let object = value?.array?.first ?? value
                    return (
                        Set(object?.object?.members.map(\.key) ?? []), answer.header("warning")
                    )
                }
                let some = try await members("givenName,phone,userIds,agents,metadata")
                #expect(some.0 == ["givenName"] && some.warning == nil)
                #expect(try await members("phone").0 == ["sourcedId"])
                let all = try await members("givenName,nickname")
                #expect(all.0.isSuperset(of: ["sourcedId", "givenName", "familyName"]))
                #expect(all.warning?.contains("invalid_selection_field") == true)
            }
            let everybody = try await school.ids("users")
            #expect(try await school.ids("users?filter=phone='1'") == [])
            #expect(try await school.ids("users?filter=phone!='1'") == everybody)
            #expect(try await school.ids("users?filter=primaryOrg.sourcedId='x'") == [])
        }
    }

    @Test(arguments: ["fields=sourcedId,email", "fields=sourcedId&fields=email"])
    func `fields are chosen in either encoding`(query: String) async throws {
        try await withSchool { school in
            for path in ["users?\(query)", "users/sis-sam?\(query)"] {
                let value = try await school.roster(path).json.object?.members.first?.value
                let user = value?.array?.first ?? value
                #expect(user?.object?.keys == ["sourcedId", "email"])
            }
        }
    }

    @Test func `users are sorted, and an unknown field leaves the usual order`() async throws {
        try await withSchool { school in
            let usual = try await school.ids("students")
            #expect(usual == ["sis-ben", "sis-sam", "sis-sue"])
            #expect(try await school.ids("students?sort=shoeSize") == usual)
            #expect(try await school.ids("students?sort=givenName&orderBy=asc") == usual)
            #expect(
                try await school.ids("students?sort=givenName&orderBy=desc") == usual.reversed())
            #expect(
                try await school.ids("students?sort=familyName&orderBy=desc") == usual.reversed())
        }
    }

    @Test func `pages follow each other by offset and by Link`() async throws {
        try await withSchool { school in
            let all = try await school.ids("users")
            #expect(try await school.ids("users?offset=2&limit=1") == [all[2]])
            #expect(try await school.ids("users?offset=1000") == [])
            for query in [
                "limit=4&sort=givenName", "limit=4", "limit=3&orderBy=desc", "limit=1&sort=x",
            ] {
                let found = try await school.followed("users?\(query)") { _ in }
                #expect(found.count == all.count && Set(found) == Set(all), "\(query)")
            }
            #expect(try await school.ids("users?after=\(all[2])&limit=1") == [all[3]])
            #expect(try await school.ids("users?after=\(all[2])&limit=1&orderBy=desc") == [all[1]])
            let named = "users?after=\(all[2])&limit=1&sort=sourcedId"
            #expect(try await school.ids(named) == [all[3]])
            #expect(try await school.roster("users?after=x&sort=givenName").status == 400)
            #expect(try await school.roster("users/sis-sam").header("X-Total-Count") == "1")
            #expect(try await school.roster("users").header("Link") == nil)
        }
    }

    @Test func `an unknown object is 404, an unknown parent is an empty page`() async throws {
        try await withSchool { school in
            for name in ["users", "classes", "orgs", "demographics", "enrollments", "terms"] {
                for id in ["nobody", "0199aaaa-0000-7000-8000-000000000000", "a_b_c", "%2F"] {
                    let answer = try await school.roster("\(name)/\(id)")
                    #expect(answer.status == 404)
                    let field = answer.json["imsx_CodeMinor"]?["imsx_codeMinorField"]?[0]
                    #expect(field?["imsx_codeMinorFieldValue"] == "unknownobject")
                }
            }
            let empty = try await school.roster("schools/nobody/students")
            #expect(empty.status == 200 && empty.json["users"] == [])
            for path in ["gradebooks", "users/sis-sam/marks", ""] {
                let answer = try await school.roster(path)
                #expect(answer.status == 404)
                #expect(answer.json["imsx_codeMajor"] == "failure", "\(answer.text)")
            }
            let written = try await school.post("\(Edition.v1p2.path)/users", as: .rosterReader)
            #expect(written.status == 405 && written.json["imsx_codeMajor"] == "unsupported")
            let nobody = try await school.get("\(Edition.v1p2.path)/users", as: nil)
            #expect(nobody.status == 401 && nobody.header("WWW-Authenticate") != nil)
        }
    }

    @Test func `a discovery document is made once, and each part has its own`() {
        let documents = DiscoveryDocuments()
        var made = 0
        for _ in 0..<3 {
            for part in Part.allCases {
                let bytes = documents.document(of: part) {
                    made += 1
                    return .text(part.rawValue)
                }
                #expect(bytes == JSONValue.text(part.rawValue).bytes)
            }
        }
        #expect(made == Part.allCases.count)
    }
}
