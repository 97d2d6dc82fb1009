import API

extension APIDescription {
    /// What each problem code means and what to do about it.
    static let problemCodes: [Code] =
        ofRequests + ofAccess + ofBadges + ofDirectory + ofImports + ofWork

    /// What any call may return.
    private static let ofRequests: [Code] = [
        Code(
            "answer_withheld",
            "The call took effect, but your roles or classes changed since. Read what it made."),
        Code(
            "newer_schema",
            "A newer version has changed the database. The operator starts that version."),
        Code(
            "storage_full",
            "The disk of the server is full. Nothing was changed; ask the operator to free space."),
        Code(
            "answer_not_kept",
            "The call took effect, but its answer was too long to keep. Read what it made."),
        Code(
            "body_incomplete", "The body ended before its announced length. Send the request again."
        ),
        Code("body_too_large", "The body is larger than this call takes. Split it."),
        Code("body_too_slow", "The body did not arrive in time. Send the request again."),
        Code(
            "busy",
            "Too many requests are waiting. Nothing was changed; try again after `Retry-After`."),
        Code("conflict", "The change contradicts what is stored. Read again and decide."),
        Code(
            "contended",
            "Someone changed the same thing at the same moment. Nothing was changed; try again."),
        Code("expectation_failed", "The server supports `Expect: 100-continue` only."),
        Code("handler_too_slow", "The answer took too long. Read before you repeat a change."),
        Code("head_too_large", "The header fields are longer than 16 KiB."),
        Code("http_version_not_supported", "The server speaks HTTP/1.0 and HTTP/1.1."),
        Code("idempotency_key_in_use", "A call with this key is still running. Repeat it later."),
        Code(
            "idempotency_key_refused",
            "The call answers a secret, so it takes no `Idempotency-Key`."),
        Code("idempotency_key_reused", "The key belongs to another request. Use a new key."),
        Code(
            "internal",
            "The server could not make the answer. The log has the cause under the request id."),
        Code(
            "internal_error",
            "Something went wrong on the server. The log has the cause under the request id."),
        Code(
            "invalid_body",
            "The JSON is well formed, but something in it is wrong: `errors` says what and where."),
        Code(
            "invalid_header", "A header field has a value that cannot be used; `detail` names it."),
        Code(
            "invalid_parameter",
            "A query parameter is unknown, repeated, missing or wrong; `detail` names it."),
        Code("malformed_json", "The body is not valid JSON; `detail` says where."),
        Code("malformed_request", "The request breaks the rules of HTTP."),
        Code("method_not_allowed", "The path takes other methods; `Allow` lists them."),
        Code("method_not_implemented", "No call uses this method."),
        Code("missing_body", "The call needs a body."),
        Code("not_acceptable", "None of the media types in `Accept` can be sent."),
        Code("not_found", "This does not exist, or you may not see it."),
        Code(
            "not_migrated",
            "The database is not ready for this version. The operator runs `homeroom migrate`."),
        Code(
            "other_host",
            "The request is for a host name that is not this server's; `detail` names the right one."
        ),
        Code(
            "outcome_unknown",
            "The connection to the database was lost. Read before you repeat the change."),
        Code(
            "precondition_failed",
            "`If-Match` or `If-None-Match` does not hold. Read again and decide."),
        Code("range_not_satisfiable", "The file has no bytes in this range."),
        Code("target_too_long", "The path and query are too long."),
        Code("timed_out", "The database did not answer in time. Nothing was changed; try again."),
        Code("tls_required", "This port speaks HTTPS."),
        Code("transfer_coding_not_supported", "Only the `chunked` transfer coding is supported."),
        Code("unavailable", "The database cannot be reached. Nothing was changed; try again."),
        Code("unknown_call", "The path is not part of the API. Check the spelling."),
        Code("unsupported_content_coding", "Send the body without `Content-Encoding`."),
        Code("unsupported_media_type", "Send the body with the media type that `detail` names."),
    ]

