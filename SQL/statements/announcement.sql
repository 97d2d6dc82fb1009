-- What the service asks of announcement, printed by a test: never edited by hand.

-- list
select announcement.announcement_id as id,
       announcement.class_id,
       announcement.text,
       author_id,
       announcement.created_at,
       announcement.updated_at
  from school.announcement
 where announcement.organization_id = $1
       and announcement.announcement_id > $2
 order by announcement.announcement_id limit $3

-- list of a teacher
select announcement.announcement_id as id,
       announcement.class_id,
       announcement.text,
       author_id,
       announcement.created_at,
       announcement.updated_at
  from (select distinct value from unnest(school.my_taught_class_ids()) as value order by value) as reached
 cross join lateral (
       select * from school.announcement
        where announcement.organization_id = $1
          and announcement.class_id = reached.value
               and announcement.announcement_id > $2
        order by announcement.announcement_id limit $3) as announcement
 
 order by announcement.announcement_id limit $4

-- list of a student
select announcement.announcement_id as id,
       announcement.class_id,
       announcement.text,
       author_id,
       announcement.created_at,
       announcement.updated_at
  from (select distinct value from unnest(school.my_class_ids()) as value order by value) as reached
 cross join lateral (
       select * from school.announcement
        where announcement.organization_id = $1
          and announcement.class_id = reached.value
               and announcement.announcement_id > $2
        order by announcement.announcement_id limit $3) as announcement
 
 order by announcement.announcement_id limit $4

-- find
select announcement.announcement_id as id,
       announcement.class_id,
       announcement.text,
       author_id,
       announcement.created_at,
       announcement.updated_at,
       announcement.version as version
  from school.announcement
 where announcement.organization_id = $1 and announcement.announcement_id = $2

-- lock
select announcement.announcement_id as id,
       announcement.class_id,
       announcement.text,
       announcement.version as version
  from school.announcement
 where announcement.organization_id = $1 and announcement.announcement_id = $2
   for update of announcement

-- create
insert into school.announcement
       (organization_id, announcement_id, class_id, text)
values ($1, $2, $3, $4)

-- replace and change
update school.announcement
   set class_id = $1, text = $2
 where organization_id = $3 and announcement_id = $4

-- remove
delete from school.announcement
 where organization_id = $1 and announcement_id = $2
