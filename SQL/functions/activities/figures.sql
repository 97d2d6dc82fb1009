-- Functions of activities: what they come to, and how that is shown.

-- rounded (internal): a union of ranges with every end at the nearest multiple of 2^-14 (one 16,384th), in at most
-- 8,192 pieces. Rounding a union is the union of what is rounded.
create or replace function rounded(p_ranges nummultirange) returns nummultirange
    language sql immutable parallel safe
    return (select coalesce(range_agg(numrange(round(lower(r) * 16384) / 16384, round(upper(r) * 16384) / 16384)),
                            '{}')
              from unnest(p_ranges) as r);

-- clock_error (internal): how far the sending device's clock was behind; zero if the time of sending is not stated,
-- or if the error is under 10 seconds, which may be transmission time. The error of a clock that is centuries ahead
-- is limited to a few centuries, so that no time is moved to before the earliest one that can be stored.
create or replace function clock_error(p_sent_at timestamptz, p_arrived_at timestamptz) returns interval
    language sql immutable parallel safe
    return case when p_sent_at is null or abs(extract(epoch from p_arrived_at - p_sent_at)) < 10 then interval '0'
                else make_interval(secs => greatest(
                         extract(epoch from p_arrived_at - p_sent_at)::double precision, -3e10)) end;

-- share_of_large: a share, for figures that are not tiny and whose maximum is the larger one.
create or replace function share_of_large(p_figure double precision, p_maximum double precision)
    returns double precision
    language sql immutable parallel safe
    return case when p_figure < p_maximum * 1e-30 then 0 else p_figure / p_maximum end;

-- share_of: a figure as a share of its maximum, from 0 to 1. Total: no pair of stored figures is too small or too
-- large to divide.
create or replace function share_of(p_figure double precision, p_maximum double precision) returns double precision
    language sql immutable parallel safe
    return case when p_figure is null or p_maximum is null then null
                when p_figure <= 0 or p_maximum <= 0 then 0
                when p_figure >= p_maximum then 1
                when p_maximum < 1 then share_of_large(p_figure * 1e300, p_maximum * 1e300)
                else share_of_large(p_figure, p_maximum) end;

-- bounded: a figure limited so that any number of them can be added and averaged. Servers of version 0.1.0 ask it.
-- greatest() and least() pass over null.
create or replace function bounded(p_figure double precision) returns double precision
    language sql immutable parallel safe
    return case when p_figure is not null then greatest(-1e100, least(1e100, p_figure)) end;

-- item_document: an activity item as documents show it. Joined from texts, which takes a fifth of the time of
-- json_build_object(); reports call it once for each attempt that counts.
create or replace function item_document(i activity_item) returns json
    language sql stable parallel safe
    return ('{"kind":"' || i.kind || '","identifier":' || to_json(i.identifier) || ',"title":' || to_json(i.title)
        || case i.kind
               when 'score'    then ',"score":' || i.score || ',"maxScore":' || i.max_score
               when 'quantity' then ',"quantity":' || i.quantity
               else ',"value":' || i.value || ',"valueType":"' || i.value_type || '"' end || '}')::json;
grant execute on function item_document(activity_item) to school_teacher, school_student;
grant execute on function share_of(double precision, double precision),
    share_of_large(double precision, double precision), bounded(double precision)
    to school_teacher, school_student, school_exporter;

-- primary_document (internal): item_document of the primary item of a part.
create or replace function primary_document(p_item jsonb) returns json
    language sql stable parallel safe
    return ('{"kind":"' || (p_item ->> 'kind') || '","identifier":' || to_json(p_item ->> 'identifier')
        || ',"title":' || to_json(p_item ->> 'title')
        || case p_item ->> 'kind'
               when 'score'    then ',"score":' || (p_item ->> 'score')::double precision
                                 || ',"maxScore":' || (p_item ->> 'maxScore')::double precision
               when 'quantity' then ',"quantity":' || (p_item ->> 'quantity')::double precision
               else ',"value":' || (p_item ->> 'value') || ',"valueType":"' || (p_item ->> 'valueType') || '"'
           end || '}')::json;