    /// Signing in, rights and limits.
    private static let ofAccess: [Code] = [
        Code(
            "forbidden",
            "Your role or your relation to this is not enough; `detail` says what is missing."),
        Code(
            "not_of_browser",
            "Only the token of a browser's sign-in can be renewed. Use the refresh token instead."),
        Code(
            "organization_ending",
            "The organization is to be deleted, so no one signs in. The operator can cancel that."),
        Code(
            "organization_elsewhere",
            "The organization moved to another server. Connect again at its address."),
        Code(
            "organization_moving",
            "The organization is moving to another server. Nothing was changed; try again in seconds."
        ),
        Code("password_locked", "Too many wrong passwords. Wait, or ask for a temporary password."),
        Code(
            "password_must_change",
            "Change the temporary password first, with `PUT /v1/me/password`."),
        Code(
            "provider_failed",
            "The sign-in provider cannot be reached or answers something that proves nothing; `detail` says what."
        ),
        Code(
            "provider_secret_lost",
            "The client secret of the sign-in provider was encrypted with a key that is gone. Enter it again."
        ),
        Code(
            "provider_sign_in_refused",
            "The account at the sign-in provider belongs to no person here who may sign in."),
        Code(
            "providers_busy",
            "Too many calls to sign-in providers are on their way. Try again after `Retry-After`."),
        Code(
            "last_sign_in_provider",
            "The school uses no passwords, so one sign-in provider stays. Connect another one first."
        ),
        Code("refresh_refused", "The refresh token is not valid. Sign in again."),
        Code(
            "sheet_outdated", "Roles or rosters changed while the sheet was made. Order it again."),
        Code(
            "sign_in_busy",
            "Many people are signing in. Nothing is wrong with the call. Try again after `Retry-After`."
        ),
        Code(
            "sign_in_not_begun",
            "The sign-in with a provider was begun in another browser or too long ago. Begin it again."
        ),
        Code(
            "sign_in_refused", "The managed ID or the password is wrong, or the account is closed."),
        Code(
            "without_passwords",
            "At this school only administrators have passwords; everybody else signs in with a provider."
        ),
        Code(
            "too_many_requests",
            "You have used up your allowance. Wait as long as `Retry-After` says."),
        Code(
            "too_many_codes",
            "Too many wrong device codes. Try again after the time in `Retry-After`."),
        Code("too_many_sheets", "Other sign-in sheets are being made. Try again in a few seconds."),
        Code("too_many_sign_ins", "Too many sign-ins. Keep the access token and refresh it."),
        Code(
            "too_many_tries", "Too many sign-ins from this address failed. Try again later."),
        Code(
            "too_many_unknown_tokens",
            "Too many unknown tokens came from this address. Try again later."),
        Code(
            "upload_allowance_used",
            "A person's apps sent too much at once. Send the rest after the time in `Retry-After`."),
        Code("unauthenticated", "The call needs a valid access token. Sign in or refresh."),
    ]

    /// People, classes, apps and licences.
    private static let ofDirectory: [Code] = [
        Code("app_exists", "The app is there already. Change it with `PUT` or `PATCH`."),
        Code("bundle_id_taken", "Another developer team has this bundle id."),
        Code("class_archived", "The class is archived, so it cannot change."),
        Code("class_full", "The class has no free seats."),
        Code("class_in_use", "Other records refer to the class; `detail` says which."),
        Code("course_in_use", "Classes belong to the course. Move them first."),
        Code("devices_hold_licences", "Devices hold licences of the app. Take them back first."),
        Code("domain_in_use", "People have managed IDs in the domain."),
        Code("domain_taken", "Another organization has the domain."),
        Code(
            "held",
            "A hold stands for this data (`GET /v1/retention/holds`). Lift the hold first."),
        Code(
            "holder_deactivated",
            "Someone on the list was deactivated meanwhile. Read the list again."),
        Code(
            "last_administrator",
            "An organization keeps one active administrator. Name another one first."),
        Code("last_teacher", "The class keeps a teacher. Add another one first."),
        Code("licences_assigned", "Licences are assigned. Take them back first."),
        Code("location_has_pools", "The location has seats of apps. Move or remove them first."),
        Code("location_in_use", "Other records refer to the location; `detail` says which."),
        Code(
            "guarded_sign_in",
            "With this email or managed ID one could sign in as someone who teaches or taught. Ask an administrator."
        ),
        Code("managed_id_taken", "Someone else has this managed ID."),
        Code("may_not_erase_oneself", "You cannot erase yourself. Another administrator can."),
        Code("no_domain", "The organization has no domain for managed IDs yet."),
        Code("not_revocable", "Licences of books stay with their holders."),
        Code("person_active", "The person is active. Deactivate the person first."),
        Code("person_deactivated", "The person is deactivated and cannot sign in."),
        Code("person_in_use", "Other records refer to the person. Leave the person deactivated."),
        Code("person_locked", "The person is locked, not deactivated. The lock ends by itself."),
        Code(
            "rollover_changed",
            "Classes or students changed since the preview of the rollover. Read it again."),
        Code("source_id_taken", "Another record has this `sourceId`."),
        Code("team_exists", "The developer team is registered already."),
        Code("term_closed", "The term is closed. Open it first."),
        Code("term_in_use", "Other records refer to the term; `detail` says which."),
        Code("terms_overlap", "Terms of one kind must not overlap."),
        Code("too_few_licences", "Too few seats of the app are left; `errors` says where."),
        Code("too_many_imports", "Too many imports are waiting. Upload the next one later."),
        Code("too_many_made_classes", "A teacher makes at most 50 classes that are not archived."),
        Code("too_many_searches", "You have searched 300 times today. Try again tomorrow."),
        Code("too_many_uploads", "Too many archives are being uploaded. Try again later."),
    ]

