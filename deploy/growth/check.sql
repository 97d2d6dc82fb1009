-- What loading as on a replica did not check: prints each foreign key with rows that refer to nothing, and each
-- activity whose sums are not what its parts come to. Prints nothing if all is well.
\set ON_ERROR_STOP 1
set search_path = growth, school, public;
set jit = off;
set work_mem = '256MB';
select format('select %L from %s as a where not exists (select from %s as b where %s) and %s limit 1',
              k.conname, k.conrelid::regclass, k.confrelid::regclass,
              string_agg(format('a.%I = b.%I', f.attname, t.attname), ' and '),
              string_agg(format('a.%I is not null', f.attname), ' and '))
  from pg_constraint as k
 cross join unnest(k.conkey, k.confkey) as c (own, other)
  join pg_attribute as f on f.attrelid = k.conrelid and f.attnum = c.own
  join pg_attribute as t on t.attrelid = k.confrelid and t.attnum = c.other
 where k.contype = 'f' and k.conrelid in ('activity'::regclass, 'activity_part'::regclass, 'activity_item'::regclass,
       'activity_assignment'::regclass, 'assignment_figures'::regclass, 'assignment'::regclass)
 group by k.oid
\gexec
select 'progress differs: ' || check_progress_differs(:'organization', null) limit 3;
