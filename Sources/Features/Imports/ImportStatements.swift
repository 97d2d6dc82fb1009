import API
import Postgres
import School

/// The statements of the calls about imports.
extension Statement {
    static func add(
        _ importID: ImportID, mode: String, fileName: String? = nil, bytes: Int,
        isApproved: Bool = false, isStrict: Bool = false, by caller: Caller
    ) -> Statement {
        """
        insert into school.import
               (organization_id, import_id, mode, standing, person_id, service_account_id, is_approved,
                archive_bytes, file_name, is_strict)
        values (\(caller.organizationID), \(importID), \(mode), \(caller.standing.rawValue),
                \(caller.personID), \(caller.serviceAccountID), \(isApproved), \(bytes), \(fileName),
                \(isStrict))
        """
    }

    static func add(
        _ piece: [UInt8], at position: Int, to importID: ImportID, by caller: Caller
    ) -> Statement {
        """
        insert into school.import_archive (organization_id, import_id, position, bytes)
        values (\(caller.organizationID), \(importID), \(position), \(piece))
        """
    }

    static func imports(
        _ page: Page, oldestFirst: Bool, of caller: Caller
    ) throws -> Statement {
        let last = try page.afterID()
        let (isAfter, direction): (Statement, Statement) = oldestFirst ? (">", "") : ("<", "desc")
        return """
            select \(fragment: importColumns)
              from \(fragment: importsAndSenders)
             where i.organization_id = \(caller.organizationID)
               and (\(page.isFirst) or i.import_id \(fragment: isAfter) \(last)::uuid)
             order by i.import_id \(fragment: direction)
             limit \(page.limitPlusOne)
            """
    }

    static func importDetails(_ importID: ImportID, of caller: Caller) -> Statement {
        """
        select \(fragment: importColumns),
               (select coalesce(json_agg(json_build_object(
                           'name', f.name, 'rows', f.rows, 'created', f.created, 'changed', f.changed,
                           'unchanged', f.unchanged, 'removed', f.removed, 'skipped', f.skipped,
                           'leftOut', f.left_out)
                           order by f.position), '[]')
                  from school.import_file as f
                 where f.organization_id = i.organization_id and f.import_id = i.import_id) as "files",
               \(fragment: problems(areWarnings: false)) as "errors",
               \(fragment: problems(areWarnings: true)) as "warnings",
               i.removals, i.tallies, i.ignored_files, i.version
          from \(fragment: importsAndSenders)
         where i.organization_id = \(caller.organizationID) and i.import_id = \(importID)
        """
    }

    private static func problems(areWarnings: Bool) -> Statement {
        """
        (select coalesce(json_agg(json_build_object(
                    'file', p.file, 'line', p.line, 'column', p.column_name, 'code', p.code,
                    'text', p.detail) order by p.position), '[]')
           from school.import_problem as p
          where p.organization_id = i.organization_id and p.import_id = i.import_id
            and p.is_warning = \(areWarnings))
        """
    }

    private static var importColumns: Statement {
        """
        i.import_id as "id", i.mode,
        case when i.undone_at is not null then 'undone' else i.status end as status, i.format, i.progress, i.error_count,
        i.warning_count,
        i.archive_bytes, i.file_name, i.removes_much, i.is_strict as "strict",
        \(fragment: sender) as sent_by, i.created_at, i.updated_at,
        i.started_at, i.finished_at, i.undone_at,
        (select json_build_object(
                    'id', u.person_id, 'givenName', u.given_name, 'familyName', u.family_name,
                    'nameOrder', coalesce(u.name_order, (select school.my_name_order())))
           from school.person as u
          where u.organization_id = i.organization_id and u.person_id = i.undone_by) as undone_by
        """
    }

    /// Row-level security leaves out the names of people whom the caller does not see.
    private static var sender: Statement {
        """
        case when coalesce(i.person_id, i.service_account_id) is not null
             then json_build_object(
                      'kind', case when i.person_id is null then 'serviceAccount' else 'person' end,
                      'id', coalesce(i.person_id, i.service_account_id), 'givenName', sender.given_name,
                      'familyName', sender.family_name,
                      'nameOrder', case when sender.given_name is not null
                                        then coalesce(sender.name_order, (select school.my_name_order())) end,
                      'name', school.service_account_name(i.service_account_id))
        end
        """
    }

    private static var importsAndSenders: Statement {
        """
        school.import as i
          left join school.person as sender
            on sender.organization_id = i.organization_id and sender.person_id = i.person_id
        """
    }

    static func statusForUpdate(of importID: ImportID, by caller: Caller) -> Statement {
        """
        select i.status, exists (
               select from school.import_archive as a
                where a.organization_id = i.organization_id and a.import_id = i.import_id) as has_archive
          from school.import as i
         where i.organization_id = \(caller.organizationID) and i.import_id = \(importID)
           for update of i
        """
    }

    /// It is planned again; a preview is applied only if its plan comes out the same.
    static func approve(_ importID: ImportID, by caller: Caller) -> Statement {
        """
        update school.import
           set mode = 'apply', status = 'queued', is_approved = true, attempts = 0, progress = 0, finished_at = null
         where organization_id = \(caller.organizationID) and import_id = \(importID)
        """
    }
}
