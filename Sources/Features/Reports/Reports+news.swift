import API
import HTTPWire
import Postgres
import School
import Values

/// What happened lately in a teacher's classes, and how far the teacher has looked.
///
/// `teaching_news()` derives it from what the teacher may read now; nothing about it is stored but how far one has
/// looked.
extension Reports {
    var newsEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/me/news", "List what is new in your classes", for: [.teacher],
                query: [
                    .optional("after", .timestamp, "Only what happened later than this.")
                ] + Endpoint.Parameter.page,
                answers: [
                    .page("What happened in the last 30 days, the newest first.", of: .newsItem)
                ],
                problems: Self.forTeachers, cost: 3, reads: .replica, handler: listNews),
            Endpoint(
                .get, "/v1/me/news/seen", "Read how much of the news you have not seen",
                for: [.teacher],
                answers: [.json("How much you have not seen.", .object(.seenNews))],
                problems: Self.forTeachers, reads: .replica, handler: countNews),
            Endpoint(
                .put, "/v1/me/news/seen", "Mark the news as seen up to a moment",
                for: [.teacher], body: .json(.object(.newsPosition)),
                answers: [.json("How much you have not seen from there on.", .object(.seenNews))],
                problems: Self.forTeachers, handler: markNewsSeen),
        ]
    }

    private func listNews(_ request: Request, _ caller: Caller) async throws -> Response {
        let page = try request.page()
        let statement = Statement.news(
            for: caller, later: request.queryTimestamp("after"), after: try NewsPlace(page),
            limit: page.limitPlusOne)
        return try page.response(
            try await database.page(statement, page, isLong: true, as: caller),
            key: { [try $0.timestamp("at").description, try $0.text("id")] }, request: request)
    }

    private func countNews(_ request: Request, _ caller: Caller) async throws -> Response {
        try .object(try await database.longQuery(.unseenNews(of: caller), as: caller))
    }

    private func markNewsSeen(_ request: Request, _ caller: Caller) async throws -> Response {
        let position = try await request.body().timestamp("position")!
        return try await database.transaction(as: caller) { session in
            try await session.query(.seeNews(until: position, caller))
            return try .object(try await session.query(.unseenNews(of: caller)))
        }
    }
}

/// Where a page of news ended.
private struct NewsPlace {
    let moment: Timestamp
    let id: String

    /// `nil` on the first page.
    init?(_ page: Page) throws {
        guard !page.isFirst else { return nil }
        guard let moment = page.after(0).flatMap({ Timestamp($0) }), let id = page.after(1) else {
            throw Problem.foreignPageToken
        }
        self.moment = moment
        self.id = id
    }
}

extension Statement {
    /// How far a teacher has looked who never said so.
    private static let firstSeen: Statement = "school.moment() - interval '7 days'"

    /// Names are looked up for the rows of the page alone.
    fileprivate static func news(
        for caller: Caller, later: Timestamp?, after: NewsPlace?, limit: Int
    ) -> Statement {
        let later: Statement? = later.map { "and n.at > \($0)" }
        let next: Statement? = after.map { "and (n.at, n.id) < (\($0.moment), \($0.id))" }
        let organization = caller.organizationID
        return """
            with item as materialized (
                select n.* from school.teaching_news(null) as n
                 where true \(optional: later) \(optional: next)
                 order by n.at desc, n.id desc limit \(limit))
            select i.id, i.kind, i.at, i.at > coalesce(s.seen_at, \(fragment: firstSeen)) as "unseen",
                   i.class_id, c.name as class_name, i.handout_id, h.title as handout_title,
                   i.announcement_id, left(a.text, 200) as excerpt,
                   (select json_build_object('personId', p.person_id, 'givenName', p.given_name,
                                             'familyName', p.family_name, 'nameOrder', school.name_order_of(p))
                      from school.person as p
                     where p.organization_id = \(organization) and p.person_id = i.author_id) as author,
                   i.student_count,
                   (select coalesce(json_agg(json_build_object(
                               'personId', p.person_id, 'givenName', p.given_name,
                               'familyName', p.family_name, 'nameOrder', school.name_order_of(p))
                               order by p.family_name collate "und-x-icu",
                                        p.given_name collate "und-x-icu", p.person_id), '[]')
                      from school.person as p
                     where p.organization_id = \(organization)
                       and p.person_id = any (i.person_ids)) as students
              from item as i
              join school.class as c
                on c.organization_id = \(organization) and c.class_id = i.class_id
              left join school.handout as h
                on h.organization_id = \(organization) and h.handout_id = i.handout_id
              left join school.announcement as a
                on a.organization_id = \(organization) and a.announcement_id = i.announcement_id
              left join school.news_seen as s
                on s.organization_id = \(organization) and s.person_id = \(caller.personID)
             order by i.at desc, i.id desc
            """
    }

