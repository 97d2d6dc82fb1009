import Postgres
import School
import TestKit
import Testing

/// Functions of the owner see everything, so they check for themselves.
@Suite struct FunctionRights {
    @Test func `nobody can execute internal functions`() async throws {
        try await withPopulatedSchool { populated in
            let internals: Set<String> = [
                "apply_erasure", "assigned_tasks", "audit_chain_head", "audit_event_digest",
                "audit_kinds",
                "audit_seal_digest", "audit_seal_outcome", "erasure_of", "expire_exports_of",
                "broken_audit_events", "broken_audit_seals", "count_failed_try", "rounded",
                "clock_error", "collated_indexes", "count_attempts", "count_failed_device_try",
                "knows_device",
                "remember_device", "session_of", "browser_idle_seconds", "hmac_sha256",
                "subject_of", "client_name", "begin_app_session", "may_still_allow",
                "is_unused_pair", "forget_sign_ins", "person_of_account", "forget_links",
                "is_same_password",
                "is_unused_pair", "forget_sign_ins", "is_still_signed_in", "is_registered_app",
                "is_system_secret", "note_wrong_system_secret",
                "begin_system_session", "take_system_code", "granted_scopes", "person_claims",
                "is_school_address",
                "revoke_system_token", "describe_system_token", "end_system_sessions",
                "signing_key_is_due", "is_former_signing_key", "forget_signing_keys",
                "forget_tool_messages",
                "end_tool_tokens", "tool_subject", "use_tool_token_id", "my_tool_tasks",
                "my_tool_students", "my_tool_line_item", "tool_line_items_max",
                "tool_line_items_ever", "merged_items", "items_digest",
                "delete_activities", "figures_of",
                "merge_parts", "merge_parts_within", "part_bytes", "parts_bytes_max",
                "parts_max",
                "primary_document", "replace_items", "take_out_of_exports",
                "describe_person", "end_service_tokens", "end_session", "end_sessions_of",
                "copy_contexts", "drop_unused_thumbnails", "take_deployment_team",
                "take_deployment_teams", "adopt_contexts_of", "follow_teams_of",
                "empty_development", "lock_development", "made_up_people",
                "offering_organization", "uses_password", "give_up_passwords", "keep_a_provider",
                "make_up_people", "ways_in", "has_signed_in", "has_taught", "is_own_student",
                "sign_in_changes",
                "tell_sign_in_changes", "tell_new_link", "seat_made_up_people",
                "is_only_a_student", "badge_trouble", "badge_holds", "is_in_networks",
                "badge_refusal", "badge_hours_end", "end_badge_sessions", "is_badge_session",
                "refuse_badge", "my_session", "forget_badges",
                "complete_assignments", "forget_statements", "forget_uploads",
                "forget_read_places", "statement_key",
                "hold_handout", "remember_class",
                "native_context_is_given",
                "save_app_context", "store_activities", "forget_native_contexts", "contexts_of_app",
                "my_shown_context_ids", "lock_contexts", "next_change", "number_change",
                "note_removed_contexts", "forget_removed_contexts", "own_context",
                "my_shown_context_ids",
                "privilege_is_granted", "may_make_classes", "made_class_outcome", "is_made_class",
                "hold_privileges_of_caller", "audit_made_class", "may_be_seated",
                "organization_of_client", "reserve_client_id", "free_client_id",
                "retention_cutoff", "held_classes", "held_people", "held_events_begin",
                "aged_handouts", "aged_grades", "old_grades", "remove_grades", "remove_viewings",
                "old_handouts",
                "old_seals", "old_viewings",
                "remove_activities", "remove_handouts", "cut_audit_trail", "take_by_rule",
                "organizations_with_rules", "late_removals", "due_deletions", "late_deletions",
                "is_ending", "tenant_tables",
                "delete_rows_of", "archived_tables", "archived_rows", "restore_rows",
                "pause_triggers", "finish_restoring", "postpone_deletions",
                "is_at_rest", "move_lock", "refuse_elsewhere", "moved_tables", "move_name",
                "guard_moved_table", "unguarded_tables", "move_digest", "set_move_state",
                "note_move", "close_for_move", "has_move_marker", "open_after_move",
                "publish_move", "subscribe_move", "unsubscribe_move", "remove_moved_copy",
                "refuse_token_elsewhere", "restore_move_guards", "hand_over_changes",
                "is_calling_webhooks", "begin_moved_feed", "renew_feeds", "renew_foreign_feeds",
                "next_night", "due_since", "note_roster_failure", "is_roster_failing",
                "pause_after", "has_failed_long",
                "words_of_names", "write_audit_event", "write_temporary_passwords",
                "unfold_import_undo", "take_import_back", "write_undone", "lock_imported",
                "restore_imported", "clock_jump", "clock_waits", "removal_moment",
                "note_first_sign_in", "camel_case",
            ]
            let found = try populated.labels(
                """
                select proname::text as label from pg_proc
                 where pronamespace = 'school'::regnamespace and proname = any (\(Array(internals)))
                """)
            #expect(found == internals)
            let executable = try populated.labels(
                """
                select format('%s by %s', p.proname, r.rolname) as label
                  from pg_proc as p cross join pg_roles as r
                 where p.pronamespace = 'school'::regnamespace and p.proname = any (\(Array(internals)))
                   and r.rolname like 'school\\_%' and r.rolname <> 'school_owner'
                   and has_function_privilege(r.oid, p.oid, 'execute')
                """)
            #expect(executable.isEmpty)
        }
    }

