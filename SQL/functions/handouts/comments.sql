-- Functions of comments: writing one, what is new, and how far one has read.

-- takes_comments: whether the student has a handout that is published, in a class that is not archived. Row-level
-- security leaves only what the caller may see.
create or replace function takes_comments(p_handout_id uuid, p_person_id uuid) returns boolean
    language sql stable
begin atomic
    select exists (
        select from school.handout as h
          join school.class as c on c.organization_id = h.organization_id and c.class_id = h.class_id
         where h.organization_id = (select school.my_organization()) and h.handout_id = p_handout_id
           and h.publish_at <= school.moment() and c.archived_at is null
           and p_person_id in (select s.person_id from school.handout_seats(array[p_handout_id]) as s));
end;

-- write_comment: adds a comment to those of a student at a handout. False if the caller may not write there.
--
-- A lock makes writers of the same conversation wait for each other. So a reader who has read up to a position has missed
-- no earlier comment.
create or replace function write_comment(p_handout_id uuid, p_person_id uuid, p_comment_id uuid, p_text text)
    returns boolean
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    -- A student writes on the own work, a teacher on that of others, also one who learns in the class.
    if (p_person_id = my_person()) is distinct from (my_standing() = 'student')
       or not takes_comments(p_handout_id, p_person_id) then
        return false;
    end if;
    perform pg_advisory_xact_lock(
        hashtextextended(concat('comments ', my_organization(), p_handout_id, p_person_id), 0));
    insert into comment (organization_id, comment_id, handout_id, person_id, author_id, position, text, written_at)
    select my_organization(), p_comment_id, p_handout_id, p_person_id, my_person(),
           coalesce(max(c.position), 0) + 1, p_text, latest_moment()
      from comment as c
     where c.organization_id = my_organization() and c.handout_id = p_handout_id and c.person_id = p_person_id;
    return true;
end $$;

-- see_comments: notes that the caller has read the comments of a student at a handout up to this one; it never goes
-- back. False if the caller sees no such comment.
create or replace function see_comments(p_handout_id uuid, p_person_id uuid, p_comment_id uuid) returns boolean
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    perform from comment as c
      where c.organization_id = my_organization() and c.comment_id = p_comment_id
        and c.handout_id = p_handout_id and c.person_id = p_person_id;
    if not found then
        return false;
    end if;
    insert into comment_seen as s (organization_id, handout_id, person_id, reader_id, position)
    select c.organization_id, c.handout_id, c.person_id, my_person(), c.position
      from comment as c
     where c.organization_id = my_organization() and c.comment_id = p_comment_id
        on conflict on constraint comment_seen_pkey
        do update set position = excluded.position where s.position < excluded.position;
    return true;
end $$;

-- new_comments: what the caller has not read of the comments at some handouts, student by student: a student what
-- teachers wrote, a teacher what students wrote.
create or replace function new_comments(p_handout_ids uuid[])
    returns table (handout_id uuid, person_id uuid, comments integer, last_at timestamptz)
    language sql stable
begin atomic
        select c.handout_id, c.person_id, count(*)::integer, max(c.written_at)
          from school.comment as c
          left join school.comment_seen as s
            on s.organization_id = c.organization_id and s.reader_id = (select school.my_person())
           and s.handout_id = c.handout_id and s.person_id = c.person_id
         where c.organization_id = (select school.my_organization()) and c.handout_id = any (p_handout_ids)
           and c.removed_at is null and (s.position is null or s.position < c.position)
           and (c.author_id is not distinct from c.person_id) = ((select school.my_standing()) = 'teacher')
         group by c.handout_id, c.person_id;
end;

-- my_new_comments: how many unread comments by teachers the calling student has, by handout. Callers join it with handouts
-- that the student may read. It runs as the owner, so that the policies of handouts are not checked a second time.
create or replace function my_new_comments() returns table (handout_id uuid, comments integer)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    if not exists (select from comment where organization_id = my_organization() and person_id = my_person()) then
        return;
    end if;
    return query
    select c.handout_id, count(*)::integer
      from comment as c
      left join comment_seen as s
        on s.organization_id = c.organization_id and s.reader_id = c.person_id and s.handout_id = c.handout_id
       and s.person_id = c.person_id
     where c.organization_id = my_organization() and c.person_id = my_person()
       and c.removed_at is null and c.author_id is distinct from c.person_id
       and (s.position is null or s.position < c.position)
     group by c.handout_id;
end $$;

-- authors_of_comments: the names of those who wrote comments that the caller sees: on the own work, or at handouts of
-- classes that the caller teaches. Definer, because students read no other person, and teachers not those who left.
create or replace function authors_of_comments(p_comment_ids uuid[])
    returns table (comment_id uuid, author json)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    taught constant uuid[] := my_taught_class_ids();
begin
    return query
    select c.comment_id,
           json_build_object('givenName', p.given_name, 'familyName', p.family_name, 'nameOrder', name_order_of(p))
      from comment as c
      join handout as h on h.organization_id = c.organization_id and h.handout_id = c.handout_id
      join person as p  on p.organization_id = c.organization_id and p.person_id = c.author_id
     where c.organization_id = my_organization() and c.comment_id = any (p_comment_ids)
       and (c.person_id = my_person() or h.class_id = any (taught));
end $$;
grant execute on function takes_comments(uuid, uuid), write_comment(uuid, uuid, uuid, text),
    see_comments(uuid, uuid, uuid), new_comments(uuid[]), authors_of_comments(uuid[])
    to school_teacher, school_student;
grant execute on function my_new_comments() to school_student;
