-- Functions of the catalog: versions.

create or replace trigger bump_version before update on developer_team
    for each row execute function bump_version();
create or replace trigger bump_version before update on context
    for each row execute function bump_version();
create or replace trigger bump_team_of_new_key after insert on developer_key
    referencing new table as changed for each statement
    execute function bump_parent('developer_team', 'team_id');
create or replace trigger bump_team_of_old_key after delete on developer_key
    referencing old table as changed for each statement
    execute function bump_parent('developer_team', 'team_id');
create or replace trigger bump_team_of_new_bundle after insert on developer_bundle
    referencing new table as changed for each statement
    execute function bump_parent('developer_team', 'team_id');
create or replace trigger bump_team_of_old_bundle after delete on developer_bundle
    referencing old table as changed for each statement
    execute function bump_parent('developer_team', 'team_id');
