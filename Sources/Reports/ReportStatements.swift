import Postgres
import School

extension Statement {
    /// The cells of a report, by task and student.
    ///
    /// Columns stand in the order of the document; `ReportDocument` names the ranges.
    static func report(of handout: HandoutID) -> Statement {
        """
        select handout_id as "id", handout_title as "title", due_at as "dueAt",
               generated_at as "generatedAt",
               task_id as "taskId", task_title as "title", primary_kind as "primaryKind",
               mixed_primary_kinds as "mixedPrimaryKinds",
               average_progress as "progress", average_duration_seconds as "durationSeconds",
               average_score as "score", average_quantity as "quantity",
               positive_share as "positiveShare", students_with_data as "studentsWithData",
               person_id as "personId", given_name as "givenName", family_name as "familyName",
               opened_at as "openedAt", done_at as "doneAt", attempts as "attempts",
               progress as "progress", duration_seconds as "durationSeconds", late as "late",
               primary_item as "primaryItem", progress_off as "progressOff",
               records, is_withdrawn,
               coalesce(((select jsonb_object_agg(u.task_id, u.student_count)
                            from school.unlicensed_students(\(handout)) as u)
                         ->> task_id::text)::integer, 0) as "unlicensed"
          from school.handout_report(\(handout))
        """
    }

    /// The attempts of one student, by task and time.
    static func attempts(
        of person: Reference<PersonEntity>, in handout: HandoutID
    ) -> Statement {
        """
        select handout_id as "id", handout_title as "title", due_at as "dueAt",
               generated_at as "generatedAt",
               person_id as "personId", given_name as "givenName", family_name as "familyName",
               progress_off as "progressOff",
               task_id as "taskId", task_title as "title", opened_at as "openedAt",
               done_at as "doneAt", late as "late",
               activity_id as "activityId", started_at as "startedAt", stopped_at as "stoppedAt",
               duration_seconds as "durationSeconds", progress as "progress",
               is_final as "isFinal", primary_item as "primaryItem",
               additional_items as "additionalItems"
          from school.student_attempts(\(handout), \(person.id), \(person.source))
        """
    }
}
