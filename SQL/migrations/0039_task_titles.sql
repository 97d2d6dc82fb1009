-- Tasks keep what their context was called in every locale, so that each reader is shown the title that suits.

set local role school_owner;
set local search_path = school, pg_temp;

alter table task
    add column titles jsonb,
    add constraint task_titles_are_a_list check (jsonb_typeof(titles) = 'array');
comment on column task.titles is
    'What its context was called in each locale when the task was given: [{locale, title, presentableLocales}]; '
    'null: there was one.';

-- Not a new version of the handouts.
alter table task disable trigger user;
update task as t
   set titles = x.titles
  from (select o.organization_id, o.task_id,
               jsonb_agg(jsonb_build_object('locale', c.locale, 'title', c.title,
                                            'presentableLocales', to_jsonb(c.presentable_locales))
                         order by c.locale) as titles
          from task as o
          join handout as h on h.organization_id = o.organization_id and h.handout_id = o.handout_id
          join context as c
            on c.organization_id = o.organization_id and c.environment = h.environment
           and c.bundle_id = o.bundle_id and c.identifier_path = o.recorded_path
           and c.kind = 'catalog' and c.deleted_at is null
         where o.context_owner_id is null and o.withdrawn_at is null
         group by o.organization_id, o.task_id
        having count(*) > 1) as x
 where t.organization_id = x.organization_id and t.task_id = x.task_id;
alter table task enable trigger user;
