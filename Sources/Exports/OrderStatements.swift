import JSONBytes
import Postgres
import School
import Values

/// What is asked about ordered exports and said about them, as `school_exporter` unless it says otherwise.
extension Statement {
    /// Adds an order, with the export since which alone changes are wanted. No row: another one is not done,
    /// or there is no such export, or it did not succeed.
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

    /// The one export that is not done.
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

    /// A page of exports, the newest first: their ids rise with time.
    static func exports(_ page: Page, of caller: Caller) -> Statement {
        """
        select \(fragment: exportColumns)
          from school.export as e
         where e.organization_id = \(caller.organizationID)
           and (\(page.isFirst) or e.export_id < \(page.after(0))::uuid)
         order by e.export_id desc
         limit \(page.limitPlusOne)
        """
    }

    private static var exportColumns: Statement {
        """
        e.export_id as "id", e.status, e.since_export_id,
               e.exported_on as "date", e.since, e.taken_at as "snapshotAt", e.row_count as "rows",
               case when e.expires_at <= now() then '[]' else e.files end as "files", e.failure,
               e.created_at, e.updated_at,
               e.started_at, e.finished_at,
               e.expires_at,
               e.status = 'succeeded' and e.expires_at <= now() as "isExpired",
               case when e.status = 'succeeded' and e.expires_at <= now()
                    then coalesce(e.expired_because, 'age') end as "expiredBecause"
        """
    }

    /// The SHA-256 of a file of an export; no row: it has no such file.
    static func file(_ name: String, of id: ExportID, for caller: Caller) -> Statement {
        """
        select f ->> 'sha256' as "sha256"
          from school.export as e
         cross join jsonb_array_elements(e.files) as f
         where e.organization_id = \(caller.organizationID) and e.export_id = \(id)
           and f ->> 'name' = \(name) and e.expires_at > now()
        """
    }

    /// What waits, of whatever organization; as the server's login.
    static let unfinishedExports: Statement = """
        select organization_id, export_id, time_zone from school.unfinished_exports()
        """

    /// Those of the exports whose files go; as the server's login.
    static func expireExports(_ ids: [UUID]) -> Statement {
        "select school.expire_exports(\(ids)) as export_id"
    }

    /// Lets the events of this transaction say with which token the export was ordered.
    static func carryToken(of id: ExportID) -> Statement {
        """
        select set_config('school.session', coalesce(e.session_id::text, ''), true),
               set_config('school.token', coalesce(e.token_id, ''), true)
          from school.export as e
         where e.organization_id = school.my_organization() and e.export_id = \(id)
        """
    }

    /// Waits for erasures that are under way, so that what is read after this is read without whoever they
    /// erase. One that begins later changes the row of the export, and the export is written afresh.
    static func waitForErasures(in organizationID: OrganizationID) -> Statement {
        """
        select pg_advisory_xact_lock(hashtextextended(\("erasing/\(organizationID.uuid)"), 0))
        """
    }

    /// Begins it, once more where a worker died over it. No row: it is done.
    static func begin(_ id: ExportID) -> Statement {
        """
        update school.export
           set status = 'running', attempts = attempts + 1, started_at = coalesce(started_at, school.moment())
         where organization_id = school.my_organization() and export_id = \(id)
           and status in ('queued', 'running')
        returning attempts
        """
    }

    /// What the export that this one goes on from leaves to it.
    static func snapshotBefore(_ id: ExportID) -> Statement {
        snapshot(
            of: """
                school.export as own
                join school.export as e
                  on e.organization_id = own.organization_id and e.export_id = own.since_export_id
                where own.organization_id = school.my_organization() and own.export_id = \(id)
                """)
    }

    /// What this transaction saw, and how long its files stay: a week.
    static func succeed(_ id: ExportID, _ manifest: Manifest) -> Statement {
        """
        update school.export
           set status = 'succeeded', exported_on = \(manifest.day), since = \(manifest.since),
               taken_at = \(manifest.takenAt), snapshot = pg_current_snapshot(),
               system_id = (select system_identifier from pg_control_system()),
               row_count = \(manifest.rows), files = \(JSONDocument(manifest.allFiles.bytes)),
               finished_at = date_trunc('milliseconds', clock_timestamp()),
               expires_at = date_trunc('milliseconds', clock_timestamp()) + interval '7 days'
         where organization_id = school.my_organization() and export_id = \(id)
        """
    }

    static func fail(_ id: ExportID, _ reason: String) -> Statement {
        """
        update school.export
           set status = 'failed', failure = \(reason),
               finished_at = date_trunc('milliseconds', clock_timestamp())
         where organization_id = school.my_organization() and export_id = \(id)
        """
    }
}