    @Test func `functions that sign people in are for the server and no standing`() async throws {
        try await withPopulatedSchool { populated in
            let executable = try populated.labels(
                """
                select format('%s by %s', p.proname, r.rolname) as label
                  from pg_proc as p cross join pg_roles as r
                 where p.pronamespace = 'school'::regnamespace
                   and p.proname in ('identify', 'is_former_token', 'former_tokens', 'find_credential', 'start_session',
                                     'renew_password_record', 'sign_in_organization',
                                     'rotate_refresh', 'sign_out', 'note_first_use', 'exchange_code', 'begin_device_code',
                                     'exchange_device_code', 'revoke_app_token', 'revoke_service_token', 'introspect',
                                     'offered_providers', 'is_without_passwords', 'are_providers_by_domain', 'find_sign_in_provider',
                                     'sign_in_with_provider', 'record_failed_provider',
                                     'exchange_device_code', 'revoke_app_token', 'revoke_client_token', 'introspect',
                                     'exchange_system_code', 'refresh_system_token', 'userinfo', 'find_redirects',
                                     'id_token_algorithm', 'logout_request',
                                     'current_signing_key', 'offer_signing_key', 'published_signing_keys',
                                     'tool_client', 'note_failed_tool',
                                     'issue_tool_token', 'take_deep_links',
                                     'create_token', 'subject_of_token', 'create_organization',
                                     'has_due_roster_pull', 'claim_roster_pull', 'renew_roster_pull',
                                     'finish_roster_pull', 'fail_roster_pull',
                                     'service_figures', 'issue_service_token', 'is_service_secret', 'is_client_secret',
                                     'list_organizations', 'list_tokens', 'revoke_listed_token',
                                     'due_removals', 'remove_by_rules', 'order_deletion', 'cancel_deletion',
                                     'ending_organizations', 'delete_ending',
                                     'reset_password', 'pending_uploads', 'claim_uploads', 'store_uploads',
                                     'note_upload_failure', 'retry_failed_uploads', 'upload_backlog',
                                     'undo_import', 'list_administrators', 'create_administrator',
                                     'expire_passwords', 'replace_signing_keys',
                                     'applied_objects', 'foreign_keys', 'rows_without_parents',
                                     'unsealed_secrets', 'seal_secret', 'keys_of_secrets', 'is_local', 'set_local',
                                     'look_at_clock', 'accept_clock', 'due_by_clock', 'mend_future')
                   and r.rolname like 'school\\_%'
                   and r.rolname not in ('school_owner', 'school_server')
                   and has_function_privilege(r.oid, p.oid, 'execute')
                """)
            #expect(executable.isEmpty)
        }
    }

    @Test func `a temporary password is for people whose roles the caller may give`() async throws {
        try await withPopulatedSchool { populated in
            let expected: [(Standing, String, String)] = [
                (.administrator, "ada", "set"), (.administrator, "sam", "set"),
                (.administrator, "omar", "unknown"),
                (.peopleManager, "ada", "forbidden"), (.peopleManager, "simon", "set"),
                (.peopleManager, "tom", "forbidden"), (.peopleManager, "tara", "set"),
                (.peopleManager, "tara", "forbidden"), (.peopleManager, "omar", "unknown"),
                (.siteManager, "ada", "forbidden"), (.siteManager, "petra", "set"),
                (.siteManager, "tom", "forbidden"), (.siteManager, "sue", "set"),
                (.provisioner, "ada", "forbidden"), (.provisioner, "sue", "forbidden"),
                (.provisioner, "connie", "forbidden"), (.provisioner, "lea", "set"),
                (.provisioner, "lea", "forbidden"), (.provisioner, "omar", "unknown"),
                (.manager, "simon", "forbidden"), (.manager, "stan", "set"),
                (.manager, "stan", "set"), (.manager, "tom", "forbidden"),
                (.manager, "sam", "set"), (.manager, "omar", "unknown"),
                (.teacher, "sue", "set"), (.teacher, "cora", "forbidden"),
                (.teacher, "ben", "forbidden"), (.teacher, "lea", "forbidden"),
                (.teacher, "omar", "unknown"),
            ]
            for (standing, name, outcome) in expected {
                let said = try populated.school.sql(
                    """
                    select school.set_temporary_password(test.id(\(name)), 'record', now()) as said
                    """, as: populated.caller(standing))
                #expect(try said[0].text("said") == outcome, "\(standing) for \(name)")
            }
            let others: [Standing] = [
                .contentManager, .staff, .student, .exporter, .developer, .app,
            ]
            for standing in others {
                let outcome = try populated.attempt(
                    "select school.set_temporary_password(test.id('sam'), 'record', now())",
                    as: populated.caller(standing))
                #expect(outcome == .refused, "\(standing)")
            }
        }
    }

