-- Tombstones of OneRoster keep what the standard demands of a record, so that strict clients can read them: a class is
-- still of its course and school, an enrollment still of its user and class. Of people nothing but their roles is kept.

alter table roster_tombstone add column kept jsonb;
update roster_tombstone set kept = jsonb_build_object('kind', detail) where detail is not null;
comment on column roster_tombstone.detail is 'Written by servers of before migration 0120 alone: see kept.';
comment on column roster_tombstone.kept is
    'What OneRoster demands of the record, as it was when it left (tombstones.sql); null: nothing is known.';

alter table deletion add column roles text[];
comment on column deletion.roles is
    'Of a person: the roles of OneRoster, so that who reads only students hears of it; null: nothing is known.';
