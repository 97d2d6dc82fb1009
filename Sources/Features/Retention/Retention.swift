import API
import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// The end of data: how long an organization keeps each kind of data, and what must not be removed.
///
/// `SQL/functions/retention` decides what is removed; the server's upkeep removes it every night.
package struct Retention: Feature {
    package let meaning = "How long data is kept, and holds that stop its removal."
    let database: Database

    package init(database: Database) {
        self.database = database
    }

    package var endpoints: [Endpoint] { ruleEndpoints + holdEndpoints }

    package var constraints: [String: Problem] { ["retention_hold_stands": .held] }

    // MARK: Rules

    private var ruleEndpoints: [Endpoint] {
        let rules = Shape.object(RetentionShapes.rules)
        return [
            Endpoint(
                .get, "/v1/retention", "Read how long each kind of data is kept",
                for: [.administrator],
                answers: [.json("Every kind, and how much will be removed within 30 days.", rules)],
                cost: 20,
                handler: { .json(try await read(as: $1)) }),
            Endpoint(
                .put, "/v1/retention", "Set how long each kind of data is kept",
                for: [.administrator], body: .json(.object(RetentionShapes.wishes)),
                answers: [
                    .json(
                        "As it is now. A new or shorter rule removes nothing for 30 days; kinds that "
                            + "you leave out are kept for good.", rules)
                ], cost: 20, handler: setRules),
        ]
    }

    func setRules(_ request: Request, _ caller: Caller) async throws -> Response {
        let wishes = try RetentionShapes.checked(try await request.body())
        try await database.transaction(as: caller) { session in
            _ = try await session.query([.takeTime, .set(wishes)])
        }
        return .json(try await read(as: caller))
    }

    private func read(as caller: Caller) async throws -> [UInt8] {
        let rows = try await database.longQuery(.rules, as: caller)
        let nights = try await database.longQuery(.lastNight(of: caller.organizationID), as: caller)
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("rules")
        writer.beginArray()
        for row in 0..<rows.count {
            writer.beginObject()
            try rows.writeMembers(row: row, columns: rows.shownColumns, into: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.key("lastNight")
        if nights.count > 0 {
            writer.beginObject()
            try nights.writeMembers(row: 0, columns: nights.shownColumns, into: &writer)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.endObject()
        return writer.bytes
    }

    // MARK: Holds

    private var holdEndpoints: [Endpoint] {
        let path = "/v1/retention/holds"
        return [
            Endpoint(
                .get, path, "List the holds, oldest first", for: [.administrator],
                answers: [.json("All of them.", .object(RetentionShapes.holds))],
                handler: {
                    try .object(try await database.query(.holds(of: $1.organizationID), as: $1))
                }),
            Endpoint(
                .post, path, "Place a hold on a person's or a class's data",
                description:
                    "As long as it stands, no rule removes the data, and nobody it protects can be erased.",
                for: [.administrator],
                body: .json(.object(RetentionShapes.newHold)),
                answers: [
                    .json(
                        "The hold, which stands from now on.", .object(RetentionShapes.hold),
                        status: 201)
                ],
                handler: placeHold),
            Endpoint(
                .delete, path + "/{id}", "Lift a hold", for: [.administrator],
                answers: [
                    .empty(204, "The hold is lifted: rules and erasures apply to the data again.")
                ],
                handler: liftHold),
        ]
    }

    func placeHold(_ request: Request, _ caller: Caller) async throws -> Response {
        let wish = try HoldWish(try await request.body())
        return try await database.transaction(as: caller) { session in
            let subject = try await session.query(wish.found(in: caller.organizationID))
            guard let row = subject.first else { throw Problem.unknownReference(wish.pointer) }
            let held = try row.uuid("id")
            let id = ID<HoldEntity>(UUID.v7())
            _ = try await session.query([
                .place(id, wish, on: held, of: caller.organizationID),
                .auditHold(wish.kind, held, change: "held"),
            ])
            return try .object(
                try await session.query(.hold(id, of: caller.organizationID)), status: 201)
        }
    }

    func liftHold(_ request: Request, _ caller: Caller) async throws -> Response {
        let id: ID<HoldEntity> = try request.id("id")
        return try await database.transaction(as: caller) { session in
            let lifted = try await session.query(.lift(id, of: caller.organizationID))
            guard let row = lifted.first else { throw Problem.notFound }
            try await session.query(
                .auditHold(
                    HoldWish.Kind(rawValue: try row.text("kind")) ?? .person,
                    try row.uuid("subject_id"), change: "lifted"))
            return .noContent
        }
    }
}

enum HoldEntity {}

/// Who or what a new hold is for, and why.
struct HoldWish {
    enum Kind: String { case person, `class` }

    private enum Subject {
        case person(Reference<PersonEntity>)
        case group(Reference<ClassEntity>)
    }

    let kind: Kind
    let reason: String
    private let subject: Subject

    /// Refuses a body that names both or neither.
    init(_ body: Fields) throws {
        let person: Reference<PersonEntity>? = body.reference("personId")
        let group: Reference<ClassEntity>? = body.reference("classId")
        switch (person, group) {
        case (let person?, nil): (kind, subject) = (.person, .person(person))
        case (nil, let group?): (kind, subject) = (.class, .group(group))
        default:
            throw Problem.invalid(
                "", "one_of", "Name either a person (personId) or a class (classId).")
        }
        reason = body.text("reason") ?? ""
    }

    var pointer: String { kind == .person ? "/personId" : "/classId" }

    /// The id of the person or class; no row if the reference is unknown.
    func found(in organization: OrganizationID) -> Statement {
        switch subject {
        case .person(let person): .idOfPerson(person, in: organization)
        case .group(let group): .idOfClass(group, in: organization)
        }
    }
}
