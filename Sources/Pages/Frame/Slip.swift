import CSV
import HTTPServer
import HTTPWire
import JSONBytes
import Values

/// What a person needs to sign in for the first time, on a slip of paper.
struct Slip: Sendable {
    let name: String
    let classes: String
    let managedID: String
    let password: String
    let expiresAt: Timestamp?

    /// How long hashing a sheet's passwords may take.
    private static let seconds = 180

    /// The slips that the API makes; their passwords are answered this once.
    static func make(_ order: JSONValue, _ visit: Visit) async throws -> [Slip] {
        visit.request.setDeadline(secondsFromNow: seconds)
        let answer = try await visit.api.ask(
            .post, "/v1/sign-in-sheets",
            headers: [
                (name: "Content-Type", value: "application/json"),
                (name: "Accept", value: "text/csv, application/problem+json"),
            ], body: order.bytes)
        let bytes = try await answer.wholeBody()
        guard answer.status == 200 else {
            let document = (try? JSONValue(parsing: bytes)) ?? .null
            throw Refusal(answer, document, requestID: visit.request.requestID)
        }
        var reader = CSVReader(bytes, options: .rfc4180)
        guard let head = try reader.next()?.fields else { throw UnexpectedAnswer() }
        var slips: [Slip] = []
        while let record = try reader.next() {
            func value(_ column: String) -> String {
                head.firstIndex(of: column).map { disarmed(record[$0]) } ?? ""
            }
            slips.append(
                Slip(
                    name: visit.texts.name(
                        given: value("givenName"), family: value("familyName")),
                    classes: value("classes"), managedID: value("managedId"),
                    password: value("temporaryPassword"),
                    expiresAt: Timestamp(value("expiresAt"))))
        }
        return slips
    }

    /// Without the apostrophe that keeps spreadsheets from running a text as a formula.
    private static func disarmed(_ text: String) -> String {
        let rest = text.dropFirst()
        guard text.hasPrefix("'"), let first = rest.first, "=+-@\t\r\n".contains(first) else {
            return text
        }
        return String(rest)
    }
}

/// A slip of paper to cut out.
func slip(_ slip: Slip, _ visit: Visit) -> HTML {
    let texts = visit.texts
    return section(.class("slip")) {
        h2 { written(slip.name) }
        p(.class("small soft")) {
            dotted([written(visit.person?.school ?? ""), written(slip.classes)])
        }
        p(.class("small")) { texts(RosterText.managedID) }
        p(.class("code")) { slip.managedID }
        p(.class("small")) { texts(RosterText.forFirst) }
        p(.class("secret")) { slip.password }
        if let moment = slip.expiresAt {
            p(.class("small soft")) {
                texts(RosterText.validUntil, ["when": visit.moment(moment)])
            }
        }
    }
}
