import Postgres
import School

/// The queries of reports over one app, in the order of their documents.
extension Statement {
    /// The apps in which a class works.
    static func apps(
        of taught: Reference<ClassEntity>, in period: Period, languages: [String]
    ) -> Statement {
        """
        select class_id as "id", class_name as "name", generated_at,
               bundle_id, app_name as "name", handouts, tasks,
               attempts, duration_seconds,
               students_with_data, students_off, students_shown
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
        select class_id as "id", class_name as "name", generated_at,
               \(bundleID)::text as bundle_id, app_name as "name",
               \(fragment: taskFigures),
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
        select class_id as "id", class_name as "name", generated_at,
               bundle_id, app_name as "name",
               person_id, given_name, family_name,
               name_order,
               progress_off, tasks, tasks_opened,
               tasks_done, tasks_late, tasks_overdue,
               tasks_with_data, attempts, progress,
               duration_seconds, score,
               positive_share, app_name
          from school.app_students(\(taught.id), \(taught.source), \(bundleID),
                                   \(fragment: period.start), \(fragment: period.end), \(languages))
        """
    }
}
