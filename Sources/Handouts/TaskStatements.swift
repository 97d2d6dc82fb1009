import JSONBytes
import Postgres
import School
import Values

extension Statement {
    /// For each task of an app that has no title yet what it is called, in the reader's best language, by
    /// position from 0: its context's title, the catalog's before an own native one before another's that
    /// the caller sees; for a whole app also what the school calls it. Null: nothing of the kind is there.
    static func titles(
        of tasks: [NewTask], in environment: String, languages: [String], for caller: Caller
    ) -> Statement {
        """
        select n.place::int - 1 as place, n.task ->> 'kind' = 'appActivity' as is_context,
               coalesce(found.title, case when n.task ->> 'kind' <> 'appActivity'
                                          then school.app_name(n.task ->> 'bundle_id') end) as title,
               found.is_assignable, found.person_id as context_owner_id
          from jsonb_array_elements(\(tasks.document)) with ordinality as n (task, place)
          left join lateral (
               select c.title, c.is_assignable, c.person_id from school.context as c
                where c.organization_id = \(caller.organizationID)
                  and c.environment = \(environment)
                  and c.bundle_id = n.task ->> 'bundle_id'
                  and c.identifier_path = array(select jsonb_array_elements_text(
                      coalesce(nullif(n.task -> 'identifier_path', 'null'), '[]')))
                  and c.deleted_at is null
                  and (c.kind = 'catalog' or n.task ->> 'kind' = 'appActivity')
                order by c.kind = 'catalog' desc, c.person_id = \(caller.personID) desc,
                         coalesce(array_position(\(languages)::text[], c.locale),
                                  array_position(\(languages)::text[], split_part(c.locale, '-', 1)),
                                  1000), c.locale, c.context_id
                limit 1) as found on true
         where n.task ->> 'kind' <> 'link' and n.task ->> 'title' is null
        """
    }

    /// The tasks of a handout in their order.
    static func tasks(of handout: HandoutID, in organization: OrganizationID) -> Statement {
        """
        select task_id, kind, title, bundle_id, identifier_path, url from school.task
         where organization_id = \(organization) and handout_id = \(handout)
         order by position
        """
    }

    /// Adds those that are not there yet; their places are those in the list.
    static func addTasks(
        _ tasks: [NewTask], to handout: HandoutID, of classID: UUID,
        in organization: OrganizationID
    ) -> Statement {
        """
        insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title,
                                 bundle_id, identifier_path, minutes, url, context_owner_id)
        select \(organization), (n.task ->> 'task_id')::uuid, \(handout), \(classID), n.place,
               n.task ->> 'kind', n.task ->> 'title', n.task ->> 'bundle_id',
               case when jsonb_typeof(n.task -> 'identifier_path') = 'array' then
                   array(select jsonb_array_elements_text(n.task -> 'identifier_path')) end,
               (n.task ->> 'minutes')::integer, n.task ->> 'url',
               (n.task ->> 'context_owner_id')::uuid
          from jsonb_array_elements(\(tasks.document)) with ordinality as n (task, place)
         where not (n.task ->> 'stays')::boolean
        """
    }

    /// Gives those that stay their places in the list and what may change of them.
    static func arrangeTasks(
        _ tasks: [NewTask], of handout: HandoutID, in organization: OrganizationID
    ) -> Statement {
        """
        update school.task as t
           set position = n.place, title = n.task ->> 'title', url = n.task ->> 'url',
               minutes = (n.task ->> 'minutes')::integer
          from jsonb_array_elements(\(tasks.document)) with ordinality as n (task, place)
         where t.organization_id = \(organization) and t.handout_id = \(handout)
           and t.task_id = (n.task ->> 'task_id')::uuid
        """
    }

    /// Answers the titles of those for which something is recorded, unless that is to go with them.
    static func removeTasks(
        _ tasks: [TaskID], of handout: HandoutID, discarding isDiscarding: Bool
    ) -> Statement {
        "select school.remove_tasks(\(handout), \(tasks.map(\.uuid)), \(isDiscarding)) as begun"
    }
}
