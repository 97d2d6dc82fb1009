import Postgres
import School
import Values

extension Statement {
    private static func handoutColumns(_ languages: [String]) -> Statement {
        """
        select h.handout_id as "id", h.class_id, h.author_id, h.title,
               h.instructions,
               case when h.recipients = 'class' then '"class"'::json
                    else (select coalesce(json_agg(r.person_id order by r.person_id), '[]')
                            from school.handout_recipient as r
                           where r.organization_id = h.organization_id
                             and r.handout_id = h.handout_id) end as "recipients",
               h.environment, \(fragment: state) as "state", h.publish_at,
               h.due_at, h.locked_at, h.completed_at,
               h.archived_at,
               (select coalesce(json_agg(\(fragment: task(languages)) order by t.position), '[]')
                  from school.task as t
                 where t.organization_id = h.organization_id
                   and t.handout_id = h.handout_id) as "tasks",
               \(fragment: marking(of: "h.maximum_points")) as "marking",
               h.created_at, h.updated_at
        """
    }

    private static let state: Statement = """
        case when h.archived_at is not null then 'archived'
             when h.completed_at is not null then 'completed'
             when h.publish_at is null then 'draft'
             when h.publish_at > school.moment() then 'scheduled'
             when h.locked_at is not null then 'locked'
             else 'published' end
        """

    /// A task inside a handout or an assignment, with its title in the best of these languages.
    static func task(_ languages: [String]) -> Statement {
        """
        json_strip_nulls(json_build_object(
            'id', t.task_id, 'kind', t.kind, 'title', school.task_title(t.title, t.titles, \(languages)),
            'bundleId', case when t.tool_id is null then t.bundle_id end,
            'identifierPath', t.identifier_path, 'minutes', t.minutes, 'url', t.url, 'toolId', t.tool_id,
            'toolName', case when t.tool_id is not null then school.tool_name(t.tool_id) end, 'custom', t.custom, 'scoreMaximum', t.score_maximum,
            'resourceId', t.tool_resource_id, 'tag', t.tool_tag,
            'marking', \(fragment: marking(of: "t.maximum_points"))))
        """
    }

    /// How something is marked; null if it is not.
    private static func marking(of maximum: Statement) -> Statement {
        """
        case when \(fragment: maximum) is not null
             then json_build_object('kind', 'points', 'maximum', \(fragment: maximum)::double precision) end
        """
    }

    static func handout(
        _ id: HandoutID, of organization: OrganizationID, languages: [String]
    ) -> Statement {
        """
        \(fragment: handoutColumns(languages)), h.version from school.handout as h
         where h.organization_id = \(organization) and h.handout_id = \(id)
        """
    }

    /// The same for its teacher, with hints about it unless it is a draft.
    static func postedHandout(
        _ id: HandoutID, of organization: OrganizationID, languages: [String]
    ) -> Statement {
        """
        \(fragment: handoutColumns(languages)),
               case when h.publish_at is not null then school.posting_notes(h.handout_id) end as "notes",
               h.version
          from school.handout as h
         where h.organization_id = \(organization) and h.handout_id = \(id)
        """
    }

    /// What a teacher sees; archived handouts only on request. Reads class by class, whose index has the order of the
    /// newest: going through the handouts of the whole school would take longer the more there are.
    static func handouts(
        of organization: OrganizationID, _ filter: HandoutFilter, languages: [String],
        after: HandoutPlace?, limit: Int
    ) -> Statement {
        let order: Statement =
            filter.isByDueTime
            ? "coalesce(h.due_at, 'infinity'), h.handout_id desc" : "h.handout_id desc"
        let found: Statement = """
            \(fragment: handoutColumns(languages))
              from unnest(school.my_taught_class_ids()) as taught (class_id)
             cross join lateral (
                   select h.* from school.handout as h
                    where h.organization_id = \(organization) and h.class_id = taught.class_id
                      \(fragment: conditions(filter, in: organization))
                      \(optional: after.map { next($0, filter) })
                    order by \(fragment: order) limit \(limit)) as h
             order by \(fragment: order) limit \(limit)
            """
        return filter.isCounted ? counted(found, filter) : found
    }

