import API
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Who teaches and sits in a class that teachers made.
extension Privileges {
    private static let roles = ["teacher", "student"]

    var madeRosterEndpoints: [Endpoint] { [candidateEndpoint] + Self.roles.flatMap(seatEndpoints) }

    private var candidateEndpoint: Endpoint {
        Endpoint(
            .get, "/v1/me/classes/{id}/candidates",
            "Search for people to add to a class that teachers made",
            description: """
                Finds at most 20 people with the role at the location of the class, and shows no more than names \
                and the grade of students. You can search 300 times a day.
                """,
            for: [.teacher],
            query: [
                .required("role", .word(Self.roles), "The role in which you want to add them."),
                .required(
                    "q", .line(100),
                    "Parts of names. One needs three letters, or two that are not Latin."),
            ],
            answers: [
                .json(
                    "People with that role at the location of the class who are not in it.",
                    .object(PrivilegeShapes.candidates))
            ],
            problems: [
                (403, "No teacher made the class, or you may not make classes at its location."),
                (409, "The class is archived."),
                (429, "You have searched 300 times today."),
            ], handler: searchCandidates)
    }

    private func seatEndpoints(of role: String) -> [Endpoint] {
        let path = "/v1/me/classes/{id}/\(role)s/{personId}"
        let forbidden = (
            403, "No teacher made the class, or you may not make classes at its location."
        )
        let changed = (412, "The class was changed in the meantime.")
        return [
            Endpoint(
                .put, path, "Add a \(role) to a class that teachers made",
                description:
                    "The person needs the role at the location of the class. Repeating the call changes nothing.",
                for: [.teacher],
                answers: [.empty(204, "The person is in the class.")],
                problems: [forbidden, (409, "The class is archived or full."), changed],
                handler: { try await putSeat(role, $0, $1) }),
            Endpoint(
                .delete, path, "Take a \(role) out of a class that teachers made",
                for: [.teacher], answers: [.empty(204, "Ended.")],
                problems: [
                    forbidden,
                    (
                        409,
                        role == "teacher"
                            ? "The class is archived, or has no other teacher."
                            : "The class is archived."
                    ),
                    changed,
                ], handler: { try await endSeat(role, $0, $1) }),
        ]
    }

    func searchCandidates(_ request: Request, _ caller: Caller) async throws -> Response {
        let id: ClassID = try request.id("id")
        let rows = try await database.transaction(as: caller) { session in
            try await session.query(
                .candidates(for: id, request.query("role") ?? "", request.query("q") ?? ""))
        }
        try Self.check(rows)
        switch try rows[0].text("outcome") {
        case "tooShort": throw Problem.searchTooShort
        case "tooMany": throw Problem.tooManySearches
        default: break
        }
        let people = try rows.dropFirst().map { row -> JSONValue in
            [
                "id": .text(try row.uuid("person_id").description),
                "givenName": .text(try row.text("given_name")),
                "familyName": .text(try row.text("family_name")),
                "nameOrder": .text(try row.text("name_order")),
                "grade": try row.optionalText("grade").map(JSONValue.text) ?? .null,
            ]
        }
        return .json(["items": .array(people)])
    }

    private func putSeat(
        _ role: String, _ request: Request, _ caller: Caller
    ) async throws -> Response {
        let person: PersonID = try request.id("personId")
        return try await hold(request, caller) { session, id in
            let rows = try await session.query(.put(person, as: role, in: id))
            guard try rows[0].text("outcome") != "unknownPerson" else { throw Problem.notFound }
            return .noContent
        }
    }

    private func endSeat(
        _ role: String, _ request: Request, _ caller: Caller
    ) async throws -> Response {
        let person: PersonID = try request.id("personId")
        return try await hold(request, caller) { session, id in
            let rows = try await session.query(.end(person, as: role, in: id))
            switch try rows[0].text("outcome") {
            case "unknownPerson": throw Problem.notFound
            case "lastTeacher": throw Problem.lastTeacher
            default: return .noContent
            }
        }
    }
}