-- merged_items (internal): what several parts of an attempt say about its items, where some of them are partial: the
-- items of the last part that is not, and of the others each as it was changed last, in the order of their identifiers.
-- An item of a merged part has its own moment (at). The order in which parts arrived makes no difference.
create or replace function merged_items(p_whole activity_part, p_partial activity_part[]) returns jsonb
    language sql stable
begin atomic
    select jsonb_build_array((array_agg(l.item) filter (where l.is_primary))[1])
           || coalesce(jsonb_agg(l.item order by l.identifier collate "C") filter (where not l.is_primary), '[]')
      from (select distinct on (s.is_primary, s.identifier) s.is_primary, s.identifier,
                   s.item || jsonb_build_object('at', s.at) as item
              from (select e.position = 1 as is_primary, e.item - 'at' as item,
                           case when e.position > 1 then e.item ->> 'identifier' else '' end as identifier,
                           coalesce((e.item ->> 'at')::bigint,
                                    (extract(epoch from p.modified_at) * 1000)::bigint) as at
                      from unnest(p_partial || p_whole) as p
                     cross join lateral jsonb_array_elements(p.items) with ordinality as e (item, position)
                     where e.item <> 'null'
                       and (coalesce((p_whole).items, '[]') = '[]' or p.modified_at >= (p_whole).modified_at)) as s
             order by s.is_primary, s.identifier, s.at desc, s.item::text desc) as l;
end;

-- items_digest (internal): the digest of what merged_items() returns, without the moments of the items.
create or replace function items_digest(p_items jsonb) returns bytea
    language sql stable parallel safe
begin atomic
    select sha256(convert_to(jsonb_agg(case jsonb_typeof(e.item) when 'object' then e.item - 'at' else e.item end
                                       order by e.position)::text, 'UTF8'))
      from jsonb_array_elements(p_items) with ordinality as e (item, position);
end;

-- figures_of (internal): what an attempt comes to for a task. Only parts changed before the student's next attempt at
-- it began count, which makes the figures final; a next attempt that began at the same moment does not end it. Half a
-- minute is added, since the times of two uploads from a device with a wrong clock are not shifted by exactly the
-- same amount. Progress is rounded far beyond what a figure shows, because a still smaller number would not fit a
-- double; null if there is none. Without a search path, so that it is inlined.
create or replace function figures_of(p_parts activity_part[], p_next_at timestamptz)
    returns table (started_at timestamptz, stopped_at timestamptz, modified_at timestamptz,
                   duration_seconds double precision, progress double precision, part_digest bytea, items jsonb,
                   is_cut boolean, is_shown boolean)
    language sql stable
begin atomic
        select s.started_at, s.stopped_at, coalesce(s.modified_at, s.started_at), coalesce(s.duration_seconds, 0),
               (select round(sum(upper(r) - lower(r)), 18)::double precision from unnest(s.progress_ranges) as r),
               case when s.partial is null then (s.last).digest
                    else items_digest(merged_items(s.last, s.partial)) end,
               case when s.partial is null then (s.last).items else merged_items(s.last, s.partial) end,
               s.parts > s.counted, s.counted > 0
          from (select min(p.started_at) as started_at, count(*) as parts,
                       count(*)                filter (where c.counts) as counted,
                       max(p.stopped_at)       filter (where c.counts) as stopped_at,
                       max(p.modified_at)      filter (where c.counts) as modified_at,
                       max(p.duration_seconds) filter (where c.counts) as duration_seconds,
                       range_agg(p.progress_ranges) filter (where c.counts) as progress_ranges,
                       (array_agg(p order by p.items = '[]', p.modified_at desc, p.digest desc)
                            filter (where c.counts and not p.is_partial))[1] as last,
                       array_agg(p) filter (where c.counts and p.is_partial) as partial
                  from unnest(p_parts) as p
                 cross join lateral (
                       select p_next_at is null or p.modified_at < p_next_at + interval '30 seconds' as counts) as c
                offset 0) as s;
end;