    private static func conditions(
        _ filter: HandoutFilter, in organization: OrganizationID
    ) -> Statement {
        let classID: Statement? = filter.classReference.map {
            "and h.class_id = \(fragment: $0.value(in: organization))"
        }
        let state: Statement =
            filter.state.map { "and \(fragment: Self.state) = \($0)" }
            ?? "and h.archived_at is null"
        let due: Statement? = filter.dueBefore.map { "and h.due_at < \($0)" }
        let updated: Statement? = filter.updatedSince.map { "and h.updated_at >= \($0)" }
        return "\(optional: classID) \(fragment: state) \(optional: due) \(optional: updated)"
    }

    private static func next(_ place: HandoutPlace, _ filter: HandoutFilter) -> Statement {
        guard filter.isByDueTime else { return "and h.handout_id < \(place.id)" }
        return """
            and (coalesce(h.due_at, 'infinity') > coalesce(\(place.dueAt)::timestamptz, 'infinity')
                 or coalesce(h.due_at, 'infinity') = coalesce(\(place.dueAt)::timestamptz, 'infinity')
                    and h.handout_id < \(place.id))
            """
    }

    /// The same page with the counts of its handouts.
    private static func counted(_ found: Statement, _ filter: HandoutFilter) -> Statement {
        let order: Statement =
            filter.isByDueTime ? "coalesce(f.due_at, 'infinity'), f.\"id\" desc" : "f.\"id\" desc"
        return """
            with found as materialized (\(fragment: found))
            select f.*, json_build_object('assigned', n.assigned, 'done', n.done, 'late', n.late,
                                          'overdue', n.overdue) as "counts"
              from found as f
              join school.handout_counts(array(select f."id" from found as f)) as n on n.handout_id = f."id"
             order by \(fragment: order)
            """
    }

    /// The class, if the caller teaches it, and when the day ends there.
    static func classToGiveTo(
        _ reference: Reference<ClassEntity>, dueOn: Day?, of organization: OrganizationID
    ) -> Statement {
        """
        select c.class_id, c.archived_at is not null as is_archived,
               ((\(dueOn)::date + time '23:59') at time zone coalesce(l.time_zone, o.time_zone))
                   ::timestamptz as due_at
          from school.class as c
          join school.location as l
            on l.organization_id = c.organization_id and l.location_id = c.location_id
          join school.organization as o on o.organization_id = c.organization_id
         where c.organization_id = \(organization)
           and c.class_id = \(fragment: reference.value(in: organization))
        """
    }

    /// The students of a class that the references name, by their index in the list, from 0.
    static func students(
        _ references: [Reference<PersonEntity>], of classID: UUID,
        in organization: OrganizationID
    ) -> Statement {
        """
        select n.place::int - 1 as place, p.person_id
          from unnest(\(references.map(\.id?.uuid)), \(references.map(\.source)))
               with ordinality as n (id, source, place)
          join school.person as p
            on p.organization_id = \(organization)
           and (p.person_id = n.id or p.source_id = n.source)
          join school.seat as s
            on s.organization_id = p.organization_id and s.person_id = p.person_id
           and s.class_id = \(classID) and s.role = 'student' and s.left_at is null
        """
    }

    static func give(
        _ handout: NewHandout, to classID: UUID, dueAt: Timestamp?, by caller: Caller
    ) -> Statement {
        """
        insert into school.handout (organization_id, handout_id, class_id, author_id, environment,
                                    title, instructions, recipients, publish_at, due_at, maximum_points)
        values (\(caller.organizationID), \(handout.id), \(classID), \(caller.personID),
                \(handout.environment.rawValue), \(handout.title), \(handout.instructions),
                \(handout.recipients == nil ? "class" : "chosen"),
                greatest(\(handout.publishAt),
                         case when \(handout.publishAt) is not null then school.moment() end),
                \(dueAt), (\(handout.maximumPoints?.text)::text)::numeric)
        """
    }

    static func choose(
        _ people: [UUID], for handout: HandoutID, in organization: OrganizationID
    ) -> Statement {
        """
        insert into school.handout_recipient (organization_id, handout_id, person_id)
        select distinct \(organization), \(handout), person_id from unnest(\(people)) as person_id
        """
    }
}
