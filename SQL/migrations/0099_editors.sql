-- Who last edited an announcement or an app, and when, so that a form in conflict can name the other person.
--
-- updated_at also moves with what others do around it, such as assigning a licence of the app.

alter table announcement
    add column edited_by uuid,
    add column edited_at timestamptz(3);
alter table app
    add column edited_by uuid,
    add column edited_at timestamptz(3);

comment on column announcement.edited_by is
    'The person who last changed what it says; null: nobody has, or the person was erased.';
comment on column announcement.edited_at is 'When what it says last changed; null: never.';
comment on column app.edited_by is
    'The person who last changed what is known of it; null: nobody has, a system did, or the person was erased.';
comment on column app.edited_at is 'When what is known of it last changed; null: never.';
