-- Loads the links of activities with their items, and what they come to, from growth_attempt; see activities.sql.
\set ON_ERROR_STOP 1
set search_path = growth, school, public;
set jit = off;
set synchronous_commit = off;
set work_mem = '256MB';
set session_replication_role = replica;
insert into activity_assignment (organization_id, person_id, activity_id, task_id, handout_id, class_id, started_at,
       stopped_at, duration_seconds, progress, kind, share, primary_item, modified_at, part_digest, created_at,
       updated_at)
select :'organization', person_id, activity_id, task_id, handout_id, class_id, started_at,
       started_at + interval '390 seconds', 300, attempt * 0.25, case when has_score then 'score' end,
       case when has_score then share_of(score, 10) end,
       case when has_score then primary_document(jsonb_build_object('kind', 'score', 'identifier', 'total',
           'title', 'Score', 'score', score, 'maxScore', 10)) end,
       started_at + interval '390 seconds', sha256(uuid_send(activity_id)), started_at + interval '400 seconds',
       started_at + interval '400 seconds'
  from growth_attempt;
insert into activity_item (organization_id, person_id, activity_id, task_id, identifier, position, is_primary, kind,
       title, score, max_score)
select :'organization', person_id, activity_id, task_id, 'total', 1, true, 'score', 'Score', score, 10
  from growth_attempt where has_score;
insert into assignment_figures (organization_id, task_id, person_id, handout_id, class_id, attempts, progress_sum,
       progress_count, duration_sum, latest_activity_id, begun_at, started_at, progress, kind, share, primary_item)
select :'organization', task_id, person_id, handout_id, class_id, 3, 1.5, 3, 900, activity_id,
       started_at - interval '6 days', started_at, 0.75,
       case when has_score then 'score' end, case when has_score then share_of(score, 10) end,
       case when has_score then primary_document(jsonb_build_object('kind', 'score', 'identifier', 'total',
           'title', 'Score', 'score', score, 'maxScore', 10)) end
  from growth_attempt where attempt = 3;
insert into assignment (organization_id, task_id, person_id, opened_at, done_at, created_at, updated_at)
select :'organization', task_id, person_id, started_at - interval '6 days',
       started_at + interval '400 seconds', started_at - interval '6 days', started_at + interval '400 seconds'
  from growth_attempt where attempt = 3;
