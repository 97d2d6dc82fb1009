import School
import Values

/// The cast of the tests. Everyone's first token is valid from the start; passwords are `Persona.password`.
package enum Persona: String, CaseIterable, Sendable {
    /// Administrator of Hillside.
    case ada
    /// People manager of Hillside.
    case petra
    /// Manager at Hillside.
    case mara
    /// Teaches Biology.
    case tom
    /// Teaches Biology together with Tom.
    case cora
    /// Teaches Chemistry and nothing else.
    case tess
    /// Sits in Biology.
    case sam
    /// Sits in Biology, too.
    case sue
    /// Sits in Chemistry.
    case ben
    /// The script of Hillside's information system.
    case provisioner
    /// Hillside's nightly job.
    case exporter
    /// Quizzler on Sam's device.
    case samsApp
    case suesApp
    case bensApp
    /// Quizzler on a teacher's device.
    case tomsApp
    /// Administrator of Elsewhere, another organization.
    case olga
    /// Teaches at Elsewhere.
    case otto
    /// Sits in Otto's class.
    case omar
    /// Another system of Hillside that reads the roster.
    case rosterReader
    /// The identity provider of Hillside.
    case directoryWriter
    /// A token of a tool that nobody registered: it may call what tools may, and sees nothing.
    case tool

    /// Everyone's password: good for every policy but the digits.
    package static let password = "Hillside-2026"

    /// The roles at the main location of the organization.
    package var roles: [Standing] {
        switch self {
        case .ada, .olga: [.administrator]
        case .petra: [.peopleManager]
        case .mara: [.manager]
        case .tom, .cora, .tess, .otto: [.teacher]
        case .sam, .sue, .ben, .omar: [.student]
        case .provisioner, .exporter, .rosterReader, .directoryWriter, .tool, .samsApp, .suesApp,
            .bensApp, .tomsApp:
            []
        }
    }

    /// What the token stands for, if not the person's own roles.
    package var fixedStanding: Standing? {
        switch self {
        case .provisioner: .provisioner
        case .exporter: .exporter
        case .rosterReader: .rosterReader
        case .directoryWriter: .directoryWriter
        case .tool: .tool
        case .samsApp, .suesApp, .bensApp, .tomsApp: .app
        default: nil
        }
    }

    /// Whose token it is: the person, the person behind an app, nobody for a service.
    package var person: Persona? {
        switch self {
        case .samsApp: .sam
        case .suesApp: .sue
        case .bensApp: .ben
        case .tomsApp: .tom
        case .provisioner, .exporter, .rosterReader, .directoryWriter, .tool: nil
        default: self
        }
    }

    package var isElsewhere: Bool { [.olga, .otto, .omar].contains(self) }

    package var givenName: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
    package var managedID: String {
        "\(rawValue)@\(isElsewhere ? "elsewhere" : "hillside").example"
    }

    /// The access token that is valid from the start.
    package var token: String { "token-of-\(rawValue)-that-is-long-enough-for-anybody" }

    package var personID: PersonID {
        let own = person ?? self
        let index = Persona.allCases.firstIndex(of: own) ?? 0
        return PersonID(TestIDs.make(0x1000 + UInt64(index)))
    }
}

/// Ids that are the same in every test.
package enum TestIDs {
    package static let hillside = OrganizationID(make(1))
    package static let elsewhere = OrganizationID(make(2))
    package static let mainLocation = LocationID(make(11))
    package static let elsewhereLocation = LocationID(make(12))
    package static let biology = ClassID(make(21))
    package static let chemistry = ClassID(make(22))
    package static let elsewhereClass = ClassID(make(23))
    /// The bundle id of the apps' tokens.
    package static let quizzler = "org.example.quizzler"

    static func make(_ number: UInt64) -> UUID {
        UUID(milliseconds: 1_790_000_000_000, random: (0, number))
    }
}
