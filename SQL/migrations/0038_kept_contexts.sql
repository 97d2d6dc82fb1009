-- Native contexts are kept for whoever it is: when an app last saved each, and indexes for as many as there are
-- people. They are searched by whoever saved them, so that they have search words, too.

set local role school_owner;
set local search_path = school, pg_temp;

alter table context add column saved_at timestamptz(3) not null default date_trunc('milliseconds', now());
comment on column context.saved_at is 'When an app last saved it, also unchanged (native contexts).';
comment on column context.search_text is 'Words of title, keywords and summary as search_text() makes them.';
-- Without the special letters that name_text() knows, until it is saved again.
update context
   set search_text = setweight(to_tsvector('simple', lower(title)), 'A')
           || setweight(to_tsvector('simple', lower(coalesce(summary, ''))), 'C')
 where kind = 'native';

-- The app's own context is there from the first save on.
insert into context (organization_id, context_id, kind, environment, bundle_id, identifier_path, locale, person_id,
                     title, type, search_text)
select n.organization_id, gen_random_uuid(), 'native', n.environment, n.bundle_id, '{}', 'und', n.person_id,
       n.title, 'app', to_tsvector('simple', '')
  from (select distinct c.organization_id, c.environment, c.bundle_id, c.person_id,
               coalesce((select min(a.name) from app as a
                          where a.organization_id = c.organization_id and a.bundle_id = c.bundle_id
                            and a.product_type = 'App'), c.bundle_id) as title
          from context as c
         where c.kind = 'native' and c.deleted_at is null) as n
 where not exists (select from context as r
                    where r.organization_id = n.organization_id and r.environment = n.environment
                      and r.bundle_id = n.bundle_id and r.identifier_path = '{}' and r.deleted_at is null
                      and (r.kind = 'catalog' or r.person_id = n.person_id));

-- What is published is found without walking through what apps saved for everybody, and the other way round.
create index context_published on context (organization_id, bundle_id, environment, identifier_path)
    where kind = 'catalog';
create index context_published_children on context (organization_id, bundle_id, environment, parent_path)
    where kind = 'catalog' and deleted_at is null;
create index context_own on context (organization_id, person_id, environment, bundle_id, identifier_path)
    where kind = 'native';
create index context_own_children on context (organization_id, person_id, environment, bundle_id, parent_path)
    where kind = 'native' and deleted_at is null;
create index context_saved on context (saved_at) where kind = 'native';
