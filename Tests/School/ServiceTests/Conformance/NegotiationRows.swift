import TestKit
import WireKit

@testable import ServerKit

/// RFC 9110 section 12: a report is available as JSON, which is preferred, and as CSV.
enum NegotiationRows {
    static func rows(report: String) -> [Row] {
        func get(_ fields: String...) -> WireText {
            let lines = fields.map { "␍␊\n" + $0 }.joined()
            return asking("GET \(report)", as: .tom, "Accept-Language: en\(lines)")
        }
        func type(_ mediaType: String) -> [Expected] {
            [
                Expected(
                    200, fields: ["Content-Type: \(mediaType)", "Vary: Accept, Accept-Language"])
            ]
        }
        let (json, csv) = (
            type("application/json"), type("text/csv; charset=utf-8; header=present")
        )
        return [
            Row("9110 §12.5.1", "a client that names nothing gets JSON", get(), json),
            Row("9110 §12.5.1", "and so does one that accepts anything", get("Accept: */*"), json),
            Row("9110 §12.5.1", "a client that asks for CSV gets it", get("Accept: text/csv"), csv),
            Row("9110 §12.5.1", "or accepts any text", get("Accept: text/*"), csv),
            Row("9110 §8.3.1", "in any case", get("Accept: TEXT/CSV"), csv),
            Row(
                "9110 §12.4.2", "the higher quality wins",
                get("Accept: application/json;q=0.5, text/csv;q=0.8"), csv),
            Row(
                "9110 §12.4.2", "in any order",
                get("Accept: text/csv; q=0.1, application/json; q=0.2"), json),
            Row(
                "9110 §12.4.2", "zero is not acceptable",
                get("Accept: application/json;q=0, */*"), csv),
            Row(
                "9110 §12.5.1", "the more specific range counts",
                get("Accept: */*;q=0.1, text/csv;q=0.9, text/*;q=0"), csv),
            Row(
                "9110 §5.3", "a list may come in several fields",
                get("Accept: application/json;q=0.5", "Accept: text/csv"), csv),
            Row(
                "9110 §12.5.1", "a client that accepts neither gets JSON rather than 406",
                get("Accept: application/xml"), json),
            Row(
                "9110 §12.5.3", "an acceptable coding need not be used",
                get("Accept-Encoding: gzip"),
                [
                    Expected(
                        200, fields: ["Vary: Accept, Accept-Language"], absent: ["Content-Encoding"]
                    )
                ]),
            Row(
                "9110 §9.3.2", "HEAD is negotiated like GET",
                asking("HEAD \(report)", as: .tom, "Accept: text/csv"),
                [
                    .head(
                        200,
                        fields: [
                            "Content-Type: text/csv; charset=utf-8; header=present",
                            "Vary: Accept, Accept-Language",
                        ])
                ]),
        ]
    }
}
