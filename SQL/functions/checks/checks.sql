-- Checks: is everything in order in an organization, or is a class ready for Monday?
--
-- One list serves GET /v1/checks and `homeroom doctor`. A check is a row of checks() and a function check_CODE of
-- organization and class (null: all) that returns the ids of its findings; no ids means that all is well. These
-- functions are plain SQL and pin no search path, so that PostgreSQL inlines them into the statement of run_checks,
-- which pins it, and plans them for the given organization.

-- checks (internal): the list of checks.
--
--   severity   error: something does not work, or is no longer reliable; warning: it will be missed;
--              info: good to know
--   is_for_class  whether it makes sense for one class
--   one, many  the text for one finding and, after their number, for several; advice: what to do
create or replace function checks()
    returns table (code text, severity text, subject_kind text, is_for_class boolean, one text, many text,
                   advice text)
    language sql immutable
begin atomic
    values
        ('no_administrator', 'error', 'organization', false,
            'Nobody can sign in as an administrator.', 'organizations without an administrator.',
            'Give someone the role and a password. For a new school, homeroom organization create does both.'),
        ('audit_trail_edited', 'error', 'auditEvent', false,
            'An audit event or seal was edited outside the service.',
            'audit events or seals were edited outside the service.',
            'Find out who may sign in to the database, and compare with a backup: homeroom doctor names each.'),
        ('audit_trail_cut', 'error', 'organization', false,
            'The audit trail has lost its first event.', 'audit trails have lost their first event.',
            'Find out who may sign in to the database, and compare with a backup: an audit trail begins when its '
            || 'organization is made.'),
        ('progress_differs', 'error', 'activity', false,
            'A report does not show what the app reported of an attempt.',
            'attempts whose reports do not show what the app reported.',
            'Find out who may sign in to the database, compare with a backup, and report it to your operator.'),
        ('class_without_teacher', 'error', 'class', true,
            'A class has no teacher.', 'classes have no teacher.',
            'Add one: until then nobody can give handouts there.'),
        ('class_without_students', 'warning', 'class', true,
            'A class has no students.', 'classes have no students.',
            'Add them, or close the term to archive the class.'),
        ('class_too_large', 'warning', 'class', true,
            'A class has more students or teachers than the organization allows.',
            'classes have more students or teachers than the organization allows.',
            'Split it, or allow more.'),
        ('class_after_its_term', 'warning', 'class', true,
            'A class is still open although its term is over.',
            'classes are still open although their term is over.',
            'Close the term; the reports stay readable.'),
        ('person_cannot_sign_in', 'error', 'person', true,
            'Someone in a class has no password, or one that is no longer valid.',
            'people in classes have no password, or one that is no longer valid.',
            'Print a sign-in sheet, or set a temporary password.'),
        ('teacher_never_signed_in', 'warning', 'person', true,
            'A teacher has never signed in.', 'teachers have never signed in.',
            'Ask whether the teacher knows how to sign in.'),
        ('student_never_signed_in', 'warning', 'person', true,
            'A student in a class has never signed in.',
            'students in classes have never signed in.',
            'Print a sign-in sheet for the class, or show them how to sign in with your provider.'),
        ('student_without_licence', 'warning', 'person', true,
            'A student has no licence for an app that an open handout needs.',
            'students have no licence for an app that an open handout needs.',
            'Assign one, unless the device has it: POST /v1/apps/{adamId}/licences.'),
        ('seat_without_role', 'warning', 'person', true,
            'Someone is in a class without the role of student or teacher.',
            'people are in classes without the role of student or teacher.',
            'Give them the role: without it they cannot see the class.'),
        ('unusual_teacher', 'warning', 'person', true,
            'Someone made himself or herself teacher of a class, or taught one for less than a day.',
            'people made themselves teachers of a class, or taught one for less than a day.',
            'Ask them why: teachers of a class see its progress. The audit trail says who added them.'),
        ('seat_of_deactivated', 'warning', 'person', true,
            'A deactivated person is still in a class.',
            'deactivated people are still in classes.',
            'Take the person out of the class, or reactivate the person.'),
        ('seats_overlap', 'error', 'person', true,
            'Someone is in the same class twice at the same time.',
            'people are in the same class twice at the same time.',
            'End one of the two memberships.'),
        ('person_without_role', 'warning', 'person', false,
            'Someone has no role anywhere.', 'people have no role anywhere.',
            'Give a role, or deactivate the person.'),
        ('student_without_class', 'info', 'person', false,
            'A student is in no class.', 'students are in no class.',
            'Add the student to a class.'),
        ('managed_id_of_nobody', 'warning', 'person', false,
            'A managed ID is reserved for someone who does not have it.',
            'managed IDs are reserved for people who do not have them.',
            'Nobody else can get such an ID. Report it to your operator.'),
        ('progress_off', 'info', 'organization', true,
            'Student progress is off: reports stay empty.', 'organizations with student progress off.',
            'An administrator can turn it on.'),
        ('progress_paused', 'info', 'person', true,
            'Student progress is off for a student.', 'students with student progress off.',
            'Turn it on again if that was not intended.'),
        ('import_waiting', 'warning', 'import', false,
            'An import waits for approval because it would remove a lot.',
            'imports wait for approval because they would remove a lot.',
            'Read what it would change, then approve it or upload a corrected archive.'),
        ('import_failed', 'warning', 'import', false,
            'The last import failed.', 'imports failed.',
            'Read its errors, correct the archive and upload it again.'),
        ('export_overdue', 'warning', 'organization', false,
            'The last nightly export is older than a day and a half.', 'organizations without a recent export.',
            'Find out why homeroom export did not run.'),
        ('webhook_failing', 'warning', 'webhook', false,
            'A webhook has failed for an hour.', 'webhooks have failed for an hour.',
            'Read the answers to its deliveries, and repair the receiver: GET /v1/webhooks/{id}/deliveries.'),
        ('webhook_disabled', 'warning', 'webhook', false,
            'A webhook was disabled because its receiver failed.',
            'webhooks were disabled because their receivers failed.',
            'Read its deliveries, repair the receiver, and enable the webhook: PATCH /v1/webhooks/{id}.'),
        ('roster_source_failing', 'warning', 'organization', false,
            'The last pull from the roster source failed.', 'organizations whose last pull of the roster failed.',
            'Read why: GET /v1/roster-source.');
