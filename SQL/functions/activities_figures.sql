-- Functions of activities: what they come to, and how it is shown.

set local role school_owner;
set local search_path = school, pg_temp;

-- rounded (internal): a union of ranges with every end at the nearest sixteen-thousandth (2^-14), in 8,192 pieces
-- at most. Rounding a union is the union of what is rounded, so it makes no difference when it is done.
create or replace function rounded(p_ranges nummultirange) returns nummultirange
    language sql immutable parallel safe
    return (select coalesce(range_agg(numrange(round(lower(r) * 16384) / 16384, round(upper(r) * 16384) / 16384)),
                            '{}')
              from unnest(p_ranges) as r);

-- item_document: an activity item as documents show it. Joined from texts, which takes a fifth of the time of
-- json_build_object(), and what counts has one for each attempt.
create or replace function item_document(i activity_item) returns json
    language sql stable parallel safe
    return ('{"kind":"' || i.kind || '","identifier":' || to_json(i.identifier) || ',"title":' || to_json(i.title)
        || case i.kind
               when 'score'    then ',"score":' || i.score || ',"maxScore":' || i.max_score
               when 'quantity' then ',"quantity":' || i.quantity
               else ',"value":' || i.value || ',"valueType":"' || i.value_type || '"' end || '}')::json;
grant execute on function item_document(activity_item) to school_teacher, school_student;

-- figures_of (internal): what the links of an activity repeat of it. Without a search path, to be a part of the
-- statement that names it.
create or replace function figures_of(p_organization_id uuid, p_person_id uuid, p_activity_id uuid)
    returns table (started_at timestamptz, stopped_at timestamptz, duration_seconds double precision,
                   progress double precision, kind text, share double precision, quantity double precision,
                   positive boolean, primary_item json)
    language sql stable as $$
    select a.started_at, a.stopped_at, a.duration_seconds, a.progress, (i.item).kind,
           (i.item).score / (i.item).max_score, (i.item).quantity, (i.item).value, school.item_document(i.item)
      from school.activity as a
      left join lateral (
            select i as item from school.activity_item as i
             where i.organization_id = a.organization_id and i.person_id = a.person_id
               and i.activity_id = a.activity_id and i.is_primary offset 0) as i on true
     where a.organization_id = p_organization_id and a.person_id = p_person_id
       and a.activity_id = p_activity_id offset 0
$$;
