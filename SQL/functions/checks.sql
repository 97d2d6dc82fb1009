-- Checks: is everything as it should be in an organization, or with a class: is it ready for Monday?
--
-- One list serves GET /v1/checks and `homeroom doctor`. A check is a row of checks() and a function check_CODE of
-- organization and class (null: all) which answers the ids of what it finds; nothing found is well. These
-- functions are plain SQL and pin no search path, so that PostgreSQL puts them into the statement of run_checks,
-- which pins it, and plans them for the organization at hand.

set local role school_owner;
set local search_path = school, pg_temp;

-- checks (internal): what is looked at.
--
--   severity   error: something does not work, or can be relied on no more; warning: it will be missed;
--              info: good to know
--   is_for_class  whether it makes sense for one class
--   one, many  what is said of one finding and, after their number, of several; advice: what to do
create or replace function checks()
    returns table (code text, severity text, subject_kind text, is_for_class boolean, one text, many text,
                   advice text)
    language sql immutable
    set search_path = school, pg_temp as $$
values
    ('no_administrator', 'error', 'organization', false,
        'Nobody can sign in as an administrator.', 'organizations without an administrator.',
        'Give somebody the role with a password: homeroom organization create makes one for a new school.'),
    ('audit_trail_edited', 'error', 'auditEvent', false,
        'An audit event or seal was edited behind the back of the service.',
        'audit events or seals were edited behind the back of the service.',
        'Find out who may sign in to the database, and compare with a backup: homeroom doctor names each.'),
    ('audit_trail_cut', 'error', 'organization', false,
        'The audit trail has lost its first event.', 'audit trails have lost their first event.',
        'Find out who may sign in to the database, and compare with a backup: an audit trail begins with the '
        || 'making of the organization.'),
    ('progress_differs', 'error', 'activity', false,
        'Reports show something else of an attempt than what was reported of it.',
        'attempts of which reports show something else than what was reported.',
        'Find out who may sign in to the database, compare with a backup, and tell who maintains the service.'),
    ('class_without_teacher', 'error', 'class', true,
        'A class has no teacher.', 'classes have no teacher.',
        'Seat one: nobody can give handouts there now.'),
    ('class_without_students', 'warning', 'class', true,
        'A class has no students.', 'classes have no students.',
        'Seat them, or archive the class with its term.'),
    ('class_too_large', 'warning', 'class', true,
        'A class has more students or teachers than the organization allows.',
        'classes have more students or teachers than the organization allows.',
        'Split it, or allow more.'),
    ('class_after_its_term', 'warning', 'class', true,
        'A class is still open although its term is over.',
        'classes are still open although their term is over.',
        'Close the term; the reports stay readable.'),
    ('person_cannot_sign_in', 'error', 'person', true,
        'Somebody who sits in a class or teaches one has no password, or one that is no longer valid.',
        'people who sit in a class or teach one have no password, or one that is no longer valid.',
        'Print a sign-in sheet, or set a temporary password.'),
    ('teacher_never_signed_in', 'warning', 'person', true,
        'A teacher has never signed in.', 'teachers have never signed in.',
        'Ask whether the managed ID and the password have arrived.'),
    ('student_never_signed_in', 'warning', 'person', true,
        'A student who sits in a class has never signed in.',
        'students who sit in a class have never signed in.',
        'Print a sign-in sheet for the class.'),
    ('student_without_licence', 'warning', 'person', true,
        'A student has no licence of an app that an open handout assigns.',
        'students have no licence of an app that an open handout assigns.',
        'Assign one, unless the device has it: POST /v1/apps/{adamId}/licences.'),
    ('seat_without_role', 'warning', 'person', true,
        'Somebody sits in a class or teaches it without the role of a student or teacher.',
        'people sit in a class or teach it without the role of a student or teacher.',
        'Give the role: without it the class stays invisible to them.'),
    ('unusual_teacher', 'warning', 'person', true,
        'Somebody has seated himself or herself as a teacher of a class, or taught one for less than a day.',
        'people have seated themselves as teachers of a class, or taught one for less than a day.',
        'Ask them why: whoever teaches a class sees its progress. The audit trail says who seated them.'),
    ('seat_of_deactivated', 'warning', 'person', true,
        'Somebody who is deactivated still sits in a class.',
        'people who are deactivated still sit in a class.',
        'End the seat, or reactivate the person.'),
    ('seats_overlap', 'error', 'person', true,
        'Somebody has two seats in one class at the same time.',
        'people have two seats in one class at the same time.',
        'End one of the two.'),
    ('person_without_role', 'warning', 'person', false,
        'Somebody has no role anywhere.', 'people have no role anywhere.',
        'Give a role, or deactivate the person.'),
    ('student_without_class', 'info', 'person', false,
        'A student sits in no class.', 'students sit in no class.',
        'Seat the student where he or she belongs.'),
    ('managed_id_of_nobody', 'warning', 'person', false,
        'A managed ID is reserved for somebody who does not have it.',
        'managed IDs are reserved for people who do not have them.',
        'They cannot be given to others; tell who maintains the service.'),
    ('progress_off', 'info', 'organization', true,
        'Student progress is off: reports stay empty.', 'organizations with student progress off.',
        'An administrator turns it on.'),
    ('progress_paused', 'info', 'person', true,
        'Student progress is off for a student.', 'students with student progress off.',
        'Turn it on again where that was not meant.'),
    ('import_waiting', 'warning', 'import', false,
        'An import waits for approval, because it would remove many.',
        'imports wait for approval, because they would remove many.',
        'Read its plan, and approve it or hand in a better archive.'),
    ('import_failed', 'warning', 'import', false,
        'The last import failed.', 'imports failed.',
        'Read its errors, mend the archive, and hand it in again.'),
    ('export_overdue', 'warning', 'organization', false,
        'The last nightly export is older than a day and a half.', 'organizations without a recent export.',
        'Look why homeroom export did not run.')
