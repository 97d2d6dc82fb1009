import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite struct SearchByName {
    @Test(
        arguments: [
            ("eleonore", ["E"]), ("ÉLÉO", ["E"]), ("straße", ["E"]), ("oster", ["E"]),
            ("øster éleonore", ["E"]), ("nor", ["E"]), ("stra-øs", ["E"]), ("oneil", ["O"]),
            ("o'neil mary", ["O"]), ("el", ["E"]), ("le", ["L"]), ("小龙", ["C"]), ("龙", ["C"]),
            ("ann smith", ["M"]), ("ann lee", []), ("%", []), ("lee_", ["L"]), ("\\", []),
            ("-", []),
        ] as [(String, [String])])
    func `words are found in any order, regardless of accents and case`(
        words: String, found: [String]
    ) async throws {
        try await withSchool { school in
            let people: [(String, String, String)] = [
                ("E", "Éléonore", "Straße-Øster"), ("O", "Mary", "O’Neil"), ("L", "Bo", "Lee"),
                ("C", "李", "小龙"), ("M", "Anna", "Smith"),
            ]
            for (source, given, family) in people {
                let made = try await school.put(
                    "/v1/people/source:\(source)", as: .ada, json: school.student(given, family))
                #expect(made.status == 201)
            }
            let answer = try await school.get("/v1/people?q=\(escaped(words))", as: .mara)
            #expect(answer.status == 200)
            #expect(answer.items.compactMap { $0["sourceId"]?.text } == found)
        }
    }

    @Test func `a teacher finds people of their own classes, and another school finds nobody`()
        async throws
    {
        try await withSchool { school in
            let all = try await school.page("/v1/people?q=example", as: .ada).ids
            #expect(all.count == 9)
            let own = try await school.page("/v1/people?q=example", as: .tom).ids
            let expected = [Persona.tom, .cora, .sam, .sue].map { school.id($0).uuid.description }
            #expect(Set(own) == Set(expected))
            #expect(try await school.page("/v1/people?q=ben", as: .tess).ids.count == 1)
            #expect(try await school.page("/v1/people?q=ben", as: .tom).ids.isEmpty)
            #expect(try await school.page("/v1/people?q=ben", as: .olga).ids.isEmpty)
            #expect(try await school.get("/v1/people?q=ben", as: .sam).status == 403)
        }
    }

    @Test func `pages and other filters combine with the words`() async throws {
        try await withSchool { school in
            let all = try await school.page("/v1/people?q=exam", as: .ada).ids
            var seen: [String] = []
            var next = ""
            repeat {
                let page = try await school.page("/v1/people?q=exam&limit=2\(next)", as: .ada)
                seen += page.ids
                next = page.next.map { "&pageToken=\($0)" } ?? ""
            } while !next.isEmpty
            #expect(seen == all)
            let students = try await school.page(
                "/v1/people?q=exam&role=student&limit=2", as: .ada)
            #expect(students.ids.count == 2)
            let token = try #require(students.next)
            let rest = try await school.page(
                "/v1/people?q=exam&role=student&limit=2&pageToken=\(token)", as: .ada)
            #expect(rest.ids.count == 1)
            let other = try await school.get(
                "/v1/people?q=ben&role=student&limit=2&pageToken=\(token)", as: .ada)
            #expect(other.status == 400)
        }
    }

    @Test func `a search is normalized like the stored names`() async throws {
        try await withSchool { school in
            let names = [
                "Éléonore Straße-Øster", "MÜLLER", "Þórsson Æbbe Œuvre", "Łukasz ẞ", "O’Neil, Jr.",
                "Nguyễn Văn Đức", "李 小龙", "Ирина", "Ünal_Özgür", "D`Arcy ĸ ſ",
            ]
            for name in names {
                let rows = try school.sql(
                    """
                    update school.person set given_name = \(name), middle_name = null, family_name = 'X'
                     where person_id = \(school.id(.sam))
                    returning name_text, ' ' || school.folded(\(name + " X")) as made
                    """)
                let kept = try rows[0].text("name_text")
                #expect(try rows[0].text("made") == kept)
            }
        }
    }

    private func escaped(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
