import API
import Postgres
import School
import TestKit
import Testing

@testable import Directory

/// What is said of people and classes. All that write their rows write each column, or leave it alone on purpose:
/// one that is forgotten would be lost without a word.
@Suite struct WrittenColumns {
    private static let tables = ["person", "class"]

    /// The columns that directory managers may write (`SQL/policies/directory.sql`).
    private func written(_ table: String, _ school: TestSchool) throws -> Set<String> {
        Set(
            try school.sql("select unnest(school.written_columns(\(table))) as name")
                .map { try $0.text("name") })
    }

    @Test func `clients send each column`() async throws {
        let sent: [String: (columns: [any AnyColumn], own: Set<String>)] = [
            "person": (Directory.people.columns, ["managed_id", "origin"]),
            "class": (Directory.classes.columns, ["origin"]),
        ]
        try await withSchool { school in
            for table in Self.tables {
                let written = try written(table, school)
                let (columns, own) = try #require(sent[table])
                let names = Set(columns.map(\.name.text)).union(own)
                for column in written.subtracting(names).sorted() {
                    Issue.record(
                        "\(table).\(column) is granted, but no column of the resource in Sources/Features/Directory."
                    )
                }
                for column in names.subtracting(written).sorted() {
                    Issue.record("\(table).\(column) is not granted in SQL/policies/directory.sql.")
                }
            }
        }
    }

    @Test func `imports set each column, or leave it alone`() async throws {
        let alone: [String: Set<String>] = ["person": ["name_order"]]
        try await withSchool { school in
            for table in Self.tables {
                let set = Set(
                    try school.sql(
                        "select unnest(school.imported_columns(\(table), 'new')) as name"
                    )
                    .map { try $0.text("name") })
                let named = set.union(alone[table] ?? [])
                for column in try written(table, school).subtracting(named).sorted() {
                    Issue.record(
                        "Name \(table).\(column) in import_fields(), or here if no archive has it.")
                }
                #expect(set.isDisjoint(with: alone[table] ?? []), "an archive has it by now")
            }
        }
    }

    @Test func `a correction keeps each fact about a person`() async throws {
        try await withSchool { school in
            try school.sql(
                """
                do $$
                declare
                    fact text;
                begin
                    foreach fact in array school.person_facts() loop
                        execute format('update school.person set %I = ''7'' where person_id = $1', fact)
                          using (select person_id from school.person where managed_id = 'sam@hillside.example');
                    end loop;
                end $$
                """)
            let kept = Set(
                try school.sql(
                    "select jsonb_object_keys(was) as name from school.person_correction"
                ).map { try $0.text("name") })
            let facts = try school.sql("select unnest(school.person_facts()) as name")
                .map { try $0.text("name") }
            #expect(facts.count > 6)
            for fact in facts where !kept.contains(camelCased(fact)) {
                Issue.record(
                    "Name person.\(fact) in the trigger keep_what_it_was (SQL/functions/records/corrections.sql)."
                )
            }
        }
    }
}
