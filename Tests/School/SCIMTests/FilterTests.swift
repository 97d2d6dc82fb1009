import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import SCIM

/// Filters: their grammar, and what they find.
@Suite struct FilterTests {
    @Test(arguments: [
        ("a eq \"b\"", "a eq \"b\""), ("a EQ \"b\" AND c Pr", "a eq \"b\" and c pr"),
        ("a pr or b pr and c pr", "a pr or (b pr and c pr)"),
        ("(a pr or b pr) and c pr", "(a pr or b pr) and c pr"),
        ("not(a pr)", "not (a pr)"), ("not (a pr) and b eq 1", "not (a pr) and b eq 1"),
        ("a eq b-1 and c eq 'd e'", "a eq \"b-1\" and c eq \"d e\""), ("(a eq b)", "a eq \"b\""),
        ("a[b eq c].d eq 1", "a[b eq \"c\" and d eq 1]"),
        ("notes eq null", "notes eq null"), ("a eq \"x\\\"y\" ", "a eq \"x\\\"y\""),
        (
            "emails[type eq \"work\" and value co \"@\"]",
            "emails[type eq \"work\" and value co \"@\"]"
        ),
        ("urn:x:2.0:User:a.b ge -1.5", "urn:x:2.0:User:a.b ge -1.5"),
    ])
    func `a filter is read as the standard writes it`(text: String, read: String) throws {
        #expect(try Filter(parsing: text).written == read)
    }

