import JSONBytes
import Postgres
import School
import TestKit
import Testing

/// A district in a cell with four hundred small schools: lists read what they show, whoever else is there, with plans
/// made for this organization and with plans made for any.
@Suite struct CellLists {
    /// As many pages as a list of 20 may read: a tenth of what the people of the district fill.
    private static let pagesMax = 500

    /// As many for what reads whole classes: all their seats or all their people's names. In none of these is there room for
    /// a table of the district beside that.
    private static let classPagesMax = 1_000

    private static func pagesMax(of list: Cell.List) -> Int {
        let readsClasses =
            ["&counts=true", "&order=name"].contains(list.query)
            || ["/v1/me/news", "/rosterapi/v1/classes"].contains(list.pattern)
            || list.pattern.hasPrefix("/v1/handouts/")
        return readsClasses ? classPagesMax : pagesMax
    }

    /// Everybody of Hillside whose lists may differ; Tom teaches five classes, Sam sits in five.
    private static let readers: [Persona] = [
        .ada, .petra, .mara, .tom, .sam, .provisioner, .exporter, .samsApp, .rosterReader,
    ]

    /// Which way PostgreSQL plans what is asked again, set for all connections to come.
    private static let plans: [(name: String, setting: Statement)] = [
        ("custom plans", "select test.set_plan_cache_mode('force_custom_plan')"),
        ("generic plans", "select test.set_plan_cache_mode('force_generic_plan')"),
    ]

    @Test func `a list of twenty reads few pages of a large district beside small schools`()
        async throws
    {
        try await withPopulatedSchool { populated in
            let connection = try BlockingConnection(populated.school.ownerURL)
            for command in Cell.commands { try connection.execute(command) }
            let name = try connection.query("select current_database() as name")[0].text("name")
            for plan in Self.plans {
                try connection.query(plan.setting)
                try await withSchool(named: name, in: .shared()) { school in
                    let counter = try PageCounter(school, connection)
                    try await check(school, counter, plan.name)
                }
            }
        }
    }

    private func check(
        _ school: TestSchool, _ counter: PageCounter, _ plans: String
    ) async throws {
        var read: Set<String> = []
        let lists = try Cell.lists(school)
        for list in lists {
            for reader in Self.readers {
                let most = Self.pagesMax(of: list)
                for page in try await counter.pages(of: list, as: reader, enough: most) {
                    read.insert(list.pattern)
                    #expect(
                        page <= most, "\(list.path)?\(list.query) as \(reader) with \(plans)")
                }
            }
        }
        let unread = Set(lists.map(\.pattern)).subtracting(read)
        #expect(unread.isEmpty, "lists that nobody could read")
    }
}

extension PageCounter {
    /// How many pages the database reads for the first page of twenty, and for twenty after the first row; none that the
    /// persona may not read or that are not there.
    fileprivate func pages(
        of list: Cell.List, as persona: Persona, enough: Int
    ) async throws -> [Int] {
        let first = "\(list.path)?limit=20\(list.query)"
        guard let pages = try await pages(reading: first, as: persona, enough: enough) else {
            return []
        }
        let single = try await answer("\(list.path)?limit=1\(list.query)", persona)
        guard let token = single?["nextPageToken"]?.text else { return [pages] }
        let next = try await self.pages(
            reading: "\(first)&pageToken=\(token)", as: persona, enough: enough)
        return [pages, try #require(next)]
    }
}
