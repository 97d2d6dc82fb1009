import Postgres
import School

extension FeatureTable {
    /// The roster over REST. Its calls are the same below both versions of the standard.
    static let oneRoster = FeatureTable(
        calls: oneRosterCalls,
        population: [
            """
            insert into school.roster_tombstone (organization_id, kind, sourced_id)
            values (test.id('Hillside'), 'user', 'gone'), (test.id('Elsewhere'), 'user', 'gone far away')
            """,
            """
            insert into school.roster_place (organization_id, account, request, place, token, sourced_id)
            select id, 'test', sha256('test'), 1, 'test', 'first'
              from (values (test.id('Hillside')), (test.id('Elsewhere'))) as o (id)
            """,
        ],
        policies: [
            PolicyRow(
                "roster_change",
                "select distinct test.called(organization_id) as label from school.roster_change",
                hillside: ["Hillside"], elsewhere: ["Elsewhere"]),
            PolicyRow(
                "roster_place",
                "select test.called(organization_id) as label from school.roster_place",
                hillside: ["Hillside"], elsewhere: ["Elsewhere"]),
            PolicyRow(
                "roster_tombstone",
                "select sourced_id as label from school.roster_tombstone where sourced_id like 'gone%'",
                hillside: ["gone"], elsewhere: ["gone far away"], seenBy: [[.rosterReader]: .all]),
        ],
        rights: [],
        writes: [
            WriteCase(
                .rosterReader, "renames a person",
                "update school.person set given_name = 'Nobody' where person_id = test.id('sam')",
                is: .refused),
            WriteCase(
                .rosterReader, "ends a seat",
                "update school.seat set left_at = now() where person_id = test.id('sam')",
                is: .refused),
            WriteCase(
                .rosterReader, "reads how a person signs in",
                "select password_policy from school.person", is: .refused),
            WriteCase(
                .rosterReader, "counts a change of the roster",
                """
                insert into school.roster_change (organization_id, change_id)
                values (test.id('Hillside'), gen_random_uuid())
                """, is: .refused),
            WriteCase(
                .rosterReader, "asks for the revision", "select school.roster_revision()",
                is: .done),
            WriteCase(
                .provisioner, "asks for the revision", "select school.roster_revision()",
                is: .refused),
        ] + traversals)

    /// A roster reader uses what is noted about its reading by functions alone.
    private static let traversals: [WriteCase] = {
        let functions: [(String, Statement)] = [
            (
                "notes how far it has read",
                "select school.note_read_place('', sha256('another'), 1, 'first', null, '1.1')"
            ),
            (
                "goes on from there",
                "select count(*) from school.read_place('', sha256('another'), 1)"
            ),
        ]
        let direct: [(String, Statement)] = [
            (
                "moves a place to another object",
                "update school.roster_place set sourced_id = 'last' returning 1"
            ),
            ("forgets places", "select school.forget_read_places(1)"),
        ]
        return functions.map { WriteCase(.rosterReader, $0.0, $0.1, is: .done) }
            + functions.map { WriteCase(.provisioner, $0.0, $0.1, is: .refused) }
            + direct.map { WriteCase(.rosterReader, $0.0, $0.1, is: .refused) }
    }()

    private static let collections = [
        "academicSessions", "classes", "courses", "demographics", "enrollments", "gradingPeriods",
        "orgs", "schools", "students", "teachers", "terms", "users",
    ]

    private static let nested = [
        "classes/{classSourcedId}/students", "classes/{classSourcedId}/teachers",
        "courses/{courseSourcedId}/classes", "schools/{schoolSourcedId}/classes",
        "schools/{schoolSourcedId}/classes/{classSourcedId}/enrollments",
        "schools/{schoolSourcedId}/classes/{classSourcedId}/students",
        "schools/{schoolSourcedId}/classes/{classSourcedId}/teachers",
        "schools/{schoolSourcedId}/courses", "schools/{schoolSourcedId}/enrollments",
        "schools/{schoolSourcedId}/students", "schools/{schoolSourcedId}/teachers",
        "schools/{schoolSourcedId}/terms", "students/{studentSourcedId}/classes",
        "teachers/{teacherSourcedId}/classes", "users/{userSourcedId}/classes",
        "terms/{termSourcedId}/classes", "terms/{termSourcedId}/gradingPeriods",
    ]

    private static let oneRosterCalls: String = {
        let paths = collections.flatMap { [$0, "\($0)/{sourcedId}"] } + nested
        let calls = ["/ims/oneroster/v1p1", "/ims/oneroster/rostering/v1p2"].flatMap { base in
            paths.map { "GET \(base)/\($0) rosterReaders" }
        }
        let discovery = [
            ("rostering", "rosters"), ("gradebook", "gradebook"), ("resources", "resources"),
        ].map { part, name in
            "GET /ims/oneroster/\(part)/v1p2/discovery/onerosterv1p2\(name)service_openapi3_v1p0.json anybody"
        }
        let resources = [
            "resources", "resources/{sourcedId}", "classes/{classSourcedId}/resources",
            "courses/{courseSourcedId}/resources",
        ]
        let resourceCalls =
            resources.map { "GET /ims/oneroster/v1p1/\($0) rosterReaders" }
            + (resources + ["users/{userSourcedId}/resources"]).map {
                "GET /ims/oneroster/resources/v1p2/\($0) rosterReaders"
            }
        return (calls + gradebookCalls + resourceCalls + discovery).joined(separator: "\n")
    }()

    private static let gradebookCalls: [String] = {
        let nested = [
            "classes/{classSourcedId}/categories", "classes/{classSourcedId}/lineItems",
            "classes/{classSourcedId}/results",
            "classes/{classSourcedId}/lineItems/{lineItemSourcedId}/results",
            "classes/{classSourcedId}/students/{studentSourcedId}/results",
        ]
        let since12 = [
            "classes/{classSourcedId}/scoreScales", "schools/{schoolSourcedId}/scoreScales",
        ]
        let posts = [
            "classes/{classSourcedId}/lineItems", "schools/{schoolSourcedId}/lineItems",
            "lineItems/{lineItemSourcedId}/results",
            "classes/{classSourcedId}/academicSessions/{academicSessionSourcedId}/results",
        ]
        func calls(_ base: String, _ objects: [String], _ nested: [String]) -> [String] {
            objects.flatMap { name in
                ["GET \(base)/\(name) rosterReaders"]
                    + ["GET", "PUT", "DELETE"].map {
                        "\($0) \(base)/\(name)/{sourcedId} rosterReaders"
                    }
            } + nested.map { "GET \(base)/\($0) rosterReaders" }
        }
        let base = "/ims/oneroster/gradebook/v1p2"
        let objects = ["categories", "lineItems", "results"]
        return calls("/ims/oneroster/v1p1", objects, nested)
            + calls(base, objects + ["scoreScales"], nested + since12)
            + posts.map { "POST \(base)/\($0) rosterReaders" }
    }()
}
