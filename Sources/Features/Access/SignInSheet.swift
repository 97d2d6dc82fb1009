import API
import HTTPWire
import Postgres
import School
import Values

/// Temporary passwords for many people, to be handed out.
struct SignInSheet: Sendable {
    /// How many passwords a sheet can have. Each takes a seventh of a second to hash, which makes 36 seconds:
    /// browsers and proxies do not wait longer than that.
    static let slipsMax = 250
    /// How many people are considered for a sheet, including those who are left out.
    static let peopleMax = 1000

    /// One person's slip.
    struct Slip: Sendable {
        let personID: PersonID
        let name: FullName
        /// The person's current classes, as far as the caller sees them.
        let classes: String
        let managedID: String
        let password: String
        let policy: PasswordPolicy
    }

    /// The class or location; `nil` for a list of people.
    var title: String?
    var organization = ""
    let expiresAt: Timestamp
    /// The expiry date in the organization's time zone, such as `9 March 2027`; then today's date.
    var expiresOn = ""
    var madeOn = ""
    private(set) var slips: [Slip] = []
    /// How many people of the class or location have no slip: deactivated, or the caller may not set their password.
    var leftOut = 0

    init(expiresAt: Timestamp) {
        self.expiresAt = expiresAt
    }

    /// Makes a password for a person; a person who is named twice gets one slip.
    mutating func add(_ row: Row) throws {
        let personID = PersonID(try row.uuid("person_id"))
        guard !slips.contains(where: { $0.personID == personID }) else { return }
        let policy = PasswordPolicy(rawValue: try row.text("password_policy")) ?? .standard
        slips.append(
            Slip(
                personID: personID,
                name: FullName(
                    given: try row.text("given_name"), family: try row.text("family_name"),
                    isFamilyFirst: try row.text("name_order") == "familyFirst"),
                classes: try row.optionalText("classes") ?? "",
                managedID: try row.text("managed_id"), password: TemporaryPassword.make(policy),
                policy: policy))
    }

    mutating func head(by rows: Rows) throws {
        organization = try rows[0].text("organization")
        expiresOn = try rows[0].text("expires_on")
        madeOn = try rows[0].text("made_on")
    }
}

/// The body that orders a sheet.
enum SignInSheetShapes {
    static let order = Shape.fields(
        "SignInSheetOrder",
        [
            .optional("classId", .reference, "The students who are in the class now."),
            .optional("locationId", .reference, "The students of the location."),
            .optional(
                "personIds", .array(.reference, count: 1...SignInSheet.slipsMax),
                "These people, in this order. Send exactly one of the three fields."),
        ])
}

extension Problem {
    static let sheetNotAcceptable = Problem(
        406, "not_acceptable", "A sheet is CSV or HTML.",
        detail: "Send Accept: text/csv or text/html.")

    /// Too many sheets are being made; the retry time is what a class takes.
    static let sheetsBusy = Problem(
        429, "too_many_sheets", "Enough sign-in sheets are being made right now.",
        detail: "Try again in a few seconds; no password was set.",
        headers: [ResponseField("Retry-After", "5")])

    static let sheetOutdated = Problem(
        409, "sheet_outdated", "A person on the sheet changed while it was made.",
        detail: "No password was set; order it again.")

    static func sheetIsEmpty(_ pointer: String) -> Problem {
        .invalid(
            pointer, "nobody", "There is no one here whose password you may set.")
    }

    static func sheetIsTooLong(_ pointer: String) -> Problem {
        .invalid(
            pointer, "too_many_people",
            "A sheet has at most \(SignInSheet.slipsMax) people; make one for each class.")
    }
}
