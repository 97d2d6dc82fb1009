import Postgres
import Values

/// What an import asks on its way from the archive to the directory (`SQL/functions/imports*.sql`).
extension Statement {
    /// After the first import every archive must be complete.
    static func hasImportedBefore() -> Statement {
        """
        select exists (select from school.import
                        where organization_id = school.my_organization()
                          and mode = 'apply' and status = 'succeeded') as has_imported
        """
    }

    static func beginStaging() -> Statement {
        "select school.begin_import_staging()"
    }

    /// Where the rows of a file go; the columns are the line and then those of the template in their order.
    static func stage(_ template: Template) -> Statement {
        switch template {
        case .locations: "copy pg_temp.staged_location from stdin"
        case .students: "copy pg_temp.staged_student from stdin"
        case .staff: "copy pg_temp.staged_staff from stdin"
        case .courses: "copy pg_temp.staged_course from stdin"
        case .classes: "copy pg_temp.staged_class from stdin"
        case .rosters: "copy pg_temp.staged_seat from stdin"
        }
    }

    static func analyseStaging() -> Statement {
        """
        select school.analyse_import_staging('staged_location', 'staged_student', 'staged_staff',
                                             'staged_course', 'staged_class', 'staged_seat')
        """
    }

    /// The first thousand contradictions between rows, and how many there are.
    static func mistakes(unread: [String]) -> Statement {
        """
        select file, line, column_name, code, value, known_file, known_line, count(*) over () as total
          from school.import_mistakes(\(unread))
         order by file, line, column_name
         limit 1000
        """
    }

    static func planImport() -> Statement {
        "select name, rows, created, changed, unchanged, removed from school.plan_import()"
    }

    static func shrinkage() -> Statement {
        "select kind, removed, present from school.import_shrinkage()"
    }

    /// Now, to the millisecond: the end of the import and of everything that it ends.
    static func importEnd() -> Statement {
        "select date_trunc('milliseconds', clock_timestamp()) as ended_at"
    }

    static func applyImport(endingAt moment: Timestamp) -> Statement {
        "select school.apply_import(\(moment))"
    }
}
