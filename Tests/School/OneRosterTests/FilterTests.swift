import RandomKit
import Testing
import Values

@testable import OneRoster

@Suite struct FilterTests {
    typealias Comparison = Filter.Comparison

    @Test(arguments: [
        ("status='active'", "status", Filter.Comparator.equal, "active"),
        ("status != 'active'", "status", .notEqual, "active"),
        ("dateLastModified>'2020-01-01'", "dateLastModified", .greater, "2020-01-01"),
        ("a>='1'", "a", .atLeast, "1"), ("a<'1'", "a", .less, "1"), ("a<='1'", "a", .atMost, "1"),
        ("school.sourcedId~'x'", "school.sourcedId", .contains, "x"),
        (" a = '' ", "a", .equal, ""), ("a='O''Brien'", "a", .equal, "O'Brien"),
        ("a='O'Brien'", "a", .equal, "O'Brien"), ("a='x'' AND b=''y'", "a", .equal, "x' AND b='y"),
        ("a='x' b='y'", "a", .equal, "x' b='y"),
        ("a='Colin Robert'", "a", .equal, "Colin Robert"), ("a='ä'", "a", .equal, "ä"),
    ])
    func `one comparison`(
        text: String, field: String, comparator: Filter.Comparator, value: String
    ) throws {
        let filter = try Filter(parsing: text)
        let expected = Comparison(field: field, comparator: comparator, value: value)
        #expect(filter.alternatives == [[expected]])
    }

    @Test func `AND binds closer than OR, in any case`() throws {
        let filter = try Filter(parsing: "a='1' and b='2' OR c='3' AND d='4' or e='5'")
        #expect(filter.alternatives.map { $0.map(\.field) } == [["a", "b"], ["c", "d"], ["e"]])
        #expect(filter.fields == ["a", "b", "c", "d", "e"])
    }

    @Test(arguments: [
        ("status='active'", false, true), ("familyName='x'", false, false),
        ("status='active' AND status='active'", false, true),
        ("status='active' OR status='active' AND familyName='x'", false, true),
        ("status='active' AND familyName='x'", false, false),
        ("status='active' AND dateLastModified>'2026-01-01'", false, false),
        ("status='active' OR familyName='x'", true, false),
        ("status='active' OR dateLastModified>'2026-01-01'", true, false),
        ("dateLastModified>'2026-01-01'", true, false), ("status='tobedeleted'", true, false),
        ("status!='active'", true, false), ("status~'active'", true, false),
        ("status='Active'", true, false), ("familyName='active'", false, false),
    ])
    func `what left the roster is found unless every alternative wants what is active`(
        text: String, findsFormer: Bool, findsAllActive: Bool
    ) throws {
        let filter = try Filter(parsing: text)
        #expect(filter.findsFormer == findsFormer)
        #expect(filter.findsAllActive == findsAllActive)
    }

    @Test(arguments: [
        ("", 0), ("status", 6), ("status=active", 7), ("status='active", 14), ("='x'", 0),
        ("a='x' AND", 9), ("a=='x'", 2), ("a='x' AND ='y'", 10),
        ("a='x\u{0}'", 4), ("a='x'; drop table person", 24), ("(a='x')", 0), ("a;b='x'", 1),
    ])
    func `what is wrong is named with its position`(text: String, position: Int) {
        #expect {
            try Filter(parsing: text)
        } throws: {
            ($0 as? FilterMistake)?.position == position
        }
    }

    @Test func `twenty comparisons are the most`() throws {
        func filter(_ count: Int) -> String {
            (1...count).map { "a='\($0)'" }.joined(separator: " OR ")
        }
        #expect(try Filter(parsing: filter(20)).alternatives.count == 20)
        #expect(throws: FilterMistake.self) { try Filter(parsing: filter(21)) }
    }

    @Test(arguments: seeds(0..<200))
    func `whatever is read is read again as it is written`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        let pieces = [
            "a", "status", "=", "~", ">=", "'", "''", " ", " AND ", " OR ", "x", "\\", "ü",
        ]
        let text = (0..<12).map { _ in pieces.randomElement(using: &dice) ?? "" }.joined()
        guard let filter = try? Filter(parsing: text) else { return }
        let written = filter.alternatives.map { alternative in
            alternative.map {
                "\($0.field)\($0.comparator.rawValue)'\($0.value.replacing("'", with: "''"))'"
            }.joined(separator: " AND ")
        }.joined(separator: " OR ")
        #expect((try? Filter(parsing: written)) == filter, "\(text)")
    }
}
