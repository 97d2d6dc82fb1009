import WireKit

@testable import ServerKit

/// RFC 9110 section 14: ranges, on the API document.
enum RangeRows {
    private static let path = "/openapi.json"

    private static func get(_ fields: String...) -> WireText {
        let lines = fields.map { "␍␊\n" + $0 }.joined()
        return asking("GET \(path)", as: nil, "Accept: application/json\(lines)")
    }

    /// - Parameters:
    ///   - text: the whole document, all ASCII.
    ///   - tag: its entity tag.
    static func rows(_ text: String, tag: String) -> [Row] {
        let count = text.utf8.count
        let all = Expected(
            200, text, fields: ["Accept-Ranges: bytes", "ETag: \(tag)"], absent: ["Content-Range"])
        func part(_ range: Range<Int>) -> Expected {
            let bytes = Array(text.utf8)[range]
            return Expected(
                206, String(decoding: bytes, as: UTF8.self),
                fields: [
                    "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)",
                    "Content-Length: \(bytes.count)", "Content-Type: application/json",
                    "ETag: \(tag)", "Cache-Control: no-cache",
                ])
        }
        let none = Expected(
            416, part: #""code":"range_not_satisfiable""#,
            fields: ["Content-Range: bytes */\(count)"])
        return parts(part, none, count) + ignored(all) + conditions(part, all, tag)
    }

    private static func parts(
        _ part: (Range<Int>) -> Expected, _ none: Expected, _ count: Int
    ) -> [Row] {
        [
            Row("9110 §14.1.2", "first and last byte", get("Range: bytes=0-9"), [part(0..<10)]),
            Row("9110 §14.1.2", "one byte", get("Range: bytes=7-7"), [part(7..<8)]),
            Row(
                "9110 §14.1.2", "everything from one byte on", get("Range: bytes=100-"),
                [part(100..<count)]),
            Row(
                "9110 §14.1.2", "a last byte beyond the end is the end",
                get("Range: bytes=\(count - 3)-99999999999999999999"), [part(count - 3..<count)]),
            Row(
                "9110 §14.1.2", "the last bytes", get("Range: bytes=-5"), [part(count - 5..<count)]),
            Row(
                "9110 §14.1.2", "more last bytes than there are", get("Range: bytes=-\(count + 1)"),
                [part(0..<count)]),
            Row("9110 §14.1", "the unit in any case", get("Range: Bytes=0-9"), [part(0..<10)]),
            Row(
                "9110 §5.6.1", "a list of one may have empty elements",
                get("Range: bytes=, 0-9 ,"), [part(0..<10)]),
            Row("9110 §15.5.17", "none from the end on", get("Range: bytes=\(count)-"), [none]),
            Row("9110 §14.1.2", "nor the last zero bytes", get("Range: bytes=-0"), [none]),
            Row(
                "9110 §15.5.17", "nor far beyond",
                get("Range: bytes=99999999999999999998-99999999999999999999"), [none]),
        ]
    }

    private static func ignored(_ all: Expected) -> [Row] {
        [
            Row(
                "9110 §14.3", "without a range everything is sent, and ranges are announced", get(),
                [all]
            ),
            Row(
                "9110 §14.2", "several ranges may be ignored, and are",
                get("Range: bytes=0-0,-1"), [all]),
            Row("9110 §14.2", "so is another unit", get("Range: lines=0-9"), [all]),
            Row("9110 §14.2", "a range that ends before it begins", get("Range: bytes=9-5"), [all]),
            Row("9110 §14.2", "a range without numbers", get("Range: bytes=a-b"), [all]),
            Row("9110 §14.2", "one with a sign", get("Range: bytes=+1-5"), [all]),
            Row("9110 §14.2", "one without a dash", get("Range: bytes=5"), [all]),
            Row("9110 §14.2", "a dash without a number", get("Range: bytes=-"), [all]),
            Row("9110 §14.2", "a unit without a range", get("Range: bytes"), [all]),
            Row(
                "9110 §14.2", "two fields", get("Range: bytes=0-1", "Range: bytes=0-1"), [all]),
            Row(
                "9110 §14.2", "a range of HEAD",
                asking("HEAD \(path)", as: nil, "Range: bytes=0-9"),
                [
                    .head(
                        200, fields: all.fields + ["Content-Length: \(all.body?.utf8.count ?? 0)"],
                        absent: ["Content-Range"])
                ]),
            Row(
                "9110 §14.2", "a range of a resource without ranges",
                asking("GET /v1/me", "Range: bytes=0-9"),
                [Expected(200, absent: ["Accept-Ranges", "Content-Range"])]),
        ]
    }

    private static func conditions(
        _ part: (Range<Int>) -> Expected, _ all: Expected, _ tag: String
    ) -> [Row] {
        let range = "Range: bytes=0-9"
        return [
            Row(
                "9110 §13.1.5", "a part of this state", get(range, "If-Range: \(tag)"),
                [part(0..<10)]),
            Row(
                "9110 §13.1.5", "or all of another state", get(range, #"If-Range: "other""#), [all]),
            Row(
                "9110 §13.1.5", "a weak tag does not match", get(range, "If-Range: W/\(tag)"), [all]
            ),
            Row(
                "9110 §13.1.5", "a date never matches",
                get(range, "If-Range: Fri, 31 Dec 2100 23:59:59 GMT"), [all]),
            Row("9110 §13.1.5", "without a range it means nothing", get("If-Range: x"), [all]),
            Row(
                "9110 §13.1.5", "even where the range is unsatisfiable",
                get("Range: bytes=-0", #"If-Range: "other""#), [all]),
            Row(
                "9110 §13.2.2", "a client that has all of it needs no part",
                get(range, "If-None-Match: \(tag)"),
                [Expected(304, "", fields: ["ETag: \(tag)"], absent: ["Content-Range"])]),
            Row(
                "9110 §13.2.2", "a client that wants another state gets no part of this one",
                get(range, #"If-Match: "other""#), [Expected(412)]),
            Row(
                "9110 §13.2.2", "before the range is considered",
                get("Range: bytes=-0", "If-None-Match: \(tag)"), [Expected(304, "")]),
        ]
    }
}