    @Test(arguments: [
        ("", 0), ("a", 1), ("a eq", 4), ("a is \"b\"", 2), ("a eq b\"", 5), ("a eq \"b", 5),
        ("a eq \"b\" and", 8), ("(a pr", 5), ("a pr)", 4), ("a pr b pr", 4), ("not a pr", 4),
        ("a[b pr", 6), ("a[b[c pr]]", 3), ("a eq \"\\u0000\"", 5), ("\"a\" eq 1", 0),
    ])
    func `what is no filter is refused at its place`(text: String, position: Int) {
        #expect {
            _ = try Filter(parsing: text)
        } throws: { error in
            (error as? FilterMistake)?.position == position
        }
    }

    @Test func `a filter has its limits`() {
        let long = Array(repeating: "a pr", count: 201).joined(separator: " or ")
        let deep = String(repeating: "(", count: 21) + "a pr" + String(repeating: ")", count: 21)
        for text in [long, deep] {
            #expect(throws: FilterMistake.self) { try Filter(parsing: text) }
        }
    }

    @Test(
        arguments: [
            ("userName eq \"SAM@hillside.example\"", ["sam"]),
            ("username sw \"s\"", ["sam", "sue"]),
            ("externalId eq \"e-sam\"", ["sam"]), ("externalId eq \"E-SAM\"", []),
            ("externalId eq \"sis-sam\"", []), ("externalId pr", ["sam"]),
            ("name.givenName co \"ETR\"", ["petra"]),
            ("displayName ew \"m example\"", ["sam", "tom"]),
            ("userName sw \"s\" and not (userName sw \"sa\")", ["sue"]),
            ("userName sw \"sam\" or userName sw \"tom\"", ["sam", "tom"]),
            ("roles eq \"administrator\"", ["ada"]),
            ("roles.value eq \"peopleManager\"", ["petra"]),
            ("roles[value eq \"manager\"]", ["mara"]), ("not (roles pr)", []),
            ("emails[type eq \"work\" and value co \"@example\"]", ["sue"]),
            ("emails[type eq \"work\"].value eq \"sue@example.org\"", ["sue"]),
            ("emails[type eq \"home\"].value eq \"sue@example.org\"", []),
            ("externalId eq e-sam", ["sam"]), ("userName eq 'sam@hillside.example'", ["sam"]),
            ("emails.value eq \"Sue@example.org\"", ["sue"]), ("emails pr", ["sue"]),
            ("name.middleName pr", ["sue"]),
            ("name.middleName eq null and userName sw \"s\"", ["sam"]),
            ("not (name.middleName eq \"M\") and userName sw \"s\"", ["sam"]),
            ("active eq false", ["ben"]), ("active eq \"False\"", ["ben"]),
            ("not (active eq true)", ["ben"]), ("active ne true", ["ben"]),
            ("meta.created gt \"2000-01-01T00:00:00Z\" and userName sw \"tom\"", ["tom"]),
            ("meta.lastModified lt \"2000-01-01T00:00:00Z\"", []),
            ("userName ge \"t\" and userName lt \"tf\"", ["tess"]),
            ("urn:ietf:params:scim:schemas:core:2.0:User:userName sw \"ad\"", ["ada"]),
            (
                "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber eq \"5\"",
                ["sue"]
            ),
            ("urn:homeroom:scim:schemas:extension:school:2.0:User:grade eq \"7\"", ["sue"]),
            ("userName eq \"' or '1'='1\"", []), ("id eq \"nonsense\"", []),
            ("userName co \"%\" or userName co \"_\"", []),
            ("userName eq \"omar@elsewhere.example\"", []),
            ("userName sw \"o\" or not (userName sw \"o\") and userName sw \"tom\"", ["tom"]),
        ] as [(String, Set<String>)])
    func `a filter finds the users it says`(filter: String, found: Set<String>) async throws {
        try await withSchool { school in
            try school.sql(
                """
                update school.person set email = 'sue@example.org', middle_name = 'M', person_number = '5', grade = '7'
                 where person_id = \(school.id(.sue))
                """)
            try school.sql(
                "update school.person set deactivated_at = now() where person_id = \(school.id(.ben))"
            )
            try school.callSamAndChemistry()
            #expect(try await school.found(filter) == found)
        }
    }

    @Test(
        arguments: [
            ("displayName eq \"biology\"", ["Biology"]), ("displayName co \"o\"", ["Biology"]),
            ("members eq \"SAM\"", ["Biology", "Main building"]),
            ("members[value eq \"SAM\" and display sw \"Sam\"]", ["Biology", "Main building"]),
            ("members ne \"SAM\"", ["Chemistry"]),
            ("externalId eq \"class-Chemistry\"", []),
            ("externalId eq \"e-Chemistry\"", ["Chemistry"]),
            (
                "urn:homeroom:scim:schemas:extension:school:2.0:Group:kind eq \"location\"",
                ["Main building"]
            ),
            (
                "urn:homeroom:scim:schemas:extension:school:2.0:Group:teachers eq \"TESS\"",
                ["Chemistry"]
            ),
        ] as [(String, Set<String>)])
    func `a filter finds the groups it says`(filter: String, found: Set<String>) async throws {
        try await withSchool { school in
            let filter = filter.replacing("SAM", with: school.id(of: .sam))
                .replacing("TESS", with: school.id(of: .tess))
            try school.callSamAndChemistry()
            let names = try await school.found(filter, in: "Groups")
            #expect(names == found)
        }
    }

    @Test(arguments: [
        "userName", "userName eq", "nickName eq \"a\"", "name.nothing eq \"a\"", "active gt true",
        "active eq \"perhaps\"", "meta.created eq \"yesterday\"",
        "meta.created co \"2020-01-01T00:00:00Z\"", "userName gt null", "userName[value eq \"a\"]",
        "emails[nothing eq \"a\"]", "emails[value[type pr]]", "meta.version eq \"1\"",
    ])
    func `a wrong filter is refused in the words of the standard`(filter: String) async throws {
        try await withSchool { school in
            let answer = try await school.scim("POST", "Users/.search", ["filter": .text(filter)])
            #expect(answer.status == 400)
            #expect(answer.json["scimType"] == "invalidFilter")
            #expect(answer.json["detail"]?.text?.contains("position") == true)
        }
    }
}
