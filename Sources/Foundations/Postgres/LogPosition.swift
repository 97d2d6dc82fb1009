/// A position in PostgreSQL's write-ahead log, on one timeline.
///
/// A change of the primary begins a new timeline, so that offsets of two timelines cannot be compared: a replica may
/// have more of the old one than the new primary has.
struct LogPosition: Sendable, Equatable {
    let timeline: Int
    /// In bytes from the beginning of the log.
    let offset: Int
}

extension LogPosition {
    /// Reads the columns `timeline` and `log_offset`.
    init(_ row: Row) throws {
        self.init(timeline: try row.int("timeline"), offset: try row.int("log_offset"))
    }
}

/// What a server says about itself, as far as reading from it is concerned.
struct ReplicaState: Sendable, Equatable {
    /// Whether it follows another server.
    let isReplica: Bool
    /// How far it has replayed the log: reads that begin now see everything before that.
    let replayed: LogPosition

    /// Whether reads that begin now see everything that was committed before the position was asked for.
    func hasReached(_ position: LogPosition) -> Bool {
        isReplica && replayed.timeline == position.timeline && replayed.offset >= position.offset
    }
}

extension ReplicaState {
    init(_ rows: Rows) throws {
        let row = rows[0]
        self.init(isReplica: try row.bool("is_replica"), replayed: try LogPosition(row))
    }
}

extension Statement {
    /// Where the primary's log ends now: whatever any session has seen committed lies before it, also commits that do
    /// not wait for the disk. Fails on a server that is not a primary.
    ///
    /// If the last record ends with a page, PostgreSQL reports the position behind the next page's header (24 bytes, at
    /// the beginning of a file 40). No replica replays a header alone.
    static var primaryPosition: Statement {
        """
        select ('x' || left(f.file_name, 8))::bit(32)::integer as timeline,
               (p.lsn - '0/0'::pg_lsn)::bigint
                 - case when f.file_offset = 40 then 40
                        when f.file_offset % current_setting('wal_block_size')::integer = 24 then 24
                        else 0 end as log_offset
          from (select pg_current_wal_insert_lsn() as lsn) as p, pg_walfile_name_offset(p.lsn) as f
        """
    }

    /// What a replica has replayed. The timeline is the one of its last restart point, so after a change of the primary
    /// it is late, but never early.
    static var replicaState: Statement {
        """
        select pg_is_in_recovery() as is_replica,
               coalesce((pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint, 0) as log_offset,
               greatest(c.timeline_id, r.min_recovery_end_timeline) as timeline
          from pg_control_checkpoint() as c, pg_control_recovery() as r
        """
    }
}
