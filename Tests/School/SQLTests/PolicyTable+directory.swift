import Postgres
import School
import TestKit

extension PolicyTable {
    static let access: [PolicyRow] = [
        PolicyRow(
            "organization", "select name as label from school.organization",
            hillside: ["Hillside"],
            elsewhere: ["Elsewhere", "Hillside (development)", "Elsewhere (development)"],
            seenBy: [Standing.rolesOfPeople + Standing.rolesOfServices: .all]),
        PolicyRow(
            "domain_directory", "select domain as label from school.domain_directory",
            hillside: ["hillside.example"], elsewhere: ["elsewhere.example"],
            seenBy: [[.administrator]: .all]),
        PolicyRow(
            "organization_domain", "select domain as label from school.organization_domain",
            hillside: ["hillside.example"], elsewhere: ["elsewhere.example"],
            seenBy: [
                Standing.rolesOfPeople + [.provisioner, .directoryWriter, .rosterReader]: .all
            ]),
        PolicyRow(
            "managed_id_directory",
            "select test.called(person_id) as label from school.managed_id_directory",
            hillside: everybody, elsewhere: everybodyElsewhere,
            seenBy: [Standing.directoryManagers: .all]),
        PolicyRow(
            "development_directory",
            "select test.called(organization_id) as label from school.development_directory",
            hillside: ["Hillside"], elsewhere: ["Elsewhere"]),
        PolicyRow(
            "credential", "select test.called(person_id) as label from school.credential",
            hillside: cast, elsewhere: everybodyElsewhere),
        PolicyRow(
            "sign_in_change",
            "select test.called(person_id) as label from school.sign_in_change",
            hillside: ["sam", "tom"], elsewhere: ["omar"]),
        PolicyRow(
            "session", "select test.called(session_id) as label from school.session",
            hillside: ["session"], elsewhere: ["session elsewhere"]),
        PolicyRow(
            "sign_in_device", "select test.called(person_id) as label from school.sign_in_device",
            hillside: ["sam"], elsewhere: ["omar"]),
        PolicyRow(
            "access_token",
            "select test.called(organization_id) as label from school.access_token",
            hillside: ["Hillside"], elsewhere: ["Elsewhere"]),
        PolicyRow(
            "service_account", "select name as label from school.service_account",
            hillside: ["Sync"], elsewhere: ["Sync elsewhere"],
            seenBy: [[.administrator]: .all]),
        PolicyRow(
            "client_directory",
            "select test.called(organization_id) as label from school.client_directory",
            hillside: ["Hillside"], elsewhere: ["Elsewhere"]),
        PolicyRow(
            "refresh_token",
            "select test.called(organization_id) as label from school.refresh_token",
            hillside: ["Hillside"], elsewhere: ["Elsewhere"]),
    ]

    static let directory: [PolicyRow] = [
        PolicyRow(
            "location", "select test.called(location_id) as label from school.location",
            hillside: ["Main building"], elsewhere: ["Elsewhere's building"],
            seenBy: [Standing.rolesOfPeople + Standing.rolesOfServices: .all]),
        PolicyRow(
            "person", "select test.called(person_id) as label from school.person",
            hillside: everybody, elsewhere: everybodyElsewhere,
            seenBy: [
                directoryReaders + [.exporter, .rosterReader, .directoryWriter]: .all,
                [.teacher]: .only(inClassesOfTom),
                [.student]: .only(["sam"]),
                [.staff]: .only(["stan"]),
            ]),
        PolicyRow(
            "person_role", "select test.called(person_id) as label from school.person_role",
            hillside: everybody, elsewhere: everybodyElsewhere,
            seenBy: [
                directoryReaders + [.exporter, .rosterReader, .directoryWriter]: .all,
                [.teacher]: .only(inClassesOfTom),
                [.student]: .only(["sam"]),
                [.staff]: .only(["stan"]),
            ]),
        PolicyRow(
            "course", "select name as label from school.course",
            hillside: ["Science"], elsewhere: ["Earth"],
            seenBy: [directoryReaders + [.teacher, .student, .exporter, .rosterReader]: .all]),
        PolicyRow(
            "class", "select name as label from school.class",
            hillside: ["Biology", "Chemistry", "Old biology"], elsewhere: ["Geography"],
            seenBy: [
                directoryReaders + [.exporter, .rosterReader, .directoryWriter]: .all,
                [.teacher]: .only(["Biology", "Old biology"]),
                [.student]: .only(["Biology"]),
            ]),
        PolicyRow(
            "seat",
            """
            select test.called(class_id) || ': ' || test.called(person_id) as label from school.seat
            """,
            hillside: seatsOfTomsClasses.union(["Chemistry: tess", "Chemistry: ben"]),
            elsewhere: ["Geography: otto", "Geography: omar"],
            seenBy: [
                directoryReaders + [.exporter, .rosterReader, .directoryWriter]: .all,
                [.teacher]: .only(seatsOfTomsClasses),
                [.student]: .only(["Biology: sam"]),
            ]),
    ]

    /// Who at Hillside has a password.
    private static let cast: Set<String> = [
        "ada", "petra", "mara", "tom", "cora", "tess", "sam", "sue", "ben",
    ]
    private static let everybody = cast.union(["simon", "connie", "stan", "lea", "tara"])
    private static let everybodyElsewhere: Set<String> = ["olga", "otto", "omar"]

    /// Lea and Tara left Biology, and a report still names them; Ben sat in Old biology.
    private static let inClassesOfTom: Set<String> = [
        "tom", "cora", "sam", "sue", "lea", "tara", "ben",
    ]
    private static let seatsOfTomsClasses: Set<String> = [
        "Biology: tom", "Biology: cora", "Biology: sam", "Biology: sue", "Biology: lea",
        "Biology: tara", "Old biology: tom", "Old biology: tara", "Old biology: ben",
    ]
}
