-- What an attempt comes to stands in what it counts for, so that a report reads one row for each attempt.
--
-- Reports are asked for by task, activities and their items are found by person: each cell of a report looked up
-- an activity and an item, and row security looked up the link again for both. The link is written whenever its
-- activity changes in any case.

set local role school_owner;
set local search_path = school, pg_temp;

alter table activity_assignment
    add column started_at       timestamptz(3),
    add column stopped_at       timestamptz(3),
    add column duration_seconds double precision,
    add column progress         double precision,
    add column kind             text,
    add column share            double precision,
    add column quantity         double precision,
    add column positive         boolean,
    add column primary_item     json;

update activity_assignment as l
   set started_at = a.started_at, stopped_at = a.stopped_at, duration_seconds = a.duration_seconds,
       progress = a.progress, kind = i.kind, share = i.score / i.max_score, quantity = i.quantity,
       positive = i.value,
       -- As item_document() has it, which is made after the migrations.
       primary_item = ('{"kind":"' || i.kind || '","identifier":' || to_json(i.identifier) || ',"title":'
           || to_json(i.title)
           || case i.kind
                  when 'score'    then ',"score":' || i.score || ',"maxScore":' || i.max_score
                  when 'quantity' then ',"quantity":' || i.quantity
                  else ',"value":' || i.value || ',"valueType":"' || i.value_type || '"' end || '}')::json
  from activity as a
  left join activity_item as i
         on i.organization_id = a.organization_id and i.person_id = a.person_id
        and i.activity_id = a.activity_id and i.is_primary
 where a.organization_id = l.organization_id and a.person_id = l.person_id and a.activity_id = l.activity_id;

alter table activity_assignment
    alter column started_at set not null,
    alter column duration_seconds set not null;

comment on column activity_assignment.started_at   is 'As in the activity, like all columns below.';
comment on column activity_assignment.kind         is 'Of the primary item; null: there is none.';
comment on column activity_assignment.share        is 'The score of the primary item as a share of its maximum.';
comment on column activity_assignment.quantity     is 'Of the primary item.';
comment on column activity_assignment.positive     is 'The value of a binary primary item.';
comment on column activity_assignment.primary_item is 'As documents show it.';
