-- What an archive was called where it came from, so that people recognise their imports.

alter table import
    add column file_name text,
    add constraint import_file_name_length check (char_length(file_name) between 1 and 256);

comment on column import.file_name is 'What the archive was called where it came from.';
