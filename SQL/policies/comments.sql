-- Who may do what with comments.
--
--             comments                                                  how far one has read
--   teacher   reads those at handouts that he or she reads;             reads and moves the own
--             writes to students who have the handout now
--   student   reads and writes those of the own work                    reads and moves the own
--   others    nothing: a conversation is no matter of the directory, of exports or of apps
--
-- Only its author removes a comment, and only its text: that something was said, by whom and when, stays. In an
-- archived class nobody writes or removes any.

grant select, insert (organization_id, comment_id, handout_id, person_id, author_id, position, text, written_at),
      update (text, removed_at) on comment to school_teacher, school_student;

create policy "teachers read the comments at their handouts" on comment
    for select to school_teacher
    using (organization_id = (select my_organization())
       and exists (select from handout as h
                    where h.organization_id = comment.organization_id and h.handout_id = comment.handout_id));
create policy "students read the comments on their work" on comment
    for select to school_student
    using (organization_id = (select my_organization()) and person_id = (select my_person())
       and exists (select from handout as h
                    where h.organization_id = comment.organization_id and h.handout_id = comment.handout_id));
create policy "teachers write to students who have the handout" on comment
    for insert to school_teacher
    with check (organization_id = (select my_organization()) and author_id = (select my_person())
       and person_id <> author_id and takes_comments(handout_id, person_id));
create policy "students write about the work they have" on comment
    for insert to school_student
    with check (organization_id = (select my_organization()) and author_id = (select my_person())
       and person_id = author_id and takes_comments(handout_id, person_id));
create policy "authors remove what they wrote" on comment
    for update to school_teacher, school_student
    using (organization_id = (select my_organization()) and author_id = (select my_person())
       and exists (select from handout as h
                     join class as c on c.organization_id = h.organization_id and c.class_id = h.class_id
                    where h.organization_id = comment.organization_id and h.handout_id = comment.handout_id
                      and c.archived_at is null))
    with check (organization_id = (select my_organization()) and text is null);

grant select, insert, update (position) on comment_seen to school_teacher, school_student;

create policy "readers of comments keep how far they have read" on comment_seen
    for all to school_teacher, school_student
    using (organization_id = (select my_organization()) and reader_id = (select my_person())
       and exists (select from comment as c
                    where c.organization_id = comment_seen.organization_id
                      and c.handout_id = comment_seen.handout_id and c.person_id = comment_seen.person_id));
