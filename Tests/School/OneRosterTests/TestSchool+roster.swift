import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import OneRoster

extension TestSchool {
    /// Asks version 1.2 as a roster reader.
    func roster(
        _ path: String, headers: [(String, String)] = [], in edition: Edition = .v1p2
    ) async throws -> Answer {
        try await get("\(edition.path)/\(path)", as: .rosterReader, headers: headers)
    }

    /// The sourcedIds of a collection.
    func ids(_ path: String, in edition: Edition = .v1p2) async throws -> [String] {
        let answer = try await roster(path, in: edition)
        let objects = answer.json.object?.members.first?.value.array ?? []
        return objects.compactMap { $0["sourcedId"]?.text }
    }

    /// The sourcedIds of all pages, as `Link` leads from one to the next.
    ///
    /// - Parameter between: runs after each page with its number.
    func followed(
        _ path: String, between: (Int) throws -> Void
    ) async throws -> [String] {
        var found: [String] = []
        var next: String? = "\(Edition.v1p2.path)/\(path)"
        var pages = 0
        while let path = next {
            let page = try await get(path, as: .rosterReader)
            found += (page.json.object?.members.first?.value.array ?? []).compactMap {
                $0["sourcedId"]?.text
            }
            let links = page.header("Link")?.split(separator: ", ").map(String.init) ?? []
            #expect(links.allSatisfy { $0.hasPrefix("<http") })
            next = links.first { $0.hasSuffix("rel=\"next\"") }.flatMap { link in
                link.firstRange(of: "/ims/").map {
                    String(link[$0.lowerBound...].prefix { $0 != ">" })
                }
            }
            pages += 1
            try between(pages)
        }
        return found
    }

    /// A school year with one semester, a course, and Biology in both.
    func addTerms() throws {
        try sql(
            """
            with year as (
                insert into school.term (organization_id, term_id, source_id, name, kind, starts_on, ends_on)
                values (\(hillside), gen_random_uuid(), 'year', '2026/27', 'schoolYear', '2026-08-01', '2027-08-01')
                returning term_id)
            insert into school.term (organization_id, term_id, source_id, parent_id, name, kind, starts_on, ends_on)
            select \(hillside), gen_random_uuid(), t.id, term_id, t.id, t.kind, '2026-08-01', '2027-02-01'
              from year, (values ('autumn', 'semester'), ('marks', 'gradingPeriod')) as t (id, kind)
            """)
        try sql(
            """
            insert into school.course (organization_id, course_id, source_id, location_id, name, number)
            values (\(hillside), gen_random_uuid(), 'science', \(mainLocation), 'Science', 'SCI')
            """)
        try sql(
            """
            update school.class as c set term_id = t.term_id, course_id = k.course_id
              from school.term as t, school.course as k
             where c.class_id = \(biology) and t.source_id = 'autumn' and k.source_id = 'science'
            """)
    }

    /// Ends Sam's seat in Biology.
    func endSamsSeat() throws {
        try sql(
            """
            update school.seat set left_at = date_trunc('milliseconds', now()) - interval '1 second'
             where person_id = \(id(.sam)) and class_id = \(biology)
            """)
    }
}
