import Postgres
import School
import Values

/// The queries of reports. Columns are in the order of the documents, whose outlines name them.
extension Statement {
    /// The cells of a report, by task and student.
    static func report(of handout: HandoutID, languages: [String]) -> Statement {
        """
        select handout_id as "id", handout_title as "title", due_at,
               generated_at,
               task_id, task_title as "title", primary_kind,
               mixed_primary_kinds,
               average_progress as "progress", average_duration_seconds as duration_seconds,
               average_score as "score", average_quantity as "quantity",
               positive_share, students_with_data,
               person_id, given_name, family_name,
               name_order,
               opened_at, done_at, attempts,
               progress, duration_seconds, late,
               before_joined, returned, primary_item, progress_off,
               task_mark as "mark", handout_mark,
               records, is_withdrawn,
               coalesce(((select jsonb_object_agg(u.task_id, u.student_count)
                            from school.unlicensed_students(\(handout)) as u)
                         ->> task_id::text)::integer, 0) as "unlicensed",
               students_at_limit,
               (select h.publish_at < school.progress_removed_before() from school.handout as h
                 where h.organization_id = (select school.my_organization())
                   and h.handout_id = \(handout)) as progress_removed,
               (select h.version from school.handout as h
                 where h.organization_id = (select school.my_organization())
                   and h.handout_id = \(handout)) as handout_version
          from (select r.*, row_number() over () as nth
                  from school.handout_report(\(handout), \(languages)) as r) as c
          left join (\(fragment: marks(of: handout))) as m
                 on m.marked_person_id = c.person_id and m.marked_task_id = c.task_id
          left join (select w.marked_person_id as whole_person_id, w.task_mark as handout_mark
                       from (\(fragment: marks(of: handout))) as w
                      where w.marked_task_id is null) as w on w.whole_person_id = c.person_id
         order by c.nth
        """
    }

    /// What students were given for a handout, as a whole or for a task.
    private static func marks(of handout: HandoutID) -> Statement {
        """
        select g.person_id as marked_person_id, g.task_id as marked_task_id,
               json_build_object('points', g.points::double precision,
                                 'maximum', g.maximum_points::double precision) as task_mark
          from school.mark as g
         where g.organization_id = (select school.my_organization()) and g.handout_id = \(handout)
           and g.points is not null
        """
    }

    /// The attempts of one student, by task and time, after a page position.
    static func attempts(
        of person: Reference<PersonEntity>, in handout: HandoutID, after position: AttemptPosition?,
        limit: Int, languages: [String]
    ) -> Statement {
        """
        select handout_id as "id", handout_title as "title", due_at,
               generated_at,
               person_id, given_name, family_name,
               name_order,
               progress_off,
               task_id, task_title as "title", opened_at,
               done_at, late, before_joined, returned,
               activity_id, started_at, stopped_at,
               duration_seconds, progress,
               is_final, primary_item,
               additional_items,
               task_position, attempts, has_more
          from school.student_attempts(\(handout), \(person.id), \(person.source), \(Int32(limit)),
                                       \(position.map { Int32($0.position) }), \(position?.startedAt),
                                       \(position?.activity), \(languages))
        """
    }

    /// The items of a task, by item and student, after a page position.
    static func items(
        of task: TaskID, in handout: HandoutID, after position: ItemPosition?, limit: Int,
        languages: [String]
    ) -> Statement {
        """
        select handout_id as "id", handout_title as "title", due_at,
               task_id, task_title as "title",
               generated_at, students_with_data,
               missed_most,
               identifier, item_title as "title", item_kind as "kind",
               mixed_kinds, is_primary,
               students_with_item, students_missed,
               missed_share,
               average_score as "score", average_quantity as "quantity",
               positive_share,
               person_id, given_name, family_name,
               name_order,
               missed, item,
               is_withdrawn, records, students_at_limit,
               (select h.publish_at < school.progress_removed_before() from school.handout as h
                 where h.organization_id = (select school.my_organization())
                   and h.handout_id = \(handout)) as progress_removed, item_position, has_more
          from school.handout_items(\(handout), \(task), \(Int32(limit)),
                                    \(position.map { Int32($0.position) }), \(position?.identifier), \(languages))
        """
    }

    /// What `class_report` says of each handout and task.
    static let taskFigures: Statement = """
        handout_id, handout_title as "title", publish_at, due_at, locked_at, completed_at,
               task_id, task_title as "title", primary_kind, mixed_primary_kinds, students,
               students_opened, students_done, students_late, students_overdue, students_returned,
               average_progress as "progress", average_duration_seconds as duration_seconds,
               average_score as "score", average_quantity as "quantity", positive_share,
               students_with_data, records, is_withdrawn, unlicensed, students_off, students_shown,
               students_at_limit,
               publish_at < (select school.progress_removed_before()) as progress_removed
        """

    /// The figures of a class, by handout and task.
    static func report(
        of taught: Reference<ClassEntity>, in period: Period, since: Timestamp?,
        languages: [String]
    ) -> Statement {
        """
        select class_id as "id", class_name as "name",
               generated_at, removed_handout_ids,
               \(fragment: taskFigures)
          from school.class_report(\(taught.id), \(taught.source),
                                   \(fragment: period.start), \(fragment: period.end), \(since),
                                   \(languages))
        """
    }

    /// What one student did, by handout and task, in one class.
    static func report(
        of student: Reference<PersonEntity>, in taught: Reference<ClassEntity>,
        _ period: Period, for caller: Caller, languages: [String]
    ) -> Statement {
        studentReport(
            """
            coalesce(\(student.id), (select p.person_id from school.person as p
                                      where p.organization_id = \(caller.organizationID)
                                        and p.source_id = \(student.source)))
            """,
            """
            array(select c.class_id from school.class as c
                   where c.organization_id = \(caller.organizationID)
                     and (c.class_id = \(taught.id) or c.source_id = \(taught.source)))
            """, period, languages)
    }

    /// The same for the caller, in every class in which he or she has a seat.
    static func ownReport(
        _ period: Period, for caller: Caller, languages: [String]
    ) -> Statement {
        studentReport(
            "\(caller.personID)::uuid",
            """
            array(select c.class_id from school.class as c
                   where c.organization_id = \(caller.organizationID))
            """, period, languages)
    }

    private static func studentReport(
        _ student: Statement, _ classes: Statement, _ period: Period, _ languages: [String]
    ) -> Statement {
        """
        select person_id, given_name, family_name,
               name_order,
               progress_off, generated_at,
               handout_id, handout_title as "title", class_id,
               class_name, publish_at, due_at,
               locked_at, completed_at,
               task_id, task_title as "title", opened_at,
               done_at, attempts, progress,
               duration_seconds, late, before_joined,
               returned, primary_item,
               is_withdrawn,
               publish_at < (select school.progress_removed_before()) as progress_removed
          from school.student_report(\(fragment: student), \(fragment: classes),
                                     \(fragment: period.start), \(fragment: period.end),
                                     \(languages))
        """
    }
}
