import AloneKit
import Exports
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@Suite(.alone) struct ErasedPeople {
    @Test
    func `an erased student comes as a deletion, with the sums of the class without that student`()
        async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                let cells = try school.give()
                try school.attempt(.sam, at: cells, hour: 8)
                try school.attempt(.sue, at: cells, hour: 8)
                try await school.settle()
                let first = try school.export(root, "2026-03-02")
                #expect(try rows("class_summaries", in: first)[0]["students_with_data"] == 2)

                let sam = school.id(.sam).uuid.description
                let answer = try await school.post("/v1/people/\(sam)/erasure", as: .ada)
                #expect(answer.status == 200)
                try await school.settle()
                let second = try school.export(root, "2026-03-03")
                let deletions = try rows("deletions", in: second)
                #expect(deletions.map { $0["kind"] } == ["person"])
                #expect(deletions.texts("subject_id") == [sam])
                #expect(try rows("class_summaries", in: second)[0]["students_with_data"] == 1)
                let everything = try school.export(root, "2026-03-04", full: true)
                #expect(try rows("activity_reports", in: everything).count == 1)
            }
        }
    }

    @Test func `the handouts of an erased teacher are exported again, without an author`()
        async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                try school.give()
                try await school.settle()
                try school.export(root, "2026-03-02")
                let tom = school.id(.tom).uuid.description
                _ = try await school.post("/v1/people/\(tom)/erasure", as: .ada)
                try await school.settle()
                let second = try school.export(root, "2026-03-03")
                let handouts = try rows("handouts", in: second)
                #expect(handouts.count == 1)
                #expect(handouts[0]["author_id"]?.text == nil)
                #expect(try rows("deletions", in: second).texts("subject_id") == [tom])
            }
        }
    }
}
