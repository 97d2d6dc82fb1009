-- Who may do what with marks.
--
--             marks that were given                                     drafts
--   teacher   reads those at handouts that he or she reads;             reads, writes and removes his or her own, and
--             gives them to students who have the handout now, and      never those of a colleague, even in a class
--             takes them away                                           that both teach
--   student   reads his or her own                                      nothing
--   exporter  reads those at handouts that were published, also that    nothing
--             one was taken away
--   others    nothing: neither the directory nor apps have to do with it
--
-- A mark that is taken away leaves its row without points, so that receivers of exports learn of it. In an archived
-- class nobody gives any or takes one away.

grant select, insert (organization_id, mark_id, handout_id, task_id, person_id, author_id, points, maximum_points,
                      given_at),
      update (author_id, points, maximum_points, given_at) on mark to school_teacher;
grant select on mark to school_student, school_exporter;

create policy "teachers read the marks at their handouts" on mark
    for select to school_teacher
    using (organization_id = (select my_organization())
       and exists (select from handout as h
                    where h.organization_id = mark.organization_id and h.handout_id = mark.handout_id));
create policy "students read the marks that they were given" on mark
    for select to school_student
    using (organization_id = (select my_organization()) and person_id = (select my_person()) and points is not null
       and exists (select from handout as h
                    where h.organization_id = mark.organization_id and h.handout_id = mark.handout_id));
create policy "exporters read the marks at published handouts" on mark
    for select to school_exporter
    using (organization_id = (select my_organization())
       and exists (select from handout as h
                    where h.organization_id = mark.organization_id and h.handout_id = mark.handout_id));
create policy "teachers mark students who have the handout" on mark
    for insert to school_teacher
    with check (organization_id = (select my_organization()) and author_id = (select my_person())
       and person_id <> author_id and takes_marks(handout_id, task_id, person_id));
create policy "teachers change marks and take them away" on mark
    for update to school_teacher
    using (organization_id = (select my_organization())
       and exists (select from handout as h
                     join class as c on c.organization_id = h.organization_id and c.class_id = h.class_id
                    where h.organization_id = mark.organization_id and h.handout_id = mark.handout_id
                      and c.archived_at is null))
    with check (organization_id = (select my_organization()) and author_id = (select my_person())
       and person_id <> author_id and (points is null or takes_marks(handout_id, task_id, person_id)));

grant select, delete, insert (organization_id, mark_draft_id, handout_id, task_id, person_id, author_id, points,
                              replaces),
      update (points, replaces) on mark_draft to school_teacher;

create policy "teachers keep the marks that they have not given yet" on mark_draft
    for all to school_teacher
    using (organization_id = (select my_organization()) and author_id = (select my_person())
       and exists (select from handout as h
                    where h.organization_id = mark_draft.organization_id and h.handout_id = mark_draft.handout_id))
    with check (organization_id = (select my_organization()) and author_id = (select my_person())
       and person_id <> author_id and takes_marks(handout_id, task_id, person_id));
