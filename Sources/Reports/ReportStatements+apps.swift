import Postgres
import School

/// The queries of reports over one app, in the order of their documents.
extension Statement {
    /// The apps in which a class works.
    static func apps(
        of taught: Reference<ClassEntity>, in period: Period, languages: [String]
    ) -> Statement {
        """
        select class_id as "id", class_name as "name", generated_at as "generatedAt",
               bundle_id as "bundleId", app_name as "name", handouts as "handouts", tasks as "tasks",
               attempts as "attempts", duration_seconds as "durationSeconds",
               students_with_data as "studentsWithData", students_off, students_shown
          from school.class_apps(\(taught.id), \(taught.source),
                                 \(fragment: period.start), \(fragment: period.end), \(languages))
        """
    }

    /// The figures of a class in an app, by handout and task. No row: none of its tasks is in that app.
    static func report(
        of bundleID: String, in taught: Reference<ClassEntity>, _ period: Period,
        languages: [String]
    ) -> Statement {
        """
        select class_id as "id", class_name as "name", generated_at as "generatedAt",
               \(bundleID)::text as "bundleId", app_name as "name",
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
               publish_at < (select school.progress_removed_before()) as progress_removed,
               app_name
          from school.class_report(\(taught.id), \(taught.source),
                                   \(fragment: period.start), \(fragment: period.end), null,
                                   \(languages), \(bundleID))
         cross join (select school.app_title(\(bundleID), \(languages)) as app_name) as n
         where school.app_handouts(class_id, \(bundleID), null, null) <> '{}'
        """
    }

    /// What each student of a class came to in an app.
    static func students(
        of bundleID: String, in taught: Reference<ClassEntity>, _ period: Period,
        languages: [String]
    ) -> Statement {
        """
        select class_id as "id", class_name as "name", generated_at as "generatedAt",
               bundle_id as "bundleId", app_name as "name",
               person_id as "personId", given_name as "givenName", family_name as "familyName",
               name_order as "nameOrder",
               progress_off as "progressOff", tasks as "tasks", tasks_opened as "tasksOpened",
               tasks_done as "tasksDone", tasks_late as "tasksLate", tasks_overdue as "tasksOverdue",
               tasks_with_data as "tasksWithData", attempts as "attempts", progress as "progress",
               duration_seconds as "durationSeconds", score as "score",
               positive_share as "positiveShare", app_name
          from school.app_students(\(taught.id), \(taught.source), \(bundleID),
                                   \(fragment: period.start), \(fragment: period.end), \(languages))
        """
    }
}
