import Postgres
import School
import Values

extension Statement {
    /// Every organization and its time zone.
    static var exportableOrganizations: Statement {
        "select organization_id, time_zone from school.exportable_organizations()"
    }

    /// Yesterday's date in a time zone.
    static func yesterday(in timeZone: String) -> Statement {
        "select (school.moment() at time zone \(timeZone))::date - 1 as yesterday"
    }

    static func today(in timeZone: String) -> Statement {
        "select (school.moment() at time zone \(timeZone))::date as today"
    }

    /// Locks the organization for this session; false if another run has it. Must run before the snapshot is taken,
    /// so that the snapshot sees what the previous run stored.
    static func lockExport(of organizationID: OrganizationID) -> Statement {
        """
        select pg_try_advisory_lock(hashtextextended(\("export/\(organizationID.uuid)"), 0)) as is_taken
        """
    }

    static func unlockExport(of organizationID: OrganizationID) -> Statement {
        """
        select pg_advisory_unlock(hashtextextended(\("export/\(organizationID.uuid)"), 0)) as is_free
        """
    }

    /// An exported snapshot of an organization, as seen from this transaction; `nil` for none.
    static func snapshot(
        of organizationID: OrganizationID, takenAt: Timestamp?
    ) -> Statement {
        snapshot(
            of: """
                school.export_snapshot as e
                where e.organization_id = \(organizationID) and e.taken_at = \(takenAt)
                order by e.exported_on desc, e.sequence desc
                limit 1
                """)
    }

    /// The end of the audit trail when the last snapshot was made; no row if there is no snapshot or nothing was
    /// sealed.
    static func lastAuditHead(of organizationID: OrganizationID) -> Statement {
        """
        select l.number, l.digest
          from (select e.seal_number as number, e.seal_digest as digest from school.export_snapshot as e
                 where e.organization_id = \(organizationID)
                 order by e.taken_at desc, e.exported_on desc, e.sequence desc limit 1) as l
         where l.number is not null
        """
    }

    /// The time of this transaction, and how many transactions ago the oldest one began that an earlier snapshot did
    /// not see. One row; nulls if there is no usable snapshot: none was exported, it was of another cluster, or its
    /// transaction numbers have been reused since.
    ///
    /// - Parameter export: the export whose snapshot is meant, as `e`: the statement from the name of its table to
    ///   the end.
    static func snapshot(of export: Statement) -> Statement {
        """
        select school.moment() as taken_at, s.taken_at as since, s.age
          from (values (1)) as one
          left join (
               select e.taken_at, age(pg_snapshot_xmin(e.snapshot)::xid) as age,
                      pg_snapshot_xmax(pg_current_snapshot())::text::bigint
                          - pg_snapshot_xmin(e.snapshot)::text::bigint as distance, e.system_id
                 from \(fragment: export)) as s
            on s.system_id = (select system_identifier from pg_control_system())
           and s.distance between 0 and 2000000000
        """
    }

    /// Stores what this transaction saw.
    static func rememberSnapshot(
        of organizationID: OrganizationID, day: Day, takenAt: Timestamp, since: Timestamp?,
        auditHead: AuditHead?
    ) -> Statement {
        """
        insert into school.export_snapshot
               (organization_id, exported_on, sequence, taken_at, since, snapshot, system_id, is_full,
                seal_number, seal_digest)
        select \(organizationID), \(day), coalesce(max(e.sequence), 0) + 1, \(takenAt), \(since),
               pg_current_snapshot(), (select system_identifier from pg_control_system()),
               \(since)::timestamptz is null, \(auditHead?.number), \(auditHead?.digest)
          from school.export_snapshot as e
         where e.organization_id = \(organizationID) and e.exported_on = \(day)
        """
    }

    /// The first day whose folders are kept; null keeps all of them.
    static var exportsKeptFrom: Statement { "select school.exports_kept_from() as kept_from" }

    static func noteRemovedExports(_ folders: Int, keptFrom first: Day) -> Statement {
        "select school.note_removed_exports(\(Int32(folders)), \(first))"
    }

    /// The rows in both formats at once (`CopiedRecord`), so that the statement runs once: as CSV (RFC 4180 with line
    /// feeds) with a header, each row with itself as JSON in its first field. Null is empty, an empty text is `""`.
    static func copy(_ set: DataSet, _ changes: Changes) -> Statement {
        let columns = set.columns.reduce("row_to_json(line) as json" as Statement) {
            "\(fragment: $0), \(fragment: $1.csvValue)"
        }
        return """
            copy (select \(fragment: columns) from (\(fragment: set.rows(changes))) as line)
              to stdout with (format csv, header)
            """
    }
}
