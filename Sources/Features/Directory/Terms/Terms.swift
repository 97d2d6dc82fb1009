import API
import Postgres
import School
import Values

extension Directory {
    private static let kind = Column<String>(
        "kind", .word(TermKind.words),
        "A term can be part of a term whose kind comes before its own.")
    private static let startsOn = Column<Day>("starts_on")
    private static let endsOn = Column<Day>("ends_on", nil, "The first day after it.")
    private static let parent = Column<TermID?>(
        "parent_id", nil, "The larger term that it is a part of.")

    /// School years and their parts.
    static let terms = Resource<TermEntity>(
        .init("term", "terms", at: "/v1/terms"),
        columns: [
            Column<String>("name", .line()), kind, startsOn, endsOn, Column<String?>.sourceID,
            parent,
        ],
        computed: [
            Computed(
                "case when term.closed_at is null then 'open' else 'closed' end as status",
                .required("status", .word(["open", "closed"]))),
            Computed("closed_at") { .orNull($0, .timestamp, "When its classes were archived.") },
        ],
        locked: ["term.closed_at"], filters: termFilters,
        rules: Rules {
            $0.validate = checkDays
            $0.check = { draft, session, caller in
                guard try draft.present?.optionalTimestamp("closed_at") == nil else {
                    throw Problem.termClosed
                }
                try await checkParent(of: draft, session, caller)
                try await checkParts(of: draft, session, caller)
            }
            $0.removed = Rules.auditRemoval
            $0.dependents = { id, organization in
                """
                select (select count(*) from school.class
                         where organization_id = \(organization) and term_id = \(id)) as "classes",
                       (select count(*) from school.term
                         where organization_id = \(organization) and parent_id = \(id)) as "parts"
                """
            }
        }, without: [.batch])

    private static let termFilters: [Filter<TermEntity>] = [
        .equals(kind, "Only terms of this kind."),
        Filter(.optional("status", .word(["open", "closed"]), "Only those with this status.")) {
            request, _ in
            request.query("status").map { "and (term.closed_at is not null) = \($0 == "closed")" }
        },
        Filter(.optional("on", .day, "Only terms that include this day.")) { request, _ in
            request.queryDay("on").map { "and term.starts_on <= \($0) and term.ends_on > \($0)" }
        },
        .refers(parent, "Only the parts of this term."), .name, .sourceID, .updatedSince,
    ]

    var termEndpoints: [Endpoint] {
        let refused = "It overlaps another term, is closed, or another record has this sourceId."
        return Self.terms.endpoints(
            database, readers: Self.readersAndTeachers, writers: Self.writers,
            ResourceTexts(
                summaries: [
                    .list: "List school years and terms",
                    .create: "Create a school year or a part of one",
                    .remove: "Remove a term without classes or parts",
                ], creating: [(409, refused)], changing: [(409, refused)]))
            + closingEndpoints + rolloverEndpoints
    }
}

// MARK: Rules

extension Directory {
    private static func checkDays(of term: Draft<TermEntity>) throws {
        guard term[startsOn] < term[endsOn] else {
            throw Problem.invalid(
                "/endsOn", "ends_before_it_starts",
                "endsOn is the first day after the term, so it is later than startsOn.")
        }
    }

    /// Refuses a parent term that is not of a larger kind, does not cover this one, or is closed. The parent is
    /// locked, so that its days stay the same while this term is written.
    private static func checkParent(
        of term: Draft<TermEntity>, _ session: Session, _ caller: Caller
    ) async throws {
        guard let id = term[parent], let own = TermKind(rawValue: term[kind]) else { return }
        let rows = try await session.query(.lockParent(id, of: caller.organizationID))
        guard let row = rows.first else { throw Problem.unknownReference("/parentId") }
        guard try row.optionalTimestamp("closed_at") == nil else { throw Problem.termClosed }
        guard let larger = TermKind(rawValue: try kind.read(row)), larger.rank < own.rank else {
            throw Problem.invalid(
                "/parentId", "not_larger",
                "A \(own.rawValue) is part of a larger kind of term: "
                    + (TermKind.words.prefix(own.rank).joined(separator: ", ") + "."))
        }
        let (begins, ends) = (try startsOn.read(row), try endsOn.read(row))
        guard term[startsOn] >= begins, term[endsOn] <= ends else {
            throw Problem.invalid(
                term[startsOn] < begins ? "/startsOn" : "/endsOn", "outside_parent",
                "The larger term runs from \(begins) to the day before \(ends).")
        }
    }

    /// Refuses days and a kind that no longer fit the term's parts.
    private static func checkParts(
        of term: Draft<TermEntity>, _ session: Session, _ caller: Caller
    ) async throws {
        guard term.present != nil, let own = TermKind(rawValue: term[kind]) else { return }
        let rows = try await session.query(
            .parts(
                of: term.id, outside: term[startsOn], term[endsOn], of: caller.organizationID))
        guard try rows[0].int("outside") == 0 else {
            throw Problem.invalid(
                "/endsOn", "parts_outside",
                "\(try rows[0].int("outside")) parts of this term would lie outside it.")
        }
        let kinds = try rows[0].textArray("kinds").compactMap(TermKind.init)
        if let largest = kinds.map(\.rank).min(), largest <= own.rank {
            throw Problem.invalid(
                "/kind", "not_larger",
                "It has parts of kind \(TermKind.words[largest]), which must be smaller than the term."
            )
        }
    }
}

extension Statement {
    /// A parent term; its days stay the same until the transaction ends.
    fileprivate static func lockParent(
        _ id: TermID, of organization: OrganizationID
    ) -> Statement {
        """
        select kind, starts_on, ends_on, closed_at from school.term
         where organization_id = \(organization) and term_id = \(id)
           for share
        """
    }

    /// How many parts of a term would lie outside its new days, and of which kinds its parts are.
    fileprivate static func parts(
        of id: TermID, outside startsOn: Day, _ endsOn: Day, of organization: OrganizationID
    ) -> Statement {
        """
        select count(*) filter (where starts_on < \(startsOn) or ends_on > \(endsOn)) as outside,
               coalesce(array_agg(distinct kind), '{}') as kinds
          from school.term
         where organization_id = \(organization) and parent_id = \(id)
        """
    }

    /// Which of the terms are closed; the others stay open until the transaction ends.
    static func closedTerms(among ids: [TermID]) -> Statement {
        """
        select c as id from school.closed_terms(\(ids)) as c
        """
    }
}

extension Problem {
    static let termClosed = Problem(
        409, "term_closed", "The term is closed.",
        detail: "If it was closed by mistake, open it again with DELETE /v1/terms/{id}/closing.")

    static let termsOverlap = Problem(
        409, "terms_overlap", "It overlaps another term of the same kind.",
        errors: [
            Invalid(
                pointer: "/startsOn", code: "terms_overlap",
                detail: "These days overlap another term of the same kind.")
        ])
}
