-- What the service asks of term, printed by a test: never edited by hand.

-- list
select term.term_id as id,
       term.name,
       term.kind,
       term.starts_on,
       term.ends_on,
       term.source_id,
       term.parent_id,
       case when term.closed_at is null then 'open' else 'closed' end as status,
       closed_at,
       term.created_at,
       term.updated_at
  from school.term
 where term.organization_id = $1
       and term.term_id > $2
 order by term.term_id limit $3

-- find
select term.term_id as id,
       term.name,
       term.kind,
       term.starts_on,
       term.ends_on,
       term.source_id,
       term.parent_id,
       case when term.closed_at is null then 'open' else 'closed' end as status,
       closed_at,
       term.created_at,
       term.updated_at,
       term.version as version
  from school.term
 where term.organization_id = $1 and term.term_id = $2

-- lock
select term.term_id as id,
       term.name,
       term.kind,
       term.starts_on,
       term.ends_on,
       term.source_id,
       term.parent_id,
       term.closed_at,
       term.version as version
  from school.term
 where term.organization_id = $1 and term.term_id = $2
   for update of term

-- create
insert into school.term
       (organization_id, term_id, name, kind, starts_on, ends_on, source_id, parent_id)
values ($1, $2, $3, $4, $5, $6, $7, $8)

-- replace and change
update school.term
   set name = $1, kind = $2, starts_on = $3, ends_on = $4, source_id = $5, parent_id = $6
 where organization_id = $7 and term_id = $8

-- remove
delete from school.term
 where organization_id = $1 and term_id = $2

-- what refers to it
select (select count(*) from school.class
         where organization_id = $1 and term_id = $2) as "classes",
       (select count(*) from school.term
         where organization_id = $3 and parent_id = $4) as "parts"
