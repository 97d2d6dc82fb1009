-- Functions of imports: school years and terms, and the term of each class. What an archive leaves out stays, as
-- locations do: closing a term is up to people.

-- plan_import_terms (internal): terms of the archive and, if it does not list all, those of the directory. One without
-- an id of the information system is found by ours, under which Homeroom exports it.
create or replace function plan_import_terms() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    insert into planned_term (term_id, source_id, line, parent_source_id, becomes, is_kept)
    select coalesce(t.term_id, new_id()), s.source_id, s.line, s.parent_source_id, merged_term(t, s), false
      from staged_term as s
      left join term as t on t.organization_id = my_organization()
                         and oneroster_id(t.source_id, t.term_id) = s.source_id;
    insert into planned_term (term_id, source_id, becomes, is_kept)
    select term_id, source_id, t, true from term as t
     where organization_id = my_organization()
       and (not import_is_whole('term')
            or source_id in (select k.source_id from staged_left_out as k where k.kind = 'term'))
       and not exists (select from staged_term as s where s.source_id = oneroster_id(t.source_id, t.term_id));
    update planned_term as p set becomes.parent_id = a.term_id
      from planned_term as a
     where a.source_id = p.parent_source_id and not p.is_kept;
    update planned_term as p
       set differs = p.becomes is distinct from t,
           change = import_change(t.term_id is null, p.becomes is distinct from t)
      from planned_term as o
      left join term as t on t.organization_id = my_organization() and t.term_id = o.term_id
     where o.term_id = p.term_id and not p.is_kept;
    perform analyse_import_staging('planned_term');
    perform plan_import_terms_of_classes();
end $$;

-- plan_import_terms_of_classes (internal): of a class's terms the smallest that covers the others; if none covers all
-- of them, the one that ends last. A class has one term here.
create or replace function plan_import_terms_of_classes() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    insert into planned_term_of_class (class_source_id, term_id)
    with recursive listed as (
        select distinct c.source_id as class_source_id, t.term_id, (t.becomes).ends_on
          from staged_class as c
         cross join lateral unnest(c.term_source_ids) as u (id)
          join planned_term as t on t.source_id = u.id),
    above (term_id, above_id, distance) as (
        select term_id, term_id, 0 from planned_term
        union all
        select a.term_id, (t.becomes).parent_id, a.distance + 1
          from above as a join planned_term as t on t.term_id = a.above_id
         where (t.becomes).parent_id is not null and a.distance < 20),
    covering as (
        select l.class_source_id, a.above_id, sum(a.distance) as distance
          from listed as l join above as a on a.term_id = l.term_id
         group by l.class_source_id, a.above_id
        having count(*) = (select count(*) from listed as o where o.class_source_id = l.class_source_id))
    select distinct on (class_source_id) class_source_id, term_id
      from (select class_source_id, above_id as term_id, distance, null::date as ends_on from covering
            union all
            select class_source_id, term_id, null, ends_on from listed) as candidate
     order by class_source_id, distance nulls last, ends_on desc, term_id;
    perform analyse_import_staging('planned_term_of_class');
end $$;
