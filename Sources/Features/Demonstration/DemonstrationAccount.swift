import School
import Values

/// A person of the demonstration school whose password is printed.
///
/// The passwords are fixed and public: the school is for trying things out on one's own machine, and nothing in it is
/// real. So every start can print them, and no one has to look for the output of an earlier start. A server that
/// others can reach should not have this school.
package struct DemonstrationAccount: Sendable {
    package let role: Standing
    package let givenName: String
    package let managedID: String
    package let password: String
    /// The id in the archive; `nil` for the administrator, who is created with the organization.
    let sourceID: String?

    package static let administrator = DemonstrationAccount(
        role: .administrator, givenName: "Ada", managedID: "ada.lindqvist@\(domain)",
        password: "granite-bridge-1",
        sourceID: nil)
    package static let teacher = DemonstrationAccount(
        role: .teacher, givenName: "Rosa", managedID: "rosa.delgado@\(domain)",
        password: "silver-willow-1",
        sourceID: DemonstrationSchool.teacherID)
    package static let student = DemonstrationAccount(
        role: .student, givenName: "Mira", managedID: "mira.castell@\(domain)",
        password: "yellow-kite-1",
        sourceID: DemonstrationSchool.studentID)

    /// The bundle id of the app that runs in the browser, and the title of the handout that assigns it.
    package static let quizzlerID = "org.example.tensums"
    package static let handoutToWatch = "Ten sums"

    package static let domain = "harbour.example"
    package static let organizationName = "Harbour Schools"
    /// The organization's name while it is being filled.
    package static let unfinishedName = "Harbour Schools (being filled)"

    /// Always the same, so that a second call finds the organization in any state.
    package static let organizationID = OrganizationID(UUID(high: high, low: low | 1))
    package static let locationID = LocationID(UUID(high: high, low: low | 2))
    package static let administratorID = PersonID(UUID(high: high, low: low | 3))

    /// A UUID of version 7, with the day on which ClassKit was announced.
    private static let high: UInt64 = 0x0163_AE2C_1000_7000
    private static let low: UInt64 = 0x8000_0000_0000_0000
}