    @Test func `the switches of progress are for those who may turn them`() async throws {
        try await withPopulatedSchool { populated in
            for standing in Standing.allCases {
                let caller = populated.caller(standing)
                let school = try populated.attempt(
                    "select school.set_student_progress(false, true)", as: caller)
                #expect(school == (standing == .administrator ? .done : .refused), "\(standing)")
                let mayPause: [Standing] = [.administrator, .peopleManager, .siteManager]
                let student = try populated.attempt(
                    "select school.set_progress_pause(test.id('sam'), true)", as: caller)
                #expect(student == (mayPause.contains(standing) ? .done : .refused), "\(standing)")
            }
        }
    }

    @Test func `pausing a student deletes that student's activities and marks it for the export`()
        async throws
    {
        try await withPopulatedSchool { populated in
            let answer = try populated.school.sql(
                "select school.set_progress_pause(test.id('omar'), true) as is_known",
                as: populated.caller(.administrator))
            #expect(try !answer[0].bool("is_known"), "omar is elsewhere")
            try populated.school.sql(
                "select school.set_progress_pause(test.id('sam'), true)",
                as: populated.caller(.administrator))
            let left = try populated.labels(PrivacyRules.activities)
            #expect(
                left == [
                    "sue did published", "lea did published", "sue did for sue", "ben did reaction",
                    "omar did rivers",
                ])
            let found = try populated.labels(
                """
                select test.called(subject_id) as label from school.deletion where kind = 'activity'
                """)
            #expect(found == ["sam did published", "sam did deleted", "sam did nothing assigned"])
        }
    }

    @Test func `a teacher deletes handouts of their own classes and no draft of a colleague`()
        async throws
    {
        try await withPopulatedSchool { populated in
            let cases: [(String, Bool)] = [
                ("published", true), ("published", false), ("draft", true),
                ("draft of cora", false), ("reaction", false), ("rivers", false),
            ]
            for (handout, isDeleted) in cases {
                let answer = try populated.school.sql(
                    "select school.delete_handout(test.id(\(handout)), null) as is_deleted",
                    as: populated.caller(.teacher))
                #expect(try answer[0].bool("is_deleted") == isDeleted, "\(handout)")
            }
            for standing in Standing.allCases where standing != .teacher {
                let outcome = try populated.attempt(
                    "select school.delete_handout(test.id('for sam'), null)",
                    as: populated.caller(standing))
                #expect(outcome == .refused, "\(standing)")
            }
        }
    }

    @Test func `nobody signs out people of another organization`() async throws {
        try await withPopulatedSchool { populated in
            try populated.school.sql(
                "select school.end_sessions(array[test.id('sam'), test.id('omar')])",
                as: populated.caller(.peopleManager))
            let ended = try populated.labels(
                "select test.called(session_id) as label from school.session where ended_at is not null"
            )
            #expect(ended == ["session"])
        }
    }

    @Test func `managed IDs are reserved and freed only within the organization`() async throws {
        try await withPopulatedSchool { populated in
            for standing in Standing.allCases {
                let isManager = (Standing.directoryManagers + [.manager, .directoryWriter])
                    .contains(standing)
                for (organization, outcome) in [
                    ("Hillside", Outcome.done), ("Elsewhere", .refused),
                ] {
                    let person = organization == "Hillside" ? "sam" : "omar"
                    let outcomes = [
                        try populated.attempt(
                            """
                            select school.reserve_managed_ids(
                                test.id(\(organization)), array[test.id(\(person))], '{new@hillside.example}')
                            """, as: populated.caller(standing)),
                        try populated.attempt(
                            """
                            select school.release_managed_ids(
                                test.id(\(organization)), array[test.id(\(person))])
                            """, as: populated.caller(standing)),
                    ]
                    let expected = isManager ? outcome : .refused
                    #expect(outcomes == [expected, expected], "\(standing) in \(organization)")
                }
            }
        }
    }

    @Test func `an event itself records its actor`() async throws {
        try await withPopulatedSchool { populated in
            for standing in Standing.allCases {
                try populated.school.sql(
                    "select school.audit('denial', 'test', \(standing.rawValue), '{}')",
                    as: populated.caller(standing))
            }
            let events = try populated.labels(
                """
                select concat_ws(' ', subject_id, standing, test.called(person_id)) as label
                  from school.audit_event where kind = 'denial'
                """)
            #expect(events.count == Standing.allCases.count)
            #expect(events.contains("teacher teacher tom"))
            #expect(events.contains("peopleManager peopleManager petra"))
            #expect(events.contains("exporter exporter"))
        }
    }
}
