-- Loads activities with their parts from growth_attempt. The other half is links.sql, which runs at the same time.
--
-- As on a replica, without triggers and foreign keys: those would check and count rows one by one, for hours. Unique
-- and check constraints hold all the same, and check.sql compares every foreign key and every sum afterwards.
\set ON_ERROR_STOP 1
set search_path = growth, school, public;
set jit = off;
set synchronous_commit = off;
set session_replication_role = replica;
insert into activity (organization_id, person_id, activity_id, environment, bundle_id, identifier_path, arrived_at,
       created_at, updated_at)
select :'organization', person_id, activity_id, 'production', bundle_id, identifier_path,
       started_at + interval '400 seconds', started_at + interval '400 seconds', started_at + interval '400 seconds'
  from growth_attempt;
insert into activity_part (organization_id, person_id, activity_id, task_id, digest, started_at, stopped_at,
       modified_at, duration_seconds, progress_ranges, items)
select :'organization', person_id, activity_id, task_id, sha256(uuid_send(activity_id)), started_at,
       started_at + interval '390 seconds', started_at + interval '390 seconds', 300,
       nummultirange(numrange(0, attempt * 0.25)),
       jsonb_build_array(case when has_score then jsonb_build_object('kind', 'score', 'identifier', 'total',
           'title', 'Score', 'score', score, 'maxScore', 10) end)
  from growth_attempt;
