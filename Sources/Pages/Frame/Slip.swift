import CSV
import HTTPServer
import HTTPWire
import JSONBytes
import QRCodes
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
                    name: FullName(
                        given: value("givenName"), family: value("familyName"),
                        isFamilyFirst: value("nameOrder") == "familyFirst"
                    ).text,
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

/// A slip of paper to cut out. Its QR code leads to the sign-in page with the managed ID filled in; the password is for
/// the person to type.
func slip(_ slip: Slip, _ visit: Visit) -> HTML {
    let texts = visit.texts
    return section(.class("slip")) {
        if let code = visit.site.flatMap({ QRCode(visit.signInAddress(at: $0, of: slip.managedID)) }
        ) {
            picture(code)
        }
        h2 { written(slip.name) }
        p(.class("small soft")) {
            dotted([written(visit.person?.school ?? ""), written(slip.classes)])
        }
        if let site = visit.site { p(.class("code")) { site } }
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

/// The code with the quiet zone that readers need. Screen readers pass over it: the address is beside it as text.
func picture(_ code: QRCode) -> HTML {
    let quiet = 4
    let size = code.size + 2 * quiet
    return svg(
        .class("slip-code"), .hidden,
        Attribute("viewBox", "-\(quiet) -\(quiet) \(size) \(size)")
    ) { Tag("path")(Attribute("d", code.path)) {} }
}

extension Visit {
    /// The address of this server, such as `https://school.example`: the one in its settings, otherwise the one in the
    /// visitor's browser.
    var site: String? {
        knownSite
            ?? request.headers["host"]?.nilIfEmpty.map { (isSecure ? "https://" : "http://") + $0 }
    }

    fileprivate func signInAddress(at site: String, of managedID: String) -> String {
        site + LocalPath("/sign-in").with("managedId", managedID).text
    }
}
