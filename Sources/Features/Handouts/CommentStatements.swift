import API
import Postgres
import School
import Values

enum CommentEntity {}

/// A student's conversation about a handout, as a path names it.
struct ConversationPath: Sendable {
    let handout: HandoutID
    let person: Reference<PersonEntity>

    init(_ request: Request) throws {
        handout = try request.id("id")
        person = try request.reference("personId")
    }
}

extension Statement {
    static func conversations(
        at id: HandoutID, _ caller: Caller, after person: UUID?, limit: Int
    ) -> Statement {
        """
        select c.person_id, count(*) filter (where c.removed_at is null)::integer as "comments",
               coalesce(n.comments, 0) as "newComments", max(c.written_at) as "lastAt"
          from school.comment as c
          left join school.new_comments(array[\(id)::uuid]) as n on n.person_id = c.person_id
         where c.organization_id = \(caller.organizationID) and c.handout_id = \(id)
           and (\(person)::uuid is null or c.person_id > \(person))
         group by c.person_id, n.comments
         order by c.person_id
         limit \(limit)
        """
    }

    /// The student, if the caller sees one who has the handout, or had it and was written to.
    static func conversation(_ path: ConversationPath, _ caller: Caller) -> Statement {
        """
        select p.person_id, coalesce(h.publish_at <= school.moment(), false) as is_published,
               c.archived_at is not null as is_class_archived
          from school.handout as h
          join school.class as c on c.organization_id = h.organization_id and c.class_id = h.class_id
          join school.person as p
            on p.organization_id = h.organization_id
           and p.person_id = \(fragment: path.person.value(in: caller.organizationID))
         where h.organization_id = \(caller.organizationID) and h.handout_id = \(path.handout)
           and (exists (select from school.handout_seats(array[h.handout_id]) as s
                         where s.person_id = p.person_id)
                or exists (select from school.comment as m
                            where m.organization_id = h.organization_id
                              and m.handout_id = h.handout_id and m.person_id = p.person_id))
        """
    }

    static func comments(
        at id: HandoutID, of student: UUID, _ caller: Caller, only: UUID? = nil,
        after last: UUID? = nil, limit: Int
    ) -> Statement {
        let isOfStudents = caller.standing == .teacher
        return """
            with shown as materialized (
                select c.* from school.comment as c
                 where c.organization_id = \(caller.organizationID) and c.handout_id = \(id)
                   and c.person_id = \(student) and (\(only)::uuid is null or c.comment_id = \(only))
                   and (\(last)::uuid is null or c.position > (
                           select l.position from school.comment as l
                            where l.organization_id = \(caller.organizationID) and l.comment_id = \(last)))
                 order by c.position
                 limit \(limit))
            select c.comment_id as "id",
                   case when c.author_id = c.person_id then 'student' else 'teacher' end as "by",
                   w.author, c.author_id is not distinct from \(caller.personID) as "own", c.text,
                   c.written_at as created_at, c.removed_at,
                   c.removed_at is null and (s.position is null or s.position < c.position)
                       and (c.author_id is not distinct from c.person_id) = \(isOfStudents) as "new"
              from shown as c
              left join school.authors_of_comments(array(select l.comment_id from shown as l)) as w
                on w.comment_id = c.comment_id
              left join school.comment_seen as s
                on s.organization_id = c.organization_id and s.reader_id = \(caller.personID)
               and s.handout_id = c.handout_id and s.person_id = c.person_id
             order by c.position
            """
    }

    static func writeComment(
        _ id: UUID, _ text: String, at handout: HandoutID, of student: UUID
    ) -> Statement {
        "select school.write_comment(\(handout), \(student), \(id), \(text)) as is_written"
    }

    static func seeComments(
        at handout: HandoutID, of student: UUID, until last: UUID?
    ) -> Statement {
        "select school.see_comments(\(handout), \(student), \(last)) as is_seen"
    }

    static func removeComment(
        _ id: ID<CommentEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        update school.comment set text = null, removed_at = school.moment()
         where organization_id = \(organization) and comment_id = \(id) and removed_at is null
        """
    }
}
