import Contract
import JSONBytes
import Postgres
import School
import Values

/// The worker's statements about the queue of imports and about one import.
extension Statement {
    static func prepareTurns() -> Statement {
        "select school.prepare_import_turns()"
    }

    /// The next import of an organization that no worker is running, locked until the transaction ends. Imports that
    /// only a newer version can run are left to it.
    static func claim(of organizationID: OrganizationID?) -> Statement {
        """
        select organization_id, import_id, mode, standing, person_id, service_account_id, is_approved,
               plan_digest
          from school.claim_import(\(organizationID), \(knownStandings), \(knownFormats))
        """
    }

    static func analyseDirectory() -> Statement {
        "select school.analyse_directory()"
    }

    static func hasUnfinishedImports() -> Statement {
        "select school.has_unfinished_imports(\(knownStandings), \(knownFormats)) as has_unfinished"
    }

    private static let knownStandings = Standing.allCases.map(\.rawValue)
    private static let knownFormats = ImportFormat.allCases.map(\.rawValue)

    static func beginImport(_ importID: ImportID) -> Statement {
        """
        update school.import
           set status = 'running', attempts = attempts + 1, progress = 0, started_at = school.moment()
         where organization_id = school.my_organization() and import_id = \(importID)
        returning attempts
        """
    }

    static func ordererStands() -> Statement {
        "select school.import_orderer_stands() as stands"
    }

    static func noteProgress(_ importID: ImportID, _ progress: Double) -> Statement {
        """
        update school.import set progress = \(progress)
         where organization_id = school.my_organization() and import_id = \(importID)
           and status = 'running'
        """
    }

    /// The lengths of an archive's pieces, in order.
    static func archiveLengths(_ importID: ImportID) -> Statement {
        """
        select octet_length(bytes) as length from school.import_archive
         where organization_id = school.my_organization() and import_id = \(importID)
         order by position
        """
    }

    static func archivePiece(_ importID: ImportID, _ position: Int) -> Statement {
        """
        select bytes from school.import_archive
         where organization_id = school.my_organization() and import_id = \(importID)
           and position = \(position)
        """
    }

    static func forgetArchive(_ importID: ImportID) -> Statement {
        """
        delete from school.import_archive
         where organization_id = school.my_organization() and import_id = \(importID)
        """
    }

    static func forgetFindings(_ importID: ImportID) -> Statement {
        """
        delete from school.import_problem
         where organization_id = school.my_organization() and import_id = \(importID)
        """
    }

    static func forgetFiles(_ importID: ImportID) -> Statement {
        """
        delete from school.import_file
         where organization_id = school.my_organization() and import_id = \(importID)
        """
    }

    /// Errors first, then warnings.
    static func record(
        errors: [ImportFinding], warnings: [ImportFinding], of importID: ImportID
    ) -> Statement {
        let findings = errors + warnings
        return """
            insert into school.import_problem
                   (organization_id, import_id, position, file, line, column_name, code, detail, is_warning)
            select school.my_organization(), \(importID), n, f, l, c, k, t, n > \(errors.count)
              from unnest(\(findings.map(\.file)), \(findings.map(\.line)), \(findings.map(\.column)),
                          \(findings.map(\.code.rawValue)), \(findings.map(\.text)))
                   with ordinality as u (f, l, c, k, t, n)
            """
    }

    static func record(_ files: [ImportOutcome.File], of importID: ImportID) -> Statement {
        """
        insert into school.import_file
               (organization_id, import_id, position, name, rows, created, changed, unchanged, removed,
                skipped, left_out)
        select school.my_organization(), \(importID), n, f, r, c, d, u, g, s, o
          from unnest(\(files.map(\.name)), \(files.map(\.rows)), \(files.map(\.created)),
                      \(files.map(\.changed)), \(files.map(\.unchanged)), \(files.map(\.removed)), \(files.map(\.skipped)),
                      \(files.map(\.leftOut)))
               with ordinality as w (f, r, c, d, u, g, s, o, n)
        """
    }

    /// An import that only shows its plan becomes a preview, even if it was to be applied.
    static func record(_ outcome: ImportOutcome, of importID: ImportID) -> Statement {
        """
        update school.import
           set mode = case \(outcome.status.rawValue) when 'planned' then 'preview' else mode end,
               plan_digest = \(outcome.planDigest),
               status = \(outcome.status.rawValue), progress = 1, error_count = \(outcome.errorCount),
               warning_count = \(outcome.warningCount),
               format = \(outcome.format?.rawValue), ignored_files = \(outcome.ignoredFiles),
               removals = (select coalesce(jsonb_agg(jsonb_build_object('kind', k, 'removed', r, 'present', p)
                                           order by n), '[]')
                             from unnest(\(outcome.removals.map(\.kind)), \(outcome.removals.map(\.removed)),
                                         \(outcome.removals.map(\.present)))
                                  with ordinality as u (k, r, p, n)),
               tallies = (select coalesce(jsonb_agg(jsonb_build_object('level', v, 'file', f, 'column', c, 'code', k,
                                             'count', a, 'lines', to_jsonb(string_to_array(l, ',')::integer[]))
                                          order by n), '[]')
                            from unnest(\(outcome.tallies.map(\.level.rawValue)), \(outcome.tallies.map(\.file)),
                                        \(outcome.tallies.map(\.column)), \(outcome.tallies.map(\.code)),
                                        \(outcome.tallies.map(\.count)), \(outcome.tallies.map(\.lineList)))
                                 with ordinality as t (v, f, c, k, a, l, n)),
               removes_much = \(outcome.removesMuch), finished_at = \(outcome.endedAt)
         where organization_id = school.my_organization() and import_id = \(importID)
        """
    }

    /// Records the token of the order in this transaction's audit events.
    static func carryToken(of importID: ImportID) -> Statement {
        """
        select set_config('school.session', coalesce(i.session_id::text, ''), true),
               set_config('school.token', coalesce(i.token_id, ''), true)
          from school.import as i
         where i.organization_id = school.my_organization() and i.import_id = \(importID)
        """
    }

    /// One audit event for the whole import: how many rows of each file it created, changed and removed.
    static func audit(_ outcome: ImportOutcome, of importID: ImportID) -> Statement {
        let files = outcome.files.map { file -> JSONValue in
            [
                "file": .text(file.name), "created": .count(file.created),
                "changed": .count(file.changed), "removed": .count(file.removed),
            ]
        }
        return .audit(
            "import", subjectKind: "import", subject: importID.uuid,
            details: ["files": .array(files)])
    }
}

extension JSONValue {
    fileprivate static func count(_ number: Int) -> JSONValue {
        .number(JSONNumber(Int64(number)))
    }
}

extension ImportTally {
    /// Its lines with commas between them.
    fileprivate var lineList: String { lines.map(String.init).joined(separator: ",") }
}
