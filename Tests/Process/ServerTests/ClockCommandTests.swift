import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import Server
@testable import ServerKit

/// The commands with which an operator reads what the clock is worth, and says that it is right.
@Suite struct ClockCommands {
    @Test func `they say what the clock is worth, what goes by it, and end a jump`() async throws {
        try await withSchool { school in
            let nobody = try await school.homeroom("clock")
            #expect(nobody.output.contains("No server has looked at the database's clock yet"))
            try school.lookAtClock()
            let early = try await school.homeroom("clock")
            #expect(
                early.output.contains("It has not proven right yet: nothing is removed by time"))
            #expect(early.output.contains("servers have run for another 24 h 0 min."))
            let nothing = try await school.homeroom("clock", "accept", "--json")
            #expect(nothing.status == 0 && nothing.json["isAccepted"] == false)

            try school.sql("select school.order_deletion(\(school.elsewhere), 30)")
            try school.setMoment(ahead: .seconds(1500 * 86_400))
            let jumped = try await school.homeroom("clock")
            #expect(jumped.status == 0)
            #expect(jumped.output.contains("It jumped from 20"))
            #expect(jumped.output.contains("until you accept it (homeroom clock accept)."))
            #expect(
                jumped.output.contains(
                    "Elsewhere (\(school.elsewhere.uuid)) is deleted: its waiting time ended on 20")
            )
            let json = try await school.homeroom("clock", "--json").json
            #expect(json["needsAcceptance"] == true && json["removesBefore"] == .null)
            #expect(json["due"]?[0]?["isDeleted"] == true)
            let doctor = try await school.homeroom("doctor", "--json").json
            let findings = doctor["deployment"]?["findings"]?.array ?? []
            let finding = findings.first { $0["code"] == "clock_jumped" }
            #expect(finding?["severity"] == "error")
            #expect(
                finding?["text"]?.text?.hasSuffix("is removed by time until you accept it.") == true
            )

            let export = try await school.homeroom("export", "--out", "/tmp/never-written")
            #expect(export.status == 1)
            #expect(export.complaints.contains("Nothing was exported, because the clock jumped"))

            let accepted = try await school.homeroom("clock", "accept")
            #expect(accepted.status == 0, "\(accepted.complaints)")
            #expect(accepted.output.contains("The clock is accepted: what is due by it is removed"))
            #expect(accepted.output.contains("Elsewhere (\(school.elsewhere.uuid)) is deleted"))
            let after = try await school.homeroom("clock", "--json").json
            #expect(after["jumpedFrom"] == .null && after["removesBefore"]?.text != nil)
        }
    }
}

/// By which clock backups are named, and expire.
@Suite struct BackupClocks {
    private func clock(_ school: TestSchool) throws -> BackupClock {
        BackupClock(try BlockingConnection(school.ownerURL))
    }

    @Test func `backups expire by a clock that has proven right alone`() async throws {
        try await withSchool { school in
            #expect(try clock(school).reasonToKeep?.contains("no server has run for a day") == true)
            try school.letClockProveRight()
            #expect(try clock(school).reasonToKeep == nil)
            try school.setMoment(ahead: .seconds(60 * 86_400))
            let summer = try clock(school)
            try summer.refuseFarAhead()
            #expect(summer.reasonToKeep?.hasPrefix("the clock jumped") == true)
            try school.setMoment(ahead: .seconds(1500 * 86_400))
            let ahead = try clock(school)
            let error = #expect(throws: CommandFailure.self) { try ahead.refuseFarAhead() }
            #expect(error.map { "\($0)".hasPrefix("No backup was taken") } == true)
            try school.setMoment(ahead: .zero)
            try clock(school).refuseFarAhead()
        }
    }

    @Test func `where the database does not say, no backup expires`() async throws {
        try await withSchool { school in
            try school.letClockProveRight()
            try school.sql("drop function school.look_at_clock(bigint) cascade")
            let unknown = try clock(school)
            try unknown.refuseFarAhead()
            #expect(unknown.reasonToKeep?.hasPrefix("the database does not say whether") == true)
        }
    }
}
