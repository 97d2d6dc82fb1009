import Postgres
import School
import Values

/// The queries of reports. Columns are in the order of the documents, whose outlines name them.
extension Statement {
    /// The cells of a report, by task and student.
    static func report(of handout: HandoutID, languages: [String]) -> Statement {
        """
        select handout_id as "id", handout_title as "title", due_at as "dueAt",
               generated_at as "generatedAt",
               task_id as "taskId", task_title as "title", primary_kind as "primaryKind",
               mixed_primary_kinds as "mixedPrimaryKinds",
               average_progress as "progress", average_duration_seconds as "durationSeconds",
               average_score as "score", average_quantity as "quantity",
               positive_share as "positiveShare", students_with_data as "studentsWithData",
               person_id as "personId", given_name as "givenName", family_name as "familyName",
               name_order as "nameOrder",
               opened_at as "openedAt", done_at as "doneAt", attempts as "attempts",
               progress as "progress", duration_seconds as "durationSeconds", late as "late",
               before_joined as "beforeJoined", returned as "returned", primary_item as "primaryItem", progress_off as "progressOff",
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
          from school.handout_report(\(handout), \(languages))
        """
    }

    /// The attempts of one student, by task and time, after a page position.
    static func attempts(
        of person: Reference<PersonEntity>, in handout: HandoutID, after position: AttemptPosition?,
        limit: Int, languages: [String]
    ) -> Statement {
        """
        select handout_id as "id", handout_title as "title", due_at as "dueAt",
               generated_at as "generatedAt",
               person_id as "personId", given_name as "givenName", family_name as "familyName",
               name_order as "nameOrder",
               progress_off as "progressOff",
               task_id as "taskId", task_title as "title", opened_at as "openedAt",
               done_at as "doneAt", late as "late", before_joined as "beforeJoined", returned as "returned",
               activity_id as "activityId", started_at as "startedAt", stopped_at as "stoppedAt",
               duration_seconds as "durationSeconds", progress as "progress",
               is_final as "isFinal", primary_item as "primaryItem",
               additional_items as "additionalItems",
               task_position, attempts as "attempts", has_more
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
        select handout_id as "id", handout_title as "title", due_at as "dueAt",
               task_id as "taskId", task_title as "title",
               generated_at as "generatedAt", students_with_data as "studentsWithData",
               missed_most as "missedMost",
               identifier as "identifier", item_title as "title", item_kind as "kind",
               mixed_kinds as "mixedKinds", is_primary as "isPrimary",
               students_with_item as "studentsWithItem", students_missed as "studentsMissed",
               missed_share as "missedShare",
               average_score as "score", average_quantity as "quantity",
               positive_share as "positiveShare",
               person_id as "personId", given_name as "givenName", family_name as "familyName",
               name_order as "nameOrder",
               missed as "missed", item as "item",
               is_withdrawn, records, students_at_limit,
               (select h.publish_at < school.progress_removed_before() from school.handout as h
                 where h.organization_id = (select school.my_organization())
                   and h.handout_id = \(handout)) as progress_removed, item_position, has_more
          from school.handout_items(\(handout), \(task), \(Int32(limit)),
                                    \(position.map { Int32($0.position) }), \(position?.identifier), \(languages))
        """
    }

    /// The figures of a class, by handout and task.
    static func report(
        of taught: Reference<ClassEntity>, in period: Period, since: Timestamp?,
        languages: [String]
    ) -> Statement {
        """
        select class_id as "id", class_name as "name",
               generated_at as "generatedAt", removed_handout_ids as "removedHandoutIds",
               handout_id as "handoutId", handout_title as "title", publish_at as "publishAt",
               due_at as "dueAt", locked_at as "lockedAt", completed_at as "completedAt",
               task_id as "taskId", task_title as "title", primary_kind as "primaryKind",
               mixed_primary_kinds as "mixedPrimaryKinds",
               students as "students", students_opened as "studentsOpened",
               students_done as "studentsDone", students_late as "studentsLate",
               students_overdue as "studentsOverdue", students_returned as "studentsReturned",
               average_progress as "progress", average_duration_seconds as "durationSeconds",
               average_score as "score", average_quantity as "quantity",
               positive_share as "positiveShare", students_with_data as "studentsWithData",
               records, is_withdrawn, unlicensed, students_off, students_shown, students_at_limit,
               publish_at < (select school.progress_removed_before()) as progress_removed
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
        select person_id as "personId", given_name as "givenName", family_name as "familyName",
               name_order as "nameOrder",
               progress_off as "progressOff", generated_at as "generatedAt",
               handout_id as "handoutId", handout_title as "title", class_id as "classId",
               class_name as "className", publish_at as "publishAt", due_at as "dueAt",
               locked_at as "lockedAt", completed_at as "completedAt",
               task_id as "taskId", task_title as "title", opened_at as "openedAt",
               done_at as "doneAt", attempts as "attempts", progress as "progress",
               duration_seconds as "durationSeconds", late as "late", before_joined as "beforeJoined",
               returned as "returned", primary_item as "primaryItem",
               is_withdrawn,
               publish_at < (select school.progress_removed_before()) as progress_removed
          from school.student_report(\(fragment: student), \(fragment: classes),
                                     \(fragment: period.start), \(fragment: period.end),
                                     \(languages))
        """
    }
}
