/// In storing and changing: found by letting a school live with the leak.
extension LeakTable {
    static let ofStoring: [Leak] = times + whose + changes + merging + endings + switches + pasts

    /// When an assignment is open.
    private static let times: [Leak] = [
        .function("assigned_tasks", without: "greatest(h.publish_at,", but: "greatest(", seed: 2),
        .function("assigned_tasks", without: "s.joined_at, s.recorded_at,", but: "", seed: 2),
        .function("assigned_tasks", without: "least(h.locked_at,", but: "least(", seed: 2),
        .function("assigned_tasks", without: "h.completed_at,", but: "", seed: 5),
        .function("assigned_tasks", without: "h.deleted_at,", but: "", seed: 4),
        .function("assigned_tasks", without: "s.left_at,", but: "", seed: 3),
        .function("assigned_tasks", without: "c.archived_at,", but: "", seed: 20),
        .function("assigned_tasks", without: "x.deleted_at,", but: "", seed: 22),
        .function(
            "assigned_tasks", without: "tstzrange(l.locked_at, l.unlocked_at)",
            but: "'empty'::tstzrange", seed: 100_006),
        .function(
            "assigned_tasks", without: "then r.created_at else h.for_class_since end",
            but: "then null::timestamptz else null end", seed: 32),
    ]

    /// Whose it is, and of what.
    private static let whose: [Leak] = [
        .function("assigned_tasks", without: "and h.environment = p_environment", but: "", seed: 1),
        .function("assigned_tasks", without: "and t.bundle_id = p_bundle_id", but: "", seed: 5),
        .function("assigned_tasks", without: "and s.role = 'student'", but: "", seed: 1),
        .function(
            "assigned_tasks", without: "(h.recipients = 'class' or r.person_id is not null)",
            but: "true", seed: 1),
        .function(
            "my_taught_class_ids", without: "coalesce(c.archived_at, moment())", but: "moment()",
            seed: 13
        ),
        .function(
            "delete_handout", without: "class_id = any ((select my_taught_class_ids())::uuid[])",
            but: "true",
            seed: 1),
    ]

    /// Who may change what only through a function.
    private static let changes: [Leak] = [
        .function(
            "return_done_work",
            without: "t.class_id = any ((select my_taught_class_ids())::uuid[])", but: "true",
            seed: 2),
        .function(
            "return_done_work", without: "h.publish_at <= moment()", but: "true", seed: 4),
        .function(
            "take_return_back",
            without: "t.class_id = any ((select my_taught_class_ids())::uuid[])", but: "true",
            seed: 9),
    ]

    /// What an upload counts for.
    private static let merging: [Leak] = [
        .function(
            "store_activities", without: "interval '30 days'", but: "interval '300 days'", seed: 1),
        .function("store_activities", without: "t.opens_at <= m.ends_at and", but: "", seed: 2),
        .function("store_activities", without: "t.closes_at > m.begins_at and", but: "", seed: 3),
        .function(
            "store_activities", without: "k.arrived_at, s.arrived_at)", but: "s.arrived_at)",
            seed: 2),
        .function(
            "complete_assignments", without: "and o.closes_at > p_arrived_at", but: "", seed: 3),
    ]

    /// What ends an attempt.
    private static let endings: [Leak] = [
        .function(
            "store_activities", without: "and not t.closed_times @> m.modified_at", but: "", seed: 2
        ),
        .function(
            "count_attempts", without: "where b.is_cut or b.modified_at",
            but: "where false and b.modified_at",
            seed: 2),
        .function(
            "figures_of", without: "p.modified_at < p_next_at + interval '30 seconds'", but: "true",
            seed: 2),
    ]

    private static let switches: [Leak] = [
        .function("store_activities", without: "and not p.is_progress_paused", but: "", seed: 12),
        .function(
            "store_activities", without: "and o.is_student_progress_enabled", but: "", seed: 13),
        .function(
            "set_progress_pause", without: "perform delete_activities",
            but: "-- perform delete_activities", seed: 13),
        .function(
            "set_student_progress", without: "perform delete_activities", but: "null; -- ", seed: 1),
    ]

    /// What is remembered of past intervals.
    private static let pasts: [Leak] = [
        .function(
            "assigned_tasks", without: "tstzrange(f.given_at, f.taken_at)",
            but: "tstzrange(f.given_at, null)", seed: 23),
        .function(
            "assigned_tasks", without: "tstzrange(f.given_at, f.taken_at)",
            but: "'empty'::tstzrange", seed: 7),
        .function(
            "remember_lock", without: "where old.locked_at <",
            but: "where false and old.locked_at <", seed: 100_005),
        .function(
            "remember_archive", without: "h.class_id = old.class_id", but: "false", seed: 100_008),
        .function(
            "remember_class", without: "p_handout.publish_at < moment()", but: "false", seed: 7),
        .function(
            "remember_recipients", without: "h.publish_at < moment()", but: "false", seed: 100_005),
        .function(
            "keep_openings", without: "new.for_class_since := moment();", but: "null;",
            seed: 100_017),
    ]
}
