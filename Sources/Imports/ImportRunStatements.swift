import Postgres
import School
import Values

/// The statements of an import from the archive to the directory (`SQL/functions/imports`).
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

    /// Stores which kinds of rows each file contains, and whether it is complete.
    static func noteScopes(_ files: [ImportFile]) -> Statement {
        let scopes = files.enumerated().flatMap { position, file in
            file.kinds.map { (position, file.layout.name, $0.rawValue, file.isWhole) }
        }
        return """
            insert into pg_temp.staged_scope (position, file, kind, is_whole)
            select * from unnest(\(scopes.map(\.0)), \(scopes.map(\.1)), \(scopes.map(\.2)),
                                 \(scopes.map(\.3)))
            """
    }

    static func analyseStaging() -> Statement {
        """
        select school.analyse_import_staging('staged_location', 'staged_student', 'staged_staff',
                                             'staged_course', 'staged_class', 'staged_seat')
        """
    }

    static func analyseOneRoster() -> Statement {
        """
        select school.analyse_import_staging('given_session', 'given_org', 'given_user', 'given_role',
                                             'given_course', 'given_class', 'given_enrollment')
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

    static func oneRosterMistakes(unread: [String]) -> Statement {
        """
        select file, line, column_name, code, value, known_file, known_line, count(*) over () as total
          from school.oneroster_mistakes(\(unread))
         order by file, line, column_name
         limit 1000
        """
    }

    /// The rows that would make classes too large, once the plan is made.
    static func overfullClasses() -> Statement {
        """
        select file, line, column_name, code, value, known_file, known_line, count(*) over () as total
          from school.import_overfull_classes()
         order by file, line, column_name
         limit 1000
        """
    }

    /// The warnings about skipped rows, once the plan is made.
    static func warnings() -> Statement {
        """
        select file, line, column_name, code, value, known_file, known_line, count(*) over () as total
          from school.import_warnings()
         order by file, line, column_name
         limit 1000
        """
    }

    static func mapOneRoster() -> Statement {
        "select school.map_oneroster()"
    }

    /// Stores the changes of the plan row by row, up to the limit of the list.
    static func keepChanges(of importID: ImportID) -> Statement {
        "select school.keep_import_changes(\(importID))"
    }

    /// A digest of the plan whose rows are stored.
    static func planDigest(of importID: ImportID) -> Statement {
        "select school.import_plan_digest(\(importID)) as digest"
    }

    static func planImport() -> Statement {
        """
        select name, rows, created, changed, unchanged, removed, skipped from school.plan_import()
        """
    }

    static func shrinkage() -> Statement {
        "select kind, removed, present from school.import_shrinkage()"
    }

    /// The current time to the millisecond: the end of the import and of everything that it ends.
    static func importEnd() -> Statement {
        "select school.latest_moment() as ended_at"
    }

    static func apply(_ importID: ImportID, endingAt moment: Timestamp) -> Statement {
        "select school.apply_import(\(importID), \(moment))"
    }
}
