import JSONBytes
import Postgres
import School
import Values

extension Statement {
    /// A title in the reader's best language for each task of an app that has none yet, by position from 0: its
    /// context's title, or the school's name for a whole app without one. Null if no such context or app exists.
    static func titles(
        of tasks: [NewTask], in environment: String, languages: [String]
    ) -> Statement {
        """
        select n.place::int - 1 as place, n.is_context,
               coalesce(c.title, case when not n.is_context then school.app_name(n.bundle_id) end) as title,
               c.is_assignable, c.owner_id, c.titles::text as titles
          from (select a.place, a.task ->> 'bundle_id' as bundle_id,
                       a.task ->> 'kind' = 'appActivity' as is_context,
                       array(select jsonb_array_elements_text(
                           coalesce(nullif(a.task -> 'identifier_path', 'null'), '[]'))) as path
                  from jsonb_array_elements(\(tasks.document)) with ordinality as a (task, place)
                 where a.task ->> 'kind' not in ('link', 'tool') and a.task ->> 'title' is null) as n
          left join lateral school.context_to_assign(
               \(environment), n.bundle_id, n.path, \(languages)) as c on true
        """
    }

    /// The positions from 0 of tasks whose tool the caller may not give to the class.
    static func unusableTools(of tasks: [NewTask], for classID: UUID) -> Statement {
        """
        select a.place::int - 1 as place
          from jsonb_array_elements(\(tasks.document)) with ordinality as a (task, place)
         where not (a.task ->> 'stays')::boolean and a.task ->> 'kind' = 'tool'
           and not school.may_give_tool((a.task ->> 'tool_id')::uuid, \(classID))
         order by a.place limit 1
        """
    }

    /// The tasks of a handout, in order.
    static func tasks(of handout: HandoutID, in organization: OrganizationID) -> Statement {
        """
        select task_id, kind, title, bundle_id, identifier_path, url from school.task
         where organization_id = \(organization) and handout_id = \(handout)
         order by position
        """
    }

    /// Adds the new tasks; their positions are those in the list.
    static func addTasks(
        _ tasks: [NewTask], to handout: HandoutID, of classID: UUID,
        in organization: OrganizationID
    ) -> Statement {
        """
        insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title,
                                 bundle_id, identifier_path, minutes, url, context_owner_id,
                                 titles, tool_id, custom, score_maximum, tool_resource_id, tool_tag,
                                 maximum_points)
        select \(organization), (n.task ->> 'task_id')::uuid, \(handout), \(classID), n.place,
               n.task ->> 'kind', n.task ->> 'title', n.task ->> 'bundle_id',
               case when jsonb_typeof(n.task -> 'identifier_path') = 'array' then
                   array(select jsonb_array_elements_text(n.task -> 'identifier_path')) end,
               (n.task ->> 'minutes')::integer, n.task ->> 'url',
               (n.task ->> 'context_owner_id')::uuid, nullif(n.task -> 'titles', 'null'),
               (n.task ->> 'tool_id')::uuid, nullif(n.task -> 'custom', 'null'),
               (n.task ->> 'score_maximum')::double precision, n.task ->> 'tool_resource_id',
               n.task ->> 'tool_tag', (n.task ->> 'maximum_points')::numeric
          from jsonb_array_elements(\(tasks.document)) with ordinality as n (task, place)
         where not (n.task ->> 'stays')::boolean
        """
    }

    /// Updates the positions and the changeable fields of the tasks that stay.
    static func arrangeTasks(
        _ tasks: [NewTask], of handout: HandoutID, in organization: OrganizationID
    ) -> Statement {
        """
        update school.task as t
           set position = n.place, title = n.task ->> 'title', url = n.task ->> 'url',
               minutes = (n.task ->> 'minutes')::integer,
               maximum_points = (n.task ->> 'maximum_points')::numeric
          from jsonb_array_elements(\(tasks.document)) with ordinality as n (task, place)
         where t.organization_id = \(organization) and t.handout_id = \(handout)
           and t.task_id = (n.task ->> 'task_id')::uuid
        """
    }

    /// Returns the titles of tasks for which something is recorded, unless that is to be removed with them.
    static func removeTasks(
        _ tasks: [TaskID], of handout: HandoutID, discarding isDiscarding: Bool,
        languages: [String]
    ) -> Statement {
        """
        select school.remove_tasks(
                   \(handout), \(tasks.map(\.uuid)), \(isDiscarding), \(languages)) as begun
        """
    }
}
