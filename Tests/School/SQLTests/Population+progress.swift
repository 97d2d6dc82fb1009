import Postgres

extension Population {
    /// All of it belongs to Biology and Tom, except where the name says otherwise: `reaction` is given by Tess to
    /// Chemistry, `old` by Tom to Old biology, `rivers` by Otto elsewhere. Sam is chosen in the draft already.
    static let handouts: [Statement] = [
        """
        insert into school.handout (organization_id, handout_id, class_id, author_id, title, recipients,
                                    created_at, publish_at, deleted_at)
        select test.id(organization), test.id(title), test.id(class), test.id(author), title, recipients,
               now() - interval '30 days', now() + publish_in::interval,
               case when title = 'deleted' then now() end
          from (values
               ('Hillside', 'Biology', 'tom', 'draft', 'chosen', null),
               ('Hillside', 'Biology', 'cora', 'draft of cora', 'class', null),
               ('Hillside', 'Biology', 'tom', 'published', 'class', '-20 days'),
               ('Hillside', 'Biology', 'tom', 'for sam', 'chosen', '-20 days'),
               ('Hillside', 'Biology', 'tom', 'for sue', 'chosen', '-20 days'),
               ('Hillside', 'Biology', 'tom', 'scheduled', 'class', '1 day'),
               ('Hillside', 'Biology', 'tom', 'deleted', 'class', '-20 days'),
               ('Hillside', 'Old biology', 'tom', 'old', 'class', '-20 days'),
               ('Hillside', 'Chemistry', 'tess', 'reaction', 'class', '-20 days'),
               ('Elsewhere', 'Geography', 'otto', 'rivers', 'chosen', '-20 days')
               ) as h (organization, class, author, title, recipients, publish_in)
        """,
        """
        insert into school.handout_recipient (organization_id, handout_id, person_id)
        select h.organization_id, h.handout_id, test.id(r.person)
          from (values ('draft', 'sam'), ('for sam', 'sam'), ('for sue', 'sue'), ('rivers', 'omar')
               ) as r (handout, person)
          join school.handout as h on h.handout_id = test.id(r.handout)
        """,
        """
        insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title,
                                 bundle_id, identifier_path)
        select organization_id, test.id('task of ' || title), handout_id, class_id, 1, 'appActivity', title,
               'org.example.quizzler', array[title]
          from school.handout
        """,
        """
        insert into school.assignment (organization_id, task_id, person_id, opened_at)
        select t.organization_id, t.task_id, test.id(a.person), now()
          from (values ('published', 'sam'), ('published', 'sue'), ('published', 'lea'), ('for sue', 'sue'),
                       ('deleted', 'sam'), ('reaction', 'ben'), ('rivers', 'omar')) as a (handout, person)
          join school.task as t on t.task_id = test.id('task of ' || a.handout)
        """,
    ]

    /// Each counts for the task in its name; one of Sam's counts for none, so that nobody else may see it.
    static let activities: [Statement] = [
        """
        insert into school.activity (organization_id, person_id, activity_id, environment, bundle_id,
                                     identifier_path, arrived_at)
        select p.organization_id, p.person_id, n.id, 'production', 'org.example.quizzler',
               array[split_part(n.name, ' did ', 2)], now()
          from test.name as n
          join school.person as p on p.person_id = test.id(split_part(n.name, ' did ', 1))
         where n.name like '% did %'
        """,
        """
        insert into school.activity_assignment (organization_id, person_id, activity_id, task_id, handout_id,
                                                class_id, started_at, duration_seconds)
        select a.organization_id, a.person_id, a.activity_id, t.task_id, t.handout_id, t.class_id,
               now() - interval '10 days', 0
          from school.activity as a
          join school.task as t on t.task_id = test.id('task of ' || a.identifier_path[1])
        """,
        """
        insert into school.activity_item (organization_id, person_id, activity_id, task_id, identifier, position,
                                          is_primary, kind, title, quantity)
        select organization_id, person_id, activity_id, task_id, 'stars', 1, true, 'quantity', 'Stars', 3
          from school.activity_assignment
        """,
        """
        insert into school.activity_part (organization_id, person_id, activity_id, task_id, digest, started_at,
                                          modified_at, duration_seconds, progress_ranges, items)
        select organization_id, person_id, activity_id, task_id, '', started_at, modified_at, 0, '{}', '[null]'
          from school.activity_assignment
        """,
        """
        insert into school.watched_report (organization_id, handout_id, watched_until)
        values (test.id('Hillside'), test.id('published'), now()),
               (test.id('Elsewhere'), test.id('rivers'), now())
        """,
        """
        insert into school.upload_receipt (organization_id, receipt_id, arrived_at)
        values (test.id('Hillside'), test.id('receipt'), now()),
               (test.id('Elsewhere'), test.id('receipt elsewhere'), now())
        """,
        """
        insert into school.upload (organization_id, person_id, upload_id, kind, environment, bundle_id, document,
                                   position, arrived_at)
        values (test.id('Hillside'), test.id('sam'), test.id('upload of sam'), 'activities', 'production',
                'org.example.quizzler', '[]', 1, now()),
               (test.id('Elsewhere'), test.id('omar'), test.id('upload of omar'), 'activities', 'production',
                'org.example.quizzler', '[]', 1, now())
        """,
    ]

