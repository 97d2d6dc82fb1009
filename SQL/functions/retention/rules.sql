-- Functions of retention rules: how long each kind of data is kept, and what would be removed.

-- retention_cutoff (internal): what is older than this is removed; null if the rule keeps everything.
create or replace function retention_cutoff(r retention_rule, p_at timestamptz) returns timestamptz
    language sql stable
    return case when r.years is not null then date_trunc('milliseconds', p_at - make_interval(years => r.years))
                when r.days  is not null then date_trunc('milliseconds', p_at - make_interval(days => r.days)) end;

-- set_retention: replaces the rules of the caller's organization, one for each kind that is named; the others keep
-- everything from now on. A new or shorter rule takes effect in thirty days, a longer one at once. Writes an event for
-- each change.
create or replace function set_retention(p_rules jsonb) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    wanted record;
    was    retention_rule;
    rule   retention_rule;
begin
    perform from organization where organization_id = my_organization() for no key update;
    for wanted in
        select k.kind, n.years, n.days
          from unnest('{activities,auditEvents,exports,grades,handouts}'::text[]) as k (kind)
          left join jsonb_to_recordset(p_rules) as n (kind text, years integer, days integer) on n.kind = k.kind
    loop
        select * into was from retention_rule where organization_id = my_organization() and kind = wanted.kind;
        continue when (was.years, was.days) is not distinct from (wanted.years, wanted.days);
        rule := was;
        rule.organization_id := my_organization();
        rule.kind := wanted.kind;
        rule.years := wanted.years;
        rule.days := wanted.days;
        rule.set_at := moment();
        rule.effective_at := case when retention_cutoff(rule, moment()) < retention_cutoff(was, moment())
                                  then was.effective_at else moment() + interval '30 days' end;
        insert into retention_rule values (rule.*)
            on conflict on constraint retention_rule_pkey
            do update set years = excluded.years, days = excluded.days, set_at = excluded.set_at,
                          effective_at = excluded.effective_at;
        perform audit('retentionChange', 'organization', my_organization()::text, jsonb_build_object(
            'change', 'rule', 'rule', rule.kind, 'years', rule.years, 'days', rule.days,
            'effectiveAt', case when num_nonnulls(rule.years, rule.days) > 0 then rfc3339(rule.effective_at) end));
    end loop;
end $$;

-- in_hundreds (internal): a number of activities, grades or handouts as administrators learn it, who see none of them:
-- rounded up to a hundred, so that nobody finds out how many one student has by a write that takes them out.
create or replace function in_hundreds(p_count bigint) returns bigint
    language sql immutable
    return (p_count + 99) / 100 * 100;

-- retention_rules: each kind with its rule, and how much it removes within thirty days: activities, audit events
-- and viewings, folders of the nightly export, grades, handouts. Of audit events and exports, what a hold keeps does
-- not count. Of the others it does: a hold on one student must not show in a number.
create or replace function retention_rules()
    returns table (kind text, years integer, days integer, set_at timestamptz, effective_at timestamptz,
                   removed_before timestamptz, going bigint)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select k.kind, r.years, r.days, r.set_at::timestamptz,
           case when c.cutoff is not null then r.effective_at::timestamptz end, r.removed_before::timestamptz,
           case when c.cutoff is null then 0
                when k.kind = 'activities'  then in_hundreds((select count(*) from activity as a
                                                                where a.organization_id = my_organization()
                                                                  and a.arrived_at < c.cutoff))
                when k.kind = 'auditEvents' then (select coalesce(sum(s.events), 0)::bigint
                                                    from old_seals(my_organization(), c.cutoff) as s)
                                               + (select count(*) from old_viewings(my_organization(), c.cutoff))
                when k.kind = 'grades'      then in_hundreds((select count(*)
                                                                 from aged_grades(my_organization(), c.cutoff)))
                when k.kind = 'handouts'    then in_hundreds((select count(*)
                                                                 from aged_handouts(my_organization(), c.cutoff)))
                else (select count(*) from export_snapshot as e
                       where e.organization_id = my_organization() and e.taken_at < c.cutoff
                         and e.taken_at >= coalesce(r.removed_before, '-infinity')
                         and not exists (select from retention_hold as h where h.organization_id = my_organization()))
           end
      from unnest('{activities,auditEvents,exports,grades,handouts}'::text[]) with ordinality as k (kind, position)
      left join retention_rule as r on r.organization_id = my_organization() and r.kind = k.kind
     cross join lateral (select retention_cutoff(r, moment() + interval '30 days') as cutoff) as c
     order by k.position;
end $$;
grant execute on function set_retention(jsonb), retention_rules() to school_administrator;

-- progress_removed_before: the moment since which an organization's attempts are complete; null if none were removed.
-- For notes in reports.
create or replace function progress_removed_before() returns timestamptz
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select removed_before from retention_rule
             where organization_id = my_organization() and kind = 'activities');
end $$;
grant execute on function progress_removed_before() to school_teacher, school_student;