$$;

-- open_seats (internal): who sits in classes that are open, or teaches them, now.
create or replace function open_seats(p_organization_id uuid, p_class_id uuid)
    returns table (class_id uuid, person_id uuid, role text)
    language sql stable as $$
select s.class_id, s.person_id, s.role
  from seat as s
  join class as c on c.organization_id = s.organization_id and c.class_id = s.class_id and c.archived_at is null
 where s.organization_id = p_organization_id and (p_class_id is null or s.class_id = p_class_id)
   and s.joined_at <= now() and (s.left_at is null or s.left_at > now())
$$;

-- is_unusual_seat: whether a teacher took the seat without anybody else, or for less than a day: so that somebody
-- could see what is a class's alone, and be gone before anybody notices.
create or replace function is_unusual_seat(s seat) returns boolean
    language sql stable
    return s.role = 'teacher'
       and coalesce(s.seated_by = s.person_id and (s.left_at is null or s.left_at > s.joined_at)
                    or s.left_at > greatest(s.joined_at, s.recorded_at)
                       and s.left_at < greatest(s.joined_at, s.recorded_at) + interval '1 day', false);
grant execute on function is_unusual_seat(seat) to school_directory_reader, school_teacher;

-- run_checks: every check with how much it found, the first hundred ids of that, and a text; where nothing was
-- found, the number is 0 and there is no text; where the check is left out, there is no number either. Of any
-- organization: for the command.
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
        execute format('select count(*), (array_agg(f.id order by f.id))[:100] from school.%I($1, $2) as f (id)',
                       'check_' || looked.code)
           into total, found_ids using p_organization_id, p_class_id;
        return query select looked.code, looked.severity, looked.subject_kind, total,
            coalesce(found_ids, '{}'),
            case when total = 1 then looked.one when total > 1 then total || ' ' || looked.many end,
            looked.advice;
    end loop;
end $$;

-- organization_checks: of the caller's organization. What reads all that ever happened is left to the command: the
-- audit trail takes half a second for every ten thousand events, and what was edited long ago is found only that way.
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