    /// What the service keeps about itself: sessions, imports, exports, events.
    static let records: [Statement] = [
        """
        insert into school.session (organization_id, session_id, person_id)
        values (test.id('Hillside'), test.id('session'), test.id('sam')),
               (test.id('Elsewhere'), test.id('session elsewhere'), test.id('omar'))
        """,
        """
        insert into school.sign_in_device (organization_id, digest, person_id, session_id, expires_at)
        select organization_id, sha256(session_id::text::bytea), person_id, session_id, now() + interval '1 day'
          from school.session
        """,
        """
        insert into school.refresh_token (organization_id, digest, session_id, expires_at)
        select organization_id, sha256(session_id::text::bytea), session_id, now() + interval '1 day'
          from school.session
        """,
        """
        insert into school.sign_in_change (organization_id, change_id, person_id, change, standing, by_person_id)
        values (test.id('Hillside'), gen_random_uuid(), test.id('sam'), 'password', 'teacher', test.id('tom')),
               (test.id('Hillside'), gen_random_uuid(), test.id('tom'), 'email', 'administrator', test.id('ada')),
               (test.id('Elsewhere'), gen_random_uuid(), test.id('omar'), 'managedId', 'administrator', test.id('olga'))
        """,
        """
        insert into school.service_account (organization_id, service_account_id, name, role, secret_digest)
        values (test.id('Hillside'), gen_random_uuid(), 'Sync', 'provisioner', sha256('secret')),
               (test.id('Elsewhere'), gen_random_uuid(), 'Sync elsewhere', 'exporter', sha256('secret'))
        """,
        """
        insert into school.import (organization_id, import_id, mode, standing, archive_bytes)
        values (test.id('Hillside'), test.id('import'), 'preview', 'administrator', 1),
               (test.id('Elsewhere'), test.id('import elsewhere'), 'preview', 'administrator', 1)
        """,
        """
        insert into school.import_archive (organization_id, import_id, position, bytes)
        select organization_id, import_id, 1, 'PK' from school.import
        """,
        """
        insert into school.import_file (organization_id, import_id, name, position)
        select organization_id, import_id, 'staff.csv', 1 from school.import
        """,
        """
        insert into school.import_problem (organization_id, import_id, position, code, detail)
        select organization_id, import_id, 1, 'empty', 'The file is empty.' from school.import
        """,
        """
        insert into school.import_change (organization_id, import_id, position, file, change)
        select organization_id, import_id, 1, 'staff.csv', 'removed' from school.import
        """,
        """
        insert into school.import_undo (organization_id, import_id, position, kind, change)
        select organization_id, import_id, 1, 'person', 'created' from school.import
        """,
        "insert into school.import_turn (organization_id) select organization_id from school.organization",
        """
        insert into school.export_snapshot (organization_id, exported_on, taken_at, snapshot, system_id, is_full)
        select organization_id, '2026-01-01', now(), pg_current_snapshot(), 1, true from school.organization
        """,
        """
        insert into school.export (organization_id, export_id)
        values (test.id('Hillside'), test.id('export')), (test.id('Elsewhere'), test.id('export elsewhere'))
        """,
        """
        insert into school.deletion (organization_id, deletion_id, kind, subject_id)
        values (test.id('Hillside'), test.id('deletion'), 'handout', test.id('deleted')),
               (test.id('Elsewhere'), test.id('deletion elsewhere'), 'handout', gen_random_uuid())
        """,
        """
        insert into school.audit_event (organization_id, event_id, kind, standing)
        select organization_id, gen_random_uuid(), 'export', 'exporter' from school.organization
        """,
        """
        insert into school.audit_unsealed (organization_id, arrived_at, event_id)
        select organization_id, arrived_at, event_id from school.audit_event
        """,
        """
        insert into school.audit_seal (organization_id, number, event_ids, event_digests, last_arrived_at,
                                       previous_digest, digest)
        select organization_id, 1, array[gen_random_uuid()], array[sha256('')], now(), sha256(''), sha256('')
          from school.organization
        """,
        """
        insert into school.idempotency_key (organization_id, caller, route, key, request_digest, status,
                                            headers, body)
        select test.id(organization),
               concat_ws('/', coalesce(test.id(person)::text, ''), standing, 'production', app, ''),
               'POST /v1/tests', key, sha256(''), 204, '{}', ''
          from (values
               ('Hillside', 'tom', 'teacher', '', 'of tom'),
               ('Hillside', 'cora', 'teacher', '', 'of cora'),
               ('Hillside', 'sam', 'student', '', 'of sam'),
               ('Hillside', 'sam', 'app', 'org.example.quizzler', 'of the app of sam'),
               ('Hillside', 'sam', 'app', 'org.example.reader', 'of another app of sam'),
               ('Hillside', null, 'provisioner', '', 'of the provisioner'),
               ('Elsewhere', 'otto', 'teacher', '', 'of otto')
               ) as k (organization, person, standing, app, key)
        """,
    ]
}
