import API
import HTTPWire
import Postgres
import School
import Values

/// Who looked at the work of which students. The calls that show work note it (`School/Viewings.swift`).
extension Audit {
    var viewingEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/viewings", "List who looked at students' work, the latest day first",
                for: [.administrator],
                query: Endpoint.Parameter.page + [
                    .optional(
                        "studentId", .uuid,
                        "Only viewings of this student's work, alone or with the class."),
                    .optional("readerId", .uuid, "Only viewings by this person."),
                    .optional("systemId", .uuid, "Only viewings by this service account."),
                    .optional("classId", .uuid, "Only viewings of work in this class."),
                ] + Self.days,
                answers: [.page("The viewings.", of: AuditShapes.viewing)], handler: listViewings),
            Endpoint(
                .get, "/v1/me/viewings", "List who looked at your work, the latest day first",
                for: [.student], query: Endpoint.Parameter.page + Self.days,
                answers: [.page("The viewings.", of: AuditShapes.ownViewing)],
                handler: listOwnViewings),
        ]
    }

    private static let days: [Endpoint.Parameter] = [
        .optional("from", .day, "Only viewings on this day or later."),
        .optional("to", .day, "Only viewings on this day or earlier."),
    ]

    private func listViewings(_ request: Request, caller: Caller) async throws -> Response {
        try await list(
            ViewingFilter(
                studentID: request.queryID("studentId"), readerID: request.queryID("readerId"),
                systemID: request.queryID("systemId"), classID: request.queryID("classId"),
                from: request.queryDay("from"), to: request.queryDay("to")),
            showing: .all, request, caller)
    }

    private func listOwnViewings(_ request: Request, caller: Caller) async throws -> Response {
        try await list(
            ViewingFilter(from: request.queryDay("from"), to: request.queryDay("to")),
            showing: .own, request, caller)
    }

    private func list(
        _ filter: ViewingFilter, showing: ViewingFilter.Shown, _ request: Request, _ caller: Caller
    ) async throws -> Response {
        if let from = filter.from, let to = filter.to, to < from {
            throw Problem.invalidParameter(
                "to", "The period ends before it begins. Give a day that is not before from.")
        }
        let page = try request.page()
        let statement = Statement.viewings(
            of: caller.organizationID, filter, showing, after: try ViewingPosition(page),
            limit: page.limitPlusOne)
        // A filter may skip years of rows, so this is not a short query.
        let rows = try await database.page(statement, page, isLong: true, as: caller)
        return try page.response(
            rows, key: { [try $0.day("viewed_on").description, try $0.uuid("id").description] },
            request: request)
    }
}

/// The filters of a list of viewings.
struct ViewingFilter: Sendable {
    /// Which columns a list shows.
    enum Shown {
        case all
        /// Those of the student's own work: without the student.
        case own
    }

    var studentID: PersonID?
    var readerID: PersonID?
    var systemID: ServiceAccountID?
    var classID: ClassID?
    let from: Day?
    let to: Day?
}

/// Where a page of viewings ended.
struct ViewingPosition: Sendable {
    let day: Day
    let id: UUID

    /// `nil` on the first page.
    init?(_ page: Page) throws {
        guard !page.isFirst else { return nil }
        guard let day = page.after(0).flatMap({ Day($0) }),
            let id = page.after(1).flatMap({ UUID($0) })
        else { throw Problem.foreignPageToken }
        self.day = day
        self.id = id
    }
}

extension Statement {
    /// Names are looked up under the caller's policies, for the rows of the page alone.
    static func viewings(
        of organization: OrganizationID, _ filter: ViewingFilter, _ shown: ViewingFilter.Shown,
        after: ViewingPosition?, limit: Int
    ) -> Statement {
        let next: Statement? = after.map {
            "and (v.viewed_on, v.viewing_id) < (\($0.day), \($0.id))"
        }
        return """
            with page as materialized (
                select v.* from school.viewing as v
                 where v.organization_id = \(organization) \(fragment: matching(filter))
                   \(optional: next)
                 order by v.viewed_on desc, v.viewing_id desc limit \(limit))
            select v.viewing_id as "id", v.viewed_on, n.*, v.class_id,
                   case when v.student_id is null then 'class' else 'student' end as work_of,
                   v.times, v.first_at, v.last_at
              from page as v cross join lateral \(fragment: names(shown)) as n
             order by v.viewed_on desc, v.viewing_id desc
            """
    }

    private static func matching(_ filter: ViewingFilter) -> Statement {
        let reader: Statement? = filter.readerID.map { "and v.reader_id = \($0)" }
        let system: Statement? = filter.systemID.map { "and v.system_id = \($0)" }
        let taught: Statement? = filter.classID.map { "and v.class_id = \($0)" }
        let from: Statement? = filter.from.map { "and v.viewed_on >= \($0)" }
        let to: Statement? = filter.to.map { "and v.viewed_on <= \($0)" }
        let student: Statement? = filter.studentID.map {
            """
            and (v.student_id = \($0) or v.student_id is null and exists (
                   select from school.seat as s
                    where s.organization_id = v.organization_id and s.class_id = v.class_id
                      and s.person_id = \($0) and s.role = 'student' and s.joined_at <= v.last_at))
            """
        }
        return """
            \(optional: student) \(optional: reader) \(optional: system) \(optional: taught)
            \(optional: from) \(optional: to)
            """
    }

    private static func names(_ shown: ViewingFilter.Shown) -> Statement {
        switch shown {
        case .all:
            """
            (select \(fragment: viewer("v.reader_id")) as reader,
                    (select json_build_object('id', n.id, 'name', a.name)
                       from (select v.system_id as id) as n
                       left join school.service_account as a
                         on a.organization_id = v.organization_id and a.service_account_id = n.id
                      where n.id is not null) as system,
                    \(fragment: viewer("v.student_id")) as student,
                    (select c.name from school.class as c
                      where c.organization_id = v.organization_id and c.class_id = v.class_id) as class_name)
            """
        case .own:
            """
            (select d.reader, d.system, d.class_name from school.describe_my_viewings(array[v.viewing_id]) as d)
            """
        }
    }

    /// A person with the names that the caller may read; null if there is no id.
    private static func viewer(_ id: Statement) -> Statement {
        """
        (select json_build_object(
                    'personId', n.id, 'givenName', p.given_name, 'familyName', p.family_name,
                    'nameOrder', case when p.person_id is not null then school.name_order_of(p) end)
           from (select \(fragment: id) as id) as n
           left join school.person as p
             on p.organization_id = v.organization_id and p.person_id = n.id
          where n.id is not null)
        """
    }
}
