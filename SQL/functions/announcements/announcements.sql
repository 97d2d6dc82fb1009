-- Functions of announcements: how many a class may have.

-- check_class_takes_announcements: a class has at most 1,000 announcements. The class is locked, so that two
-- transactions that add the last one count one after the other.
create or replace function check_class_takes_announcements() returns trigger
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from class
      where organization_id = new.organization_id and class_id = new.class_id
        for no key update;
    if (select count(*) from announcement
         where organization_id = new.organization_id and class_id = new.class_id) > 1000 then
        raise exception 'the class has 1000 announcements'
            using errcode = '23514', schema = 'school', table = 'announcement',
                  constraint = 'class_has_room_for_announcements';
    end if;
    return null;
end $$;

create or replace trigger check_class_takes_new_announcement after insert on announcement
    for each row execute function check_class_takes_announcements();
create or replace trigger check_class_takes_announcement after update on announcement
    for each row when (new.class_id <> old.class_id)
    execute function check_class_takes_announcements();
