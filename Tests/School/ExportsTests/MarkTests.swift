import AloneKit
import Exports
import JSONBytes
import Postgres
import School
import TestKit
import Testing

@Suite struct ExportedMarks {
    @Test(.alone) func `marks are exported when they are given or taken away, and drafts never`()
        async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                let given = try school.give()
                try school.sql(
                    "update school.handout set maximum_points = 20 where handout_id = \(given.handout)"
                )
                func draft(_ persona: Persona, _ points: Double) throws {
                    try school.sql(
                        """
                        select school.draft_mark(\(given.handout), null, \(school.id(persona)), \(points)::double precision,
                                                 null)
                        """, as: school.caller(.tom))
                }
                func give(_ persona: Persona) throws {
                    try school.sql(
                        "select school.give_mark(\(given.handout), null, \(school.id(persona)))",
                        as: school.caller(.tom))
                }
                try draft(.sam, 12.25)
                try give(.sam)
                try draft(.sam, 19)
                try draft(.sue, 7)
                try await school.settle()
                let first = try school.export(root, "2026-03-02")
                let marks = try rows("marks", in: first)
                #expect(marks.texts("given_name") == ["Sam"])
                #expect(marks.map { $0["points"]?.double } == [12.25])
                #expect(marks.map { $0["maximum_points"]?.double } == [20])
                #expect(marks.map { $0["task_id"] } == [.null])

                try give(.sue)
                try school.sql(
                    """
                    update school.mark set points = null, author_id = \(school.id(.tom)), given_at = now()
                     where person_id = \(school.id(.sam))
                    """, as: school.caller(.tom))
                try await school.settle()
                let second = try rows("marks", in: try school.export(root, "2026-03-03"))
                #expect(Set(second.texts("given_name")) == ["Sam", "Sue"])
                for mark in second {
                    let points: Double? = mark["given_name"] == "Sue" ? 7 : nil
                    #expect(mark["points"]?.double == points)
                }
            }
        }
    }
}
