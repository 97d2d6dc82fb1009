-- Who may do what with reviews.
--
--   teacher   reads, makes, moves and takes back his or her own, at handouts of classes he or she teaches
--   others    nothing: whether work was looked at shows in nothing that a student or a colleague reads

grant select, delete, insert (organization_id, handout_id, person_id, teacher_id, reviewed_at),
      update (reviewed_at, earlier_at) on review to school_teacher;

create policy "teachers read their reviews" on review
    for select to school_teacher
    using (organization_id = (select my_organization()) and teacher_id = (select my_person())
       and exists (select from handout as h
                    where h.organization_id = review.organization_id and h.handout_id = review.handout_id));
create policy "teachers review the work of their students" on review
    for insert to school_teacher
    with check (organization_id = (select my_organization()) and teacher_id = (select my_person())
       and exists (select from handout as h
                     join seat as s on s.organization_id = h.organization_id and s.class_id = h.class_id
                    where h.organization_id = review.organization_id and h.handout_id = review.handout_id
                      and s.person_id = review.person_id and s.role = 'student'));
create policy "teachers move their reviews" on review
    for update to school_teacher
    using (organization_id = (select my_organization()) and teacher_id = (select my_person())
       and exists (select from handout as h
                    where h.organization_id = review.organization_id and h.handout_id = review.handout_id));
create policy "teachers take their reviews back" on review
    for delete to school_teacher
    using (organization_id = (select my_organization()) and teacher_id = (select my_person())
       and exists (select from handout as h
                    where h.organization_id = review.organization_id and h.handout_id = review.handout_id));
