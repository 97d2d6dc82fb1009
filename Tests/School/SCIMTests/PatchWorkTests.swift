import AloneKit
import Crypto
import JSONBytes
import Testing
import Values

@testable import SCIM

/// What a `PATCH` costs that names many members one by one.
@Suite struct PatchesOfLargeGroups {
    private static func member(_ number: Int) -> String { "member-\(number)" }

    /// A group as it is before a change.
    private func group(of count: Int) -> JSONObject {
        JSONObject([
            ("displayName", "Everyone"),
            ("members", .array((0..<count).map { ["value": .text(Self.member($0))] })),
        ])
    }

    private func removal(_ number: Int) -> JSONValue {
        ["op": "remove", "path": .text("members[value eq \"\(Self.member(number))\"]")]
    }

    private func addition(_ number: Int) -> JSONValue {
        ["op": "add", "path": "members", "value": [["value": .text(Self.member(number))]]]
    }

    private func members(
        _ changes: [JSONValue], of group: JSONObject, within budget: PatchBudget = PatchBudget()
    ) throws -> [String] {
        let patch = try Patch(
            JSONObject([("Operations", .array(changes))]), of: .group, within: budget)
        let members = try patch.applied(to: group, of: UUID.v7())["members"]?.array ?? []
        return members.compactMap { $0["value"]?.text }
    }

    /// Each change alone went through all members: sixteen million comparisons.
    @Test(.alone) func `thousands of members are removed and added one by one in no time`() throws {
        let count = 4000
        let clock = ContinuousClock()
        let began = clock.now
        let left = try members(
            (1..<count).map(removal) + (count..<(2 * count)).map(addition), of: group(of: count))
        #expect(left == [Self.member(0)] + (count..<(2 * count)).map(Self.member))
        #expect(clock.now - began < .seconds(10))
    }

    @Test func `changes that go through all members again and again are refused`() throws {
        let changes = (0..<300).map { $0 % 2 == 0 ? removal($0) : addition($0) }
        let refusal = try #require(throws: Refusal.self) {
            try members(changes, of: group(of: 2000))
        }
        #expect(refusal.status == 413)
        #expect(try members(changes, of: group(of: 300)).count == 150)

        let filter = (0..<50).map { "value co \"x\($0)\"" }.joined(separator: " or ")
        let costly: JSONValue = ["op": "remove", "path": .text("members[\(filter)]")]
        #expect(throws: Refusal.self) {
            try members(Array(repeating: costly, count: 3), of: group(of: 2000))
        }
        #expect(try members([costly], of: group(of: 2000)).count == 2000)
    }

    @Test func `the patches of one request share what they may compare`() throws {
        let budget = PatchBudget()
        let changes = (0..<100).map { $0 % 2 == 0 ? removal($0) : addition($0) }
        let (large, few) = (group(of: 1500), Array(changes.prefix(4)))
        _ = try members(changes, of: large, within: budget)
        let refusal = try #require(throws: Refusal.self) {
            try members(changes, of: large, within: budget)
        }
        #expect(refusal.status == 413)
        for _ in 1...3 {
            #expect(try members(few, of: large, within: budget).count == 1498)
        }
    }

    @Test func `a group of any size takes a few changes of each kind`() throws {
        let large = group(of: 100_000)
        let changes = [removal(1), addition(1), removal(2), addition(2)]
        let left = try members(changes, of: large)
        #expect(left.count == 100_000)
        #expect(left.suffix(2) == [Self.member(1), Self.member(2)])
    }

    @Test func `order decides, also where changes are made together`() throws {
        let small = group(of: 3)
        #expect(
            try members([addition(7), addition(7), removal(7), removal(0)], of: small)
                == [1, 2].map(Self.member))
        #expect(
            try members([removal(7), removal(0), addition(7), addition(0)], of: small)
                == [1, 2, 7, 0].map(Self.member))
        let emptied: JSONValue = ["op": "replace", "path": "members", "value": []]
        #expect(
            try members([addition(7), emptied, addition(8)], of: small) == [Self.member(8)])
        let list: JSONValue = [
            "op": "remove", "path": "MEMBERS",
            "value": [["value": .text(Self.member(1).uppercased())]],
        ]
        #expect(try members([removal(0), list], of: small) == [Self.member(2)])
        let other: JSONValue = ["op": "replace", "path": "displayName", "value": "All"]
        #expect(
            try members([addition(7), other, addition(8)], of: small)
                == [0, 1, 2, 7, 8].map(Self.member))
    }
}
