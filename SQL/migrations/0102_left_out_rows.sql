-- Imports leave out what cannot be read, up to a share that the organization sets, instead of refusing all of it.

alter table organization
    add column import_left_out_percent integer not null default 1,
    add constraint organization_import_left_out_percent check (import_left_out_percent between 0 and 100);

alter table import
    add column is_strict boolean not null default false,
    add column tallies   jsonb   not null default '[]';

alter table import_file add column left_out integer not null default 0;

comment on column organization.import_left_out_percent is
    'An import in which more of the rows of a file would be left out is refused, if they are more than ten.';
comment on column import.is_strict is 'Every deviation from the standard ends it, as for those who write exports.';
comment on column import.tallies is
    'How often something of each kind was put right, left out or wrong: level, file, column, code, count, first lines.';
comment on column import_file.left_out is 'Rows that could not be used. Whom and what they are about stays as it was.';
