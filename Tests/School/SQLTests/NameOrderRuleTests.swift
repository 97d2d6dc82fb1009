import Foundation
import TestKit
import Testing

/// People are in the reader's order everywhere: Özdemir before Zimmer, as on the paper beside it.
@Suite struct NameOrderRules {
    /// An order by family name in that of the bytes.
    private static let orders =
        #"order\s+by(?:(?!\b(?:select|from|as|limit)\b)[^;]){0,160}?\bfamily_name\b(?!\)?\s+collate)"#

    private static func breaks(_ text: String) -> Bool {
        text.range(of: orders, options: .regularExpression) != nil
    }

    @Test func `functions and statements order family names by the collation of all languages`()
        throws
    {
        var looked = 0
        for folder in ["SQL/functions", "Sources"] {
            let path = "\(TestDatabase.sqlFolder)/../\(folder)"
            let names = try FileManager.default.subpathsOfDirectory(atPath: path)
                .filter { $0.hasSuffix(".sql") || $0.hasSuffix(".swift") }
            for name in names {
                let text = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
                #expect(!Self.breaks(text), "\(folder)/\(name)")
                if text.contains("family_name collate \"und-x-icu\"") { looked += 1 }
            }
        }
        #expect(looked > 5)
    }

    @Test(arguments: [
        ("order by p.family_name, p.given_name", true),
        ("row_number() over (order by p.kind, coalesce(p.name, p.family_name), p.id)", true),
        ("order by c.name,\n         p.family_name", true),
        ("order by p.family_name collate \"und-x-icu\", p.given_name", false),
        ("order by coalesce(p.name, p.family_name) collate \"und-x-icu\"", false),
        ("select p.family_name from person as p order by p.person_id;", false),
        ("array_agg(w.family_name order by place) as family_names", false),
    ])
    func `an order of bytes is found`(line: String, isFound: Bool) {
        #expect(Self.breaks(line) == isFound)
    }
}
