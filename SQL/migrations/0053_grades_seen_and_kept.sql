-- Grades: who looked at them, and how long they are kept.
--
-- Another system of the school that reads results over OneRoster leaves viewings as teachers do. Grades have a
-- retention rule of their own; what is old is found by an index.

alter table viewing
    add column system_id uuid,
    add constraint viewing_has_one_reader check (num_nonnulls(reader_id, system_id) <= 1);
drop index viewing_is_kept_once_a_day;
create unique index viewing_is_kept_once_a_day
    on viewing (organization_id, reader_id, system_id, viewed_on, class_id, student_id) nulls not distinct
    where reader_id is not null or system_id is not null;

comment on column viewing.reader_id is
    'Who looked; null: another system, or someone who was erased since. No key, as in the audit trail.';
comment on column viewing.system_id is 'The service account that looked; null: a person did.';

alter table retention_rule
    drop constraint retention_rule_kind,
    add constraint retention_rule_kind check (kind in ('activities', 'auditEvents', 'exports', 'grades', 'handouts'));

-- The day from which a rule counts: that of the score, but none after the grade came.
create index grade_day on grade (organization_id, (least(scored_on, (created_at at time zone 'UTC')::date)))
    where deleted_at is null;
