import Postgres
import School
import TestKit
import Testing

/// Passwords of many people, set by a function of the owner, which checks for itself.
@Suite struct SheetFunctions {
    @Test
    func `passwords are set for everyone the caller may give them to, or for nobody`()
        async throws
    {
        try await withPopulatedSchool { populated in
            let cases: [(Standing, String, Bool)] = [
                (.teacher, "{sam,sue}", true), (.teacher, "{sam,lea}", false),
                (.teacher, "{sam,ben}", false), (.teacher, "{sam,cora}", false),
                (.teacher, "{sam,omar}", false), (.manager, "{tom,ben}", false),
                (.manager, "{sam,ben}", true),
                (.manager, "{ben,petra}", false), (.peopleManager, "{simon,mara}", true),
                (.siteManager, "{ben,ada}", false), (.administrator, "{ada,ben}", true),
                (.administrator, "{ben,omar}", false),
            ]
            for (standing, names, isSet) in cases {
                let before = try records(populated)
                let said = try populated.school.sql(set(names), as: populated.caller(standing))
                #expect(try said[0].bool("is_set") == isSet, "\(standing): \(names)")
                #expect(try (records(populated) != before) == isSet, "\(standing): \(names)")
            }
        }
    }

    @Test func `a sheet is for those who may make one`() async throws {
        try await withPopulatedSchool { populated in
            let makers: [Standing] = [
                .administrator, .siteManager, .peopleManager, .manager, .teacher,
            ]
            for standing in Standing.allCases {
                let outcome = try populated.attempt(
                    set("{sam}"), as: populated.caller(standing))
                #expect(outcome == (makers.contains(standing) ? .done : .refused), "\(standing)")
            }
        }
    }

    /// The passwords in the order of the names, one for each person.
    private func set(_ names: String) -> Statement {
        """
        select school.set_temporary_passwords(
                   array_agg(test.id(name)), array_agg(gen_random_uuid()::text), now(), 'people', null)
               as is_set
          from unnest(\(names)::text[]) as name
        """
    }

    private func records(_ populated: PopulatedSchool) throws -> Set<String> {
        try populated.labels("select password_record as label from school.credential")
    }
}
