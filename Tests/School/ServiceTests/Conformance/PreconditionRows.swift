import School
import TestKit
import WireKit

@testable import ServerKit

/// RFC 9110 section 13: preconditions, on locations.
enum PreconditionRows {
    private static let location = "/v1/locations/\(TestIDs.mainLocation.uuid)"

    /// The location's tag is `"1"` and stays so.
    static let reads: [Row] = noneMatch + match + order

    private static func get(_ fields: String...) -> WireText {
        let lines = fields.map { "␍␊\n" + $0 }.joined()
        return asking("GET \(location)", "Accept: application/json\(lines)")
    }

    private static let whole = Expected(200, fields: [#"ETag: "1""#])
    private static let unchanged = Expected(
        304, "", fields: [#"ETag: "1""#, "Cache-Control: private, no-cache"])
    private static let refused = Expected(
        412, part: #""code":"precondition_failed""#,
        fields: ["Content-Type: application/problem+json"])

    private static let noneMatch: [Row] = [
        Row(
            "9110 §8.8.3", "a single resource has a strong tag", get(),
            [
                Expected(
                    200, fields: [#"ETag: "1""#, "Cache-Control: private, no-cache"],
                    absent: ["Last-Modified"])
            ]),
        Row(
            "9110 §13.1.2", "a client that has it is not sent it again",
            get(#"If-None-Match: "1""#), [unchanged]),
        Row(
            "9110 §15.4.5", "nor is HEAD",
            asking("HEAD \(location)", #"If-None-Match: "1""#),
            [.head(304, fields: [#"ETag: "1""#])]),
        Row(
            "9110 §13.1.2", "tags are compared weakly", get(#"If-None-Match: W/"1""#), [unchanged]),
        Row(
            "9110 §13.1.2", "one tag of a list is enough", get(#"If-None-Match: "0" , W/"1","2""#),
            [unchanged]),
        Row(
            "9110 §5.3", "a list may come in several fields",
            get(#"If-None-Match: "0""#, #"If-None-Match: "1""#), [unchanged]),
        Row("9110 §13.1.2", "* matches anything that exists", get("If-None-Match: *"), [unchanged]),
        Row(
            "9110 §13.1.2", "another tag means another state", get(#"If-None-Match: "2""#), [whole]),
        Row(
            "9110 §8.8.3", "a comma within a tag is part of it", get(#"If-None-Match: "0,1""#),
            [whole]),
        Row(
            "9110 §8.8.3.2", "tags are compared by their characters",
            get(#"If-None-Match: "01", "+1", "1 ""#), [whole]),
        Row("9110 §8.8.3", "an unquoted string is not a tag", get("If-None-Match: 1"), [whole]),
    ]

    private static let match: [Row] = [
        Row(
            "9110 §13.1.1", "a client that requires this state gets it", get(#"If-Match: "1""#),
            [whole]),
        Row("9110 §13.1.1", "or any state", get("If-Match: *"), [whole]),
        Row("9110 §13.1.1", "or one of several", get(#"If-Match: "2", "1""#), [whole]),
        Row(
            "9110 §13.1.1", "and nothing if it requires another", get(#"If-Match: "2""#), [refused]),
        Row("9110 §13.1.1", "tags are compared strongly", get(#"If-Match: W/"1""#), [refused]),
        Row(
            "9110 §13.1.3", "without modification dates If-Modified-Since is ignored",
            get("If-Modified-Since: Fri, 31 Dec 2100 23:59:59 GMT"), [whole]),
        Row(
            "9110 §13.1.4", "and If-Unmodified-Since",
            get("If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT"), [whole]),
    ]

    private static let order: [Row] = [
        Row(
            "9110 §13.2.2", "If-Match is checked first",
            get(#"If-Match: "2""#, #"If-None-Match: "1""#), [refused]),
        Row(
            "9110 §13.2.2", "then If-None-Match",
            get(#"If-Match: "1""#, #"If-None-Match: "1""#), [unchanged]),
        Row(
            "9110 §13.1.3", "with If-None-Match, If-Modified-Since is ignored",
            get(
                #"If-None-Match: "2""#, "If-Modified-Since: Fri, 31 Dec 2100 23:59:59 GMT"),
            [whole]),
        Row(
            "9110 §13.2.1", "not for a missing resource",
            asking("GET /v1/locations/source:nowhere", #"If-Match: "1""#), [Expected(404)]),
        Row(
            "9110 §13.2.1", "not before authentication",
            asking("GET \(location)", as: nil, "If-None-Match: *"), [Expected(401)]),
        Row(
            "9110 §13.2.1", "not with OPTIONS",
            asking("OPTIONS \(location)", #"If-Match: "2""#), [Expected(204)]),
    ]

    // MARK: Writes

    private static func put(_ condition: String, name: String = "Annexes") -> WireText {
        asking("PUT /v1/locations/source:annex", condition, body: #"{"name":"\#(name)"}"#)
    }

    private static func patch(_ condition: String) -> WireText {
        asking("PATCH /v1/locations/source:annex", condition, body: #"{"name":"Wing"}"#)
    }

    /// The annex goes from absent to `"1"`, `"2"` and `"3"`.
    static let writes: [Row] = [
        Row(
            "9110 §13.1.1", "If-Match: * requires any existing state", put("If-Match: *"), [refused]
        ),
        Row("9110 §13.1.1", "and a tag requires that state", put(#"If-Match: "1""#), [refused]),
        Row(
            "9110 §13.1.2", "If-None-Match: * creates", put("If-None-Match: *"),
            [Expected(201, fields: [#"ETag: "1""#])]),
        Row("9110 §13.1.2", "and never replaces", put("If-None-Match: *"), [refused]),
        Row(
            "9110 §13.1.2", "If-None-Match with this state prevents the change",
            patch(#"If-None-Match: "0", W/"1""#), [refused]),
        Row(
            "9110 §13.1.1", "so does If-Match with another state", patch(#"If-Match: "0""#),
            [refused]),
        Row("9110 §13.1.1", "and with a weak tag", patch(#"If-Match: W/"1""#), [refused]),
        Row(
            "9110 §13.1.1", "and with something that is not a tag", patch("If-Match: 1"), [refused]),
        Row(
            "9110 §13.1.1", "one of its list permits it",
            patch(#"If-Match: "0","1""#), [Expected(200, fields: [#"ETag: "2""#])]),
        Row("9110 §13.1.1", "once", patch(#"If-Match: "0","1""#), [refused]),
        Row(
            "9110 §13.2.2", "both must hold",
            put(#"If-Match: "2"␍␊If-None-Match: "2""#), [refused]),
        Row(
            "9110 §13.2.2", "and if they do, it is done",
            put(#"If-Match: "2"␍␊If-None-Match: "1""#), [Expected(200, fields: [#"ETag: "3""#])]),
    ]
}