end;

-- open_seats (internal): the current students and teachers of open classes.
create or replace function open_seats(p_organization_id uuid, p_class_id uuid)
    returns table (class_id uuid, person_id uuid, role text)
    language sql stable
begin atomic
    select s.class_id, s.person_id, s.role
      from seat as s
      join class as c on c.organization_id = s.organization_id and c.class_id = s.class_id and c.archived_at is null
     where s.organization_id = p_organization_id and (p_class_id is null or s.class_id = p_class_id)
       and is_seated(s);
end;

-- is_unusual_seat: whether a teacher took the seat without anyone else, or had it for less than a day. That way
-- someone could look at what only a class's teachers see, and be gone before anyone notices.
create or replace function is_unusual_seat(s seat) returns boolean
    language sql stable
    return s.role = 'teacher'
       and coalesce(s.seated_by = s.person_id and is_open_seat(s, s.joined_at)
                    or s.left_at > greatest(s.joined_at, s.recorded_at)
                       and s.left_at < greatest(s.joined_at, s.recorded_at) + interval '1 day', false);
grant execute on function is_unusual_seat(seat) to school_directory_reader, school_teacher;

-- run_checks: every check with the number of its findings, the first hundred of their ids, and a text. Without
-- findings the number is 0 and the text is null; of a skipped check both are null. A check that meets damaged data
-- reports the damage, and the other checks still run. For any organization: for the command.
create or replace function run_checks(p_organization_id uuid, p_class_id uuid, p_left_out text[] default '{}')
    returns table (code text, severity text, subject_kind text, count bigint, subject_ids text[], said text,
                   advice text)
    language plpgsql volatile security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    looked record;
    found_ids text[];
    total     bigint;
begin
    for looked in select * from checks() as k where p_class_id is null or k.is_for_class loop
        if looked.code = any (p_left_out) then
            return query select looked.code, looked.severity, looked.subject_kind, null::bigint, '{}'::text[],
                null, looked.advice;
            continue;
        end if;
        begin
            execute format('select count(*), (array_agg(f.id order by f.id))[:100] from school.%I($1, $2) as f (id)',
                           'check_' || looked.code)
               into total, found_ids using p_organization_id, p_class_id;
        exception when data_corrupted or index_corrupted or io_error or undefined_file then
            return query select looked.code, 'error', looked.subject_kind, 1::bigint, '{}'::text[],
                format('This could not be checked: the data is damaged (%s).', sqlstate),
                'Tell the people who run the server: deploy/guides/backups.md says what to do with damaged data.';
            continue;
        end;
        return query select looked.code, looked.severity, looked.subject_kind, total,
            coalesce(found_ids, '{}'),
            case when total = 1 then looked.one when total > 1 then total || ' ' || looked.many end,
            looked.advice;
    end loop;
end $$;

-- organization_checks: the checks of the caller's organization. Checks that read the whole history are left to the
-- command: verifying the audit trail takes half a second for every ten thousand events, and only a full pass finds
-- what was edited long ago.
create or replace function organization_checks(p_class_id uuid)
    returns table (code text, severity text, subject_kind text, count bigint, subject_ids text[], said text,
                   advice text)
    language plpgsql volatile security definer
    set search_path = school, pg_temp as $$
begin
    return query select * from run_checks(my_organization(), p_class_id, '{audit_trail_edited,audit_trail_cut,progress_differs}');
end $$;
grant execute on function organization_checks(uuid)
    to school_administrator, school_site_manager, school_people_manager;
grant execute on function run_checks(uuid, uuid, text[]) to school_server;
