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

    /// What the organization takes, and what the one who ordered it asks for.
    static func importRules(of importID: ImportID) -> Statement {
        """
        select i.is_strict, o.import_left_out_percent as left_out_percent, school.import_today()::text as today
          from school.import as i join school.organization as o on o.organization_id = i.organization_id
         where i.organization_id = school.my_organization() and i.import_id = \(importID)
        """
    }

    /// Takes rows that could not be read out of the staging tables.
    static func takeLeftOut(of files: [String]) -> Statement {
        "select school.take_left_out(\(files))"
    }

    /// Turns the words of School Data Sync into those of OneRoster.
    static func adoptSchoolDataSync(isStrict: Bool) -> Statement {
        "select school.adopt_school_data_sync(\(isStrict))"
    }

    /// Leaves out what contradicts other rows.
    static func settleMistakes(isStandard: Bool, unread: [String]) -> Statement {
        "select school.settle_import_mistakes(\(isStandard), \(unread))"
    }

    static func countedFindings() -> Statement {
        """
        select file, column_name, code, count(*) as n,
               array_to_string((array_agg(distinct line order by line))[1:3], ',') as lines
          from pg_temp.staged_finding group by file, column_name, code order by file, min(line), column_name, code
        """
    }

    /// The first thousand findings with other codes than these.
    static func firstFindings(but codes: [String]) -> Statement {
        """
        select file, line, column_name, code, value, known_file, known_line
          from pg_temp.staged_finding where code <> all (\(codes))
         order by file, line, column_name limit 1000
        """
    }

    static func leftOutRows() -> Statement {
        "select file, rows, counted, line from school.left_out_rows()"
    }

    static func unknownRows() -> Statement {
        "select file, rows, line from school.unknown_rows()"
    }

    static func movedPeople() -> Statement {
        """
        select file, line, column_name, code, value, known_file, known_line, count(*) over () as total
          from school.moved_people()
         order by file, line
         limit 1000
        """
    }

    static func hasStagedPeople() -> Statement {
        """
        select exists (select from pg_temp.staged_student) or exists (select from pg_temp.staged_staff)
               or exists (select from school.people_left_out()) as has_people
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
