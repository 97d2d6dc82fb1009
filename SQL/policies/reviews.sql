-- Who may do what with reviews.
--
--   teacher   reads, makes, moves and takes back his or her own, at handouts of classes he or she teaches
--   others    nothing: whether work was looked at shows in nothing that a student or a colleague reads

grant select, delete, insert (organization_id, task_id, person_id, teacher_id, done_at, reviewed_at),
      update (done_at, reviewed_at) on review to school_teacher;

create policy "teachers keep what they have looked at" on review
    for all to school_teacher
    using (organization_id = (select my_organization()) and teacher_id = (select my_person())
       and exists (select from task as t
                    where t.organization_id = review.organization_id and t.task_id = review.task_id))
    with check (organization_id = (select my_organization()) and teacher_id = (select my_person())
       and exists (select from task as t
                     join seat as s on s.organization_id = t.organization_id and s.class_id = t.class_id
                    where t.organization_id = review.organization_id and t.task_id = review.task_id
                      and s.person_id = review.person_id and s.role = 'student'));
