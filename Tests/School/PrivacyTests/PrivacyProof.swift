import Foundation
import HTTPWire
import Postgres
import PrivacyRules
import RandomKit
import School
import TestKit
import Testing

/// Random schools in which everyone looks everywhere: nobody sees what the rules do not allow.
///
/// `SCHOOLS=1000 deploy/test --filter PrivacyProof` tries that many, `SEED=17` begins with that one.
@Suite struct PrivacyProof {
    static let schools = Setting.number("SCHOOLS") ?? 8
    static let firstSeed = chosenSeed ?? 1

    @Test func `in random schools everyone sees what the rules say and nothing else`()
        async throws
    {
        try await withSchool { service in
            try Clockwork.install(in: service)
            for seed in Self.firstSeed..<Self.firstSeed + UInt64(Self.schools) {
                let plan = Plan(seed: seed)
                guard let finding = try await Trial.findings(plan, in: service) else { continue }
                let smallest = try await Trial.shrink(plan, in: service) ?? finding
                Issue.record("\(smallest)")
                break
            }
        }
    }

    @Test func `on pages everyone sees attempts that the rules allow, and no others`() async throws
    {
        try await withSchool { service in
            try Clockwork.install(in: service)
            var markCount = 0
            for seed in Self.firstSeed..<Self.firstSeed + UInt64(max(1, Self.schools / 4)) {
                let school = try RandomSchool(service, Plan(seed: seed))
                try await school.live()
                try await school.lookThroughPages()
                for finding in school.findings { Issue.record("SEED=\(seed): \(finding)") }
                markCount += school.markCountOnPages
            }
            #expect(markCount > 20)
        }
    }

    @Test func `every call that shows the work of a class or a student leaves a viewing`() {
        let rows = RouteTable.rows.filter(\.kind.leavesViewing).map(\.path)
        #expect(Set(rows) == Set(ViewedCalls.all.map(\.path)))
    }

    @Test func `each call has a row and each row a call`() async throws {
        #expect(RouteTable.brokenLines.isEmpty)
        try await withSchool { service in
            let calls = service.features.flatMap(\.endpoints).map { "\($0.method.name) \($0.path)" }
            let rows = RouteTable.rows.map { "\($0.method) \($0.path)" }
            for call in Set(calls).subtracting(rows) {
                Issue.record("does \(call) show progress? it has no row")
            }
            for row in Set(rows).subtracting(calls) { Issue.record("no call for \(row)") }
        }
    }

    @Test
    func `each table about given and done work is examined, unless nobody may read it`()
        async throws
    {
        try await withSchool { service in
            let tables = try service.sql(ProgressTable.inCatalogue).map { try $0.text("name") }
            // Reviews, comments and marks are looked into by themselves.
            let known = Set(ProgressTable.all.map { "\($0.table)" })
                .union(["review", "comment", "comment_seen", "mark", "mark_draft"])
            #expect(Set(tables).subtracting(known).isEmpty)
            #expect(known.subtracting(tables) == ["context"], "which names none of these")
        }
    }
}

/// The settings of a run.
enum Setting {
    static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}
