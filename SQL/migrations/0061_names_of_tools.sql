-- The names of tools: what a tool reports counts for its own tasks and for nothing else.
--
-- Uploads of a tool are kept under the name tool:ID and the task's id as the path. A task of another kind with that name
-- and path would count them as well, so no app, context or task but a tool's has a name that begins so. None has had
-- one in earnest; a name that somebody tried is changed, as no task of a tool goes by it.

update task              set bundle_id = 'app:' || substring(bundle_id from 5)
 where kind <> 'tool' and starts_with(bundle_id, 'tool:');
update context           set bundle_id = 'app:' || substring(bundle_id from 5) where starts_with(bundle_id, 'tool:');
update app               set bundle_id = 'app:' || substring(bundle_id from 5) where starts_with(bundle_id, 'tool:');
update developer_bundle  set bundle_id = 'app:' || substring(bundle_id from 5) where starts_with(bundle_id, 'tool:');
update deployment_bundle set bundle_id = 'app:' || substring(bundle_id from 5) where starts_with(bundle_id, 'tool:');

alter table task
    add constraint task_name_of_a_tool_is_a_tools check (
        (kind = 'tool') = coalesce(starts_with(bundle_id, 'tool:'), false));
alter table context
    add constraint context_is_no_tools check (not starts_with(bundle_id, 'tool:'));
alter table app
    add constraint app_is_no_tool check (not starts_with(bundle_id, 'tool:'));
alter table developer_bundle
    add constraint developer_bundle_is_no_tool check (not starts_with(bundle_id, 'tool:'));
alter table deployment_bundle
    add constraint deployment_bundle_is_no_tool check (not starts_with(bundle_id, 'tool:'));
