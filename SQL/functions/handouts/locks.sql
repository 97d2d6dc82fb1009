-- Functions of locks: the time of a lock or an archive stays closed after it is lifted, and no change opens a handout
-- for the past.

-- remember_lock: records the time of a lock that ends, so that work done meanwhile is not stored if it arrives later
-- (assigned_tasks). A lock lifted within the same millisecond leaves no record.
create or replace function remember_lock() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into handout_lock (organization_id, handout_id, locked_at, unlocked_at)
    select old.organization_id, old.handout_id, old.locked_at, coalesce(new.locked_at, moment())
     where old.locked_at < coalesce(new.locked_at, moment())
    on conflict on constraint handout_lock_pkey do update
       set unlocked_at = greatest(handout_lock.unlocked_at, excluded.unlocked_at);
    return null;
end $$;

-- remember_archive: records the time during which a reopened class was archived, as if each of its published handouts
-- had been locked that long.
create or replace function remember_archive() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into handout_lock (organization_id, handout_id, locked_at, unlocked_at)
    select h.organization_id, h.handout_id, old.archived_at, coalesce(new.archived_at, moment())
      from handout as h
     where h.organization_id = old.organization_id and h.class_id = old.class_id
       and old.archived_at < coalesce(new.archived_at, moment())
       and h.publish_at < coalesce(new.archived_at, moment())
    on conflict on constraint handout_lock_pkey do update
       set unlocked_at = greatest(handout_lock.unlocked_at, excluded.unlocked_at);
    return null;
end $$;

-- keep_closings: a teacher cannot reopen a time that was closed: neither by undoing a completion, nor by moving the
-- beginning of a lock to later.
create or replace function keep_closings() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    new.completed_at := coalesce(old.completed_at, new.completed_at);
    if new.locked_at > old.locked_at then
        new.locked_at := old.locked_at;
    end if;
    return new;
end $$;

create or replace trigger remember_lock after update on handout
    for each row when (old.locked_at is not null and new.locked_at is distinct from old.locked_at)
    execute function remember_lock();
create or replace trigger remember_archive after update on class
    for each row when (old.archived_at is not null and new.archived_at is distinct from old.archived_at)
    execute function remember_archive();
create or replace trigger keep_closings before update on handout
    for each row when (my_standing() = 'teacher') execute function keep_closings();

-- keep_openings: a teacher who changes a handout cannot make it open earlier than now: neither by a publication in
-- the past, nor by giving the whole class what was for chosen students. Otherwise attempts that no one had assigned
-- would be revealed.
create or replace function keep_openings() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    if new.publish_at is distinct from old.publish_at and new.publish_at < moment() then
        new.publish_at := moment();
    end if;
    if old.recipients = 'chosen' and new.recipients = 'class' then
        new.for_class_since := moment();
    end if;
    return new;
end $$;
create or replace trigger keep_openings before update on handout
    for each row when (my_standing() = 'teacher') execute function keep_openings();

-- mend_creation: a handout made while the clock was ahead can be published once it has been set back. It was made now
-- at the latest, and so were its tasks (mend_creation_of_tasks); otherwise they would open only when the wrong time
-- comes.
create or replace function mend_creation() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    new.created_at := new.publish_at;
    return new;
end $$;
create or replace trigger mend_creation before update on handout
    for each row when (new.publish_at < new.created_at and new.created_at > moment()) execute function mend_creation();

create or replace function mend_creation_of_tasks() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update task set created_at = new.created_at
     where organization_id = new.organization_id and handout_id = new.handout_id and created_at > new.created_at;
    return null;
end $$;
create or replace trigger mend_creation_of_tasks after update on handout
    for each row when (new.created_at < old.created_at) execute function mend_creation_of_tasks();
