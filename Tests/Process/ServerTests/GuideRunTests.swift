import Foundation
import Testing

@testable import ServerKit

/// Every block of commands in the guides is run as it is printed, by the user that the guide says, unless a mark in the
/// guide says why it cannot be. `LostKeys` runs its guide over a school in which there is something to lose.
@Suite struct GuideRuns {
    @Test func `every block is run or says why not, and no other guide is named`() throws {
        let running = try GuideCommands.guides.filter { guide in
            try GuideBlock.all(in: guide).contains { $0.mark == .run }
        }
        let books = running.filter { $0.hasPrefix("runbooks/") }
        #expect(books.count > 20, "runbooks show what to look at")
        let guides = GuideSetting.all.keys.filter { !$0.hasPrefix("runbooks/") }
        #expect(Set(running).subtracting(books).subtracting(["lost-keys"]) == Set(guides))
        #expect(Set(order).union(books).isSuperset(of: GuideSetting.all.keys))
    }

    /// A restore ends all tokens, so backups come first; a school that ends, last.
    private let order = [
        "backups", "install", "schools", "apple", "scim", "roster-source", "school-year",
        "end-of-data",
    ]

    @Test func `the commands of the guides do what they say, typed by root in a folder of its own`()
        async throws
    {
        let sandbox = try await GuideSandbox()
        let outcome: Result<Void, any Error>
        do {
            let began = try await sandbox.run("systemctl start homeroom.service")
            try #require(began.status == 0, "\(began.complaints)")
            let books = GuideCommands.guides.filter { $0.hasPrefix("runbooks/") }
            for guide in order + books { try await run(guide, in: sandbox) }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await sandbox.discard()
        try outcome.get()
    }

    private func run(_ guide: String, in sandbox: GuideSandbox) async throws {
        let setting = GuideSetting.all[guide] ?? GuideSetting()
        var script =
            (guide.hasPrefix("runbooks/") ? "" : GuideSetting.start) + sandbox.here(setting.before)
        let blocks = try GuideBlock.all(in: guide).filter { $0.mark == .run }
        for (number, block) in zip(1..., blocks) {
            script += sandbox.here(setting.between[number] ?? "")
            let text = setting.names.reduce(block.text) { $0.replacing($1.0, with: $1.1) }
            script += "echo '\(guide).md, block at line \(block.line)' >&2\n" + sandbox.here(text)
        }
        let run = try await sandbox.run(script + sandbox.here(setting.after))
        #expect(run.status == 0, "\(guide): \(run.complaints)\n\(run.output)")
    }
}
