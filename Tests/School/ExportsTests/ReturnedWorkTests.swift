import AloneKit
import Exports
import JSONBytes
import Postgres
import School
import TestKit
import Testing

@Suite struct ReturnedWork {
    @Test(.alone) func `returned work is exported with its note, and again when it changes`()
        async throws
    {
        try await withSchool { school in
            try await withFolder { root in
                let given = try school.give()
                func giveBack(_ note: String, _ isToTryAgain: Bool) throws {
                    try school.sql(
                        """
                        select school.return_assignment(\(given.handout), \(given.task), \(school.id(.sam)),
                                                        \(note), \(isToTryAgain))
                        """, as: school.caller(.tom))
                }
                try giveBack("Look at \"Norway\",\nonce more.", true)
                try await school.settle()
                let first = try school.export(root, "2026-03-02")
                let returned = try rows("assignments", in: first)
                #expect(returned.map { $0["is_to_try_again"] } == [true, .null])
                #expect(returned[0]["return_note"] == "Look at \"Norway\",\nonce more.")
                #expect(returned[0]["returned_at"]?.text != nil)
                #expect(returned[1]["returned_at"] == .null)
                let table = try records("assignments", in: first)
                #expect(table[1].contains("Look at \"Norway\",\nonce more."))

                try giveBack("Well done.", false)
                let second = try school.export(root, "2026-03-03")
                let changed = try rows("assignments", in: second)
                #expect(changed.texts("return_note") == ["Well done."])
                #expect(changed.map { $0["is_to_try_again"] } == [false])
            }
        }
    }
}