    fileprivate static func unseenNews(of caller: Caller) -> Statement {
        """
        select s.seen_at as "position",
               (select count(*) from school.teaching_news(coalesce(s.seen_at, \(fragment: firstSeen)))) as unseen_count
          from (select (select n.seen_at from school.news_seen as n
                         where n.organization_id = \(caller.organizationID)
                           and n.person_id = \(caller.personID)) as seen_at offset 0) as s
        """
    }

    /// Never back, so that a device that looked earlier does not undo what another one saw, and never beyond now, so
    /// that nothing is missed.
    fileprivate static func seeNews(until position: Timestamp, _ caller: Caller) -> Statement {
        """
        insert into school.news_seen as n (organization_id, person_id, seen_at)
        values (\(caller.organizationID), \(caller.personID), least(\(position), school.moment()))
            on conflict on constraint news_seen_pkey
            do update set seen_at = greatest(n.seen_at, excluded.seen_at)
        """
    }
}

extension ObjectShape {
    private static let kinds = [
        "finished", "allFinished", "doneAgain", "posted", "scheduledPosted", "joined", "left",
        "announcement",
    ]

    fileprivate static let newsPosition = ObjectShape(
        "NewsPosition",
        [
            .required(
                "position", .timestamp,
                "The `at` of the newest item that you saw. An earlier one than you sent before has no effect."
            )
        ])

    fileprivate static let seenNews = ObjectShape(
        "SeenNews",
        [
            .orNull(
                "position", .timestamp,
                "How far you have looked; null: you did not say yet, and what is older than 7 days counts as seen."
            ),
            .required(
                "unseenCount", .integer(0...1_000_000),
                "Items of the last 30 days that happened later."),
        ])

    private static let person = Shape.fields(
        "NewsPerson",
        [
            .required("personId", .uuid), .required("givenName", .line()),
            .required("familyName", .line()), .nameOrder,
        ])

    fileprivate static let newsItem = ObjectShape(
        "NewsItem",
        [
            .required("id", .text(1...200), "The same as long as the item is about the same."),
            .required(
                "kind", .word(kinds),
                "Students marked all tasks of a handout done, everybody did, students did again "
                    + "what was returned, a colleague posted a handout, a scheduled one was posted, "
                    + "students joined or left a class, a colleague posted an announcement."),
            .required(
                "at", .timestamp,
                "When it happened. What several students did on one day is one item; this is when "
                    + "the last of them did."),
            .required("unseen", .boolean, "Whether it happened after what you have seen."),
            .required("classId", .uuid), .required("className", .line()),
            .orNull("handoutId", .uuid), .orNull("handoutTitle", .line()),
            .orNull("announcementId", .uuid),
            .orNull(
                "excerpt", .text(1...200, lines: true), "How the announcement begins."),
            .orNull("author", person, "Who posted it; null if erased."),
            .orNull("studentCount", .integer(1...100_000), "How many students it is about."),
            .required(
                "students", .array(person, count: 0...3),
                "Up to three of those who joined or left."),
        ])
}
