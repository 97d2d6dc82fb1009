import API
import JSONBytes
import Postgres
import School
import Values

/// The statements about ordered exports, run as `school_exporter` unless noted otherwise.
extension Statement {
    /// Adds an order, with the export since which changes are wanted. No row if another one is not done, or if that
    /// export does not exist or did not succeed.
    static func order(_ id: ExportID, since: ExportID?, by caller: Caller) -> Statement {
        """
        insert into school.export (organization_id, export_id, since_export_id)
        select \(caller.organizationID), \(id), \(since)
         where \(since)::uuid is null or exists (
               select from school.export as e
                where e.organization_id = \(caller.organizationID) and e.export_id = \(since)
                  and e.status = 'succeeded')
        on conflict (organization_id) where status in ('queued', 'running') do nothing
        returning export_id
        """
    }

    /// The export that is not done; there is at most one.
    static func exportUnderWay(of caller: Caller) -> Statement {
        """
        select e.export_id from school.export as e
         where e.organization_id = \(caller.organizationID) and e.status in ('queued', 'running')
        """
    }

    static func export(_ id: ExportID, of caller: Caller) -> Statement {
        """
        select \(fragment: exportColumns), e.version
          from school.export as e
         where e.organization_id = \(caller.organizationID) and e.export_id = \(id)
        """
    }

    /// A page of exports, newest first: their ids increase with time.
    static func exports(
        _ page: Page, oldestFirst: Bool, of caller: Caller
    ) throws -> Statement {
        let last = try page.afterID()
        let (isAfter, direction): (Statement, Statement) = oldestFirst ? (">", "") : ("<", "desc")
        return """
            select \(fragment: exportColumns)
              from school.export as e
             where e.organization_id = \(caller.organizationID)
               and (\(page.isFirst) or e.export_id \(fragment: isAfter) \(last)::uuid)
             order by e.export_id \(fragment: direction)
             limit \(page.limitPlusOne)
            """
    }

    private static var exportColumns: Statement {
        """
        e.export_id as "id", e.status, e.since_export_id,
               e.exported_on as "date", e.since, e.taken_at as "snapshotAt", e.row_count as "rows",
               case when e.expires_at <= school.moment() then '[]' else e.files end as "files", e.failure,
               e.created_at, e.updated_at,
               e.started_at, e.finished_at,
               e.expires_at,
               e.status = 'succeeded' and e.expires_at <= school.moment() as "expired",
               case when e.status = 'succeeded' and e.expires_at <= school.moment()
                    then coalesce(e.expired_because, 'age') end as "expiredBecause"
        """
    }

    /// The SHA-256 of a file of an export; no row if it has no such file.
    static func file(_ name: String, of id: ExportID, for caller: Caller) -> Statement {
        """
        select f ->> 'sha256' as "sha256"
          from school.export as e
         cross join jsonb_array_elements(e.files) as f
         where e.organization_id = \(caller.organizationID) and e.export_id = \(id)
           and f ->> 'name' = \(name) and e.expires_at > school.moment()
        """
    }

    /// Unfinished exports of all organizations; as the server's login.
    static let unfinishedExports: Statement = """
        select organization_id, export_id, time_zone from school.unfinished_exports()
        """

    /// Expires exports and returns those whose files are to be removed; as the server's login.
    static func expireExports(_ ids: [UUID]) -> Statement {
        "select school.expire_exports(\(ids)) as export_id"
    }

    /// Records the token of the order in this transaction's audit events.
    static func carryToken(of id: ExportID) -> Statement {
        """
        select set_config('school.session', coalesce(e.session_id::text, ''), true),
               set_config('school.token', coalesce(e.token_id, ''), true)
          from school.export as e
         where e.organization_id = school.my_organization() and e.export_id = \(id)
        """
    }

    /// Waits for erasures in progress, so that everything read afterwards is without the people they erase. An
    /// erasure that begins later changes the row of the export, and the export is written again.
    static func waitForErasures(in organizationID: OrganizationID) -> Statement {
        """
        select pg_advisory_xact_lock(hashtextextended(\("erasing/\(organizationID.uuid)"), 0))
        """
    }

    /// Begins it, or begins it again if a worker died during it. No row if it is done.
    static func begin(_ id: ExportID) -> Statement {
        """
        update school.export
           set status = 'running', attempts = attempts + 1, started_at = coalesce(started_at, school.moment())
         where organization_id = school.my_organization() and export_id = \(id)
           and status in ('queued', 'running')
        returning attempts
        """
    }

    /// The snapshot of the export that this one continues from.
    static func snapshotBefore(_ id: ExportID) -> Statement {
        snapshot(
            of: """
                school.export as own
                join school.export as e
                  on e.organization_id = own.organization_id and e.export_id = own.since_export_id
                where own.organization_id = school.my_organization() and own.export_id = \(id)
                """)
    }

    /// Stores what this transaction saw, and when the files expire: after a week.
    static func succeed(_ id: ExportID, _ manifest: ExportManifest) -> Statement {
        """
        update school.export
           set status = 'succeeded', exported_on = \(manifest.day), since = \(manifest.since),
               taken_at = \(manifest.takenAt), snapshot = pg_current_snapshot(),
               system_id = (select system_identifier from pg_control_system()),
               row_count = \(manifest.rows), files = \(JSONDocument(manifest.allFiles.bytes)),
               finished_at = school.latest_moment(),
               expires_at = school.latest_moment() + interval '7 days'
         where organization_id = school.my_organization() and export_id = \(id)
        """
    }

    static func fail(_ id: ExportID, _ reason: String) -> Statement {
        """
        update school.export
           set status = 'failed', failure = \(reason),
               finished_at = school.latest_moment()
         where organization_id = school.my_organization() and export_id = \(id)
        """
    }
}
