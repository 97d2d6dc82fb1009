-- Functions of recipients: they record who had a handout, also after it was taken back.

-- remember_recipients: records the time of a student who is no longer chosen, so that work done then is stored if it
-- arrives later (assigned_tasks). Leaves no record for a handout that was not published, or for a choice taken back
-- within the same millisecond.
create or replace function remember_recipients() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into former_recipient (organization_id, handout_id, person_id, given_at, taken_at)
    select g.organization_id, g.handout_id, g.person_id, g.created_at, moment()
      from gone as g
      join handout as h on h.organization_id = g.organization_id and h.handout_id = g.handout_id
      join person as p  on p.organization_id = g.organization_id and p.person_id = g.person_id
     where h.publish_at < moment() and h.deleted_at is null and g.created_at < moment()
    on conflict on constraint former_recipient_pkey do update
       set taken_at = greatest(former_recipient.taken_at, excluded.taken_at);
    return null;
end $$;

-- remember_class (internal): the same for the class, when a handout it had is for chosen students from now on: for
-- everyone who ever sat in it and is not among them. Their seats determine during which of that time each one had it.
create or replace function remember_class(p_handout handout) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into former_recipient (organization_id, handout_id, person_id, given_at, taken_at)
    select distinct s.organization_id, p_handout.handout_id, s.person_id, g.given_at, moment()
      from seat as s
     cross join (select coalesce(p_handout.for_class_since, p_handout.created_at)) as g (given_at)
     where s.organization_id = p_handout.organization_id and s.class_id = p_handout.class_id
       and s.role = 'student' and p_handout.publish_at < moment() and g.given_at < moment()
       and not exists (select from handout_recipient as r
                        where r.organization_id = s.organization_id
                          and r.handout_id = p_handout.handout_id and r.person_id = s.person_id)
    on conflict on constraint former_recipient_pkey do update
       set given_at = least(former_recipient.given_at, excluded.given_at),
           taken_at = greatest(former_recipient.taken_at, excluded.taken_at);
end $$;

create or replace trigger remember_recipients after delete on handout_recipient
    referencing old table as gone for each statement execute function remember_recipients();