    /// Handouts, assignments and exports.
    private static let ofWork: [Code] = [
        Code("already_begun", "A student has begun the handout: it stays published."),
        Code("already_published", "The handout is published, so its publication time is fixed."),
        Code("completed", "The handout is completed. That cannot be undone."),
        Code("export_under_way", "Another export is not done yet; `Location` is its path."),
        Code("locked", "The teacher has paused work on the handout."),
        Code("no_tasks", "A handout needs a task before it can be published."),
        Code("not_completed", "Only a completed handout can be archived."),
        Code("not_published", "Publish the handout first."),
        Code(
            "invalid_statement",
            "A statement is wrong: `errors` says what and where. Nothing was taken."),
        Code(
            "statement_conflict",
            "Another statement of the app and person has this id. Nothing was taken."),
        Code(
            "unsupported_xapi_version",
            "`X-Experience-API-Version` is missing, or is neither 1.0.x nor 2.0.x."),
        Code(
            "task_has_progress",
            "Students have begun the task. Repeat with `discardProgress=true` to remove it."),
        Code(
            "live_reports_full",
            "Too many live reports are open. Read the report now and then instead, or try again later."
        ),
        Code(
            "invalid_thumbnail",
            "It is not a PNG or JPEG image, or `Content-Type` says something else."),
        Code(
            "too_many_thumbnails",
            "An app may give 500 of a person's contexts a thumbnail. Remove others first."),
        Code(
            "too_many_thumbnails_waiting",
            "Other thumbnails of the person wait to be read. Try again after `Retry-After`."),
        Code("too_many_live_reports", "You have 10 live reports open. Close one, and try again."),
        Code(
            "position_forgotten",
            "Changes after this position are no longer kept. Ask for a new position, then read everything once."
        ),
        Code("too_many_webhooks", "An organization has at most 20 webhooks. Remove one first."),
        Code("webhook_disabled", "The webhook is disabled. Enable it first."),
        Code(
            "tool_removed",
            "The tool was removed, or is no longer for this class. Ask an administrator."),
        Code(
            "tool_without_content",
            "The tool offers no content to choose for this class. Add a task with its address."),
        Code(
            "tool_launch_over",
            "This launch of a tool is over, or was begun by someone else. Open the tool again."),
        Code(
            "line_item_of_task",
            "A tool cannot change or delete the line item that is the task itself."),
        Code(
            "too_many_line_items",
            "A tool has at most 100 line items of its own for a task, and 1,000 with deleted ones."),
        Code(
            "deep_links_refused",
            "The content that a tool returned cannot be used; `detail` says what to mend in the tool."
        ),
        Code(
            "too_many_wrong_answers",
            "Too many wrong answers of tools came from this address. Wait as long as `Retry-After` says."
        ),
        Code(
            "gradebook_object_too_large",
            "The lists and the metadata of an object have at most 16 KiB, a score scale 64 KiB."),
        Code(
            "grant_made_twice",
            "The gradebook of a class or a location is granted twice. Name each of them once."),
        Code("too_many_announcements", "A class has at most 1,000 announcements."),
        Code("work_changed", "Students did something else than you were shown. Read it again."),
        Code("too_many_comments", "A student's handout has at most 1,000 comments."),
        Code("not_marked", "This is not marked; first set `marking` of the handout or the task."),
        Code("no_mark_draft", "Write a draft of the mark first."),
        Code("mark_unfit", "There are fewer points than before, or none; the draft stays."),
        Code("mark_changed", "Another mark was given since the draft was written, which stays."),
        Code(
            "too_many_handouts", "A class has at most 200 active handouts. Complete or delete some."
        ),
        Code("too_many_tools", "An organization has at most 100 tools. Remove one."),
    ]
}
