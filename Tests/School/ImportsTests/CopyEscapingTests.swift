import Postgres
import TestKit
import Testing

/// Lines of an archive reach the database by COPY as arrays of texts, in two layers of escapes.
@Suite struct CopyEscaping {
    @Test(arguments: [
        #"a\b"#, #"\"#, #"\\"#, #"ends with \"#, #"\N"#, #"\t"#, #"{a,b}"#, #"a"b"#, #"\"x\""#,
        #"\x41"#, "NULL",
    ])
    func `a name arrives as written in the archive`(name: String) async throws {
        try await withSchool { school in
            // As Apple School Manager writes it: backslashes are doubled inside quotation marks.
            let escaped = name.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }.joined()
            let quoted = "\"\(escaped)\""
            let archive = TestArchive.small
                .replacing("North School", with: quoted, in: "locations.csv")
                .replacing("Given1,,Family1", with: "Given1,\(quoted),Family1", in: "students.csv")
            let outcome = try await school.importArchive(archive, strict: true)
            #expect(outcome.status == "succeeded", "\(outcome)")
            let stored = try school.sql(
                """
                select middle_name as name from school.person where source_id = 'S1'
                union all select name from school.location where source_id = 'L1'
                """)
            #expect(try stored.map { try $0.text("name") } == [name, name])
        }
    }
}
