-- The order of names: which name of a person comes first, and how people are sorted.

alter table organization
    add column name_order text not null default 'givenFirst',
    add constraint organization_name_order check (name_order in ('givenFirst', 'familyFirst'));
alter table person
    add column name_order text,
    add constraint person_name_order check (name_order in ('givenFirst', 'familyFirst'));

-- The same order in every database, whatever its locale; equal names are told apart by their bytes.
create index person_by_name on person
    (organization_id, family_name collate "und-x-icu", given_name collate "und-x-icu", person_id);

comment on column organization.name_order is 'Which name of its people comes first, unless a person says otherwise.';
comment on column person.name_order is 'Which name comes first; null: as the organization has it.';
