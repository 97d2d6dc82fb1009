-- Who may do what with news. They are read from handouts, marks, seats and announcements, under the policies of those.
--
--                   how far a teacher has looked
--   teacher         reads and moves his or her own
--   others          nothing

grant select, insert (organization_id, person_id, seen_at), update (seen_at) on news_seen to school_teacher;

create policy "teachers read how far they have looked" on news_seen
    for select to school_teacher
    using (organization_id = (select my_organization()) and person_id = (select my_person()));
create policy "teachers begin to look" on news_seen
    for insert to school_teacher
    with check (organization_id = (select my_organization()) and person_id = (select my_person()));
create policy "teachers look further" on news_seen
    for update to school_teacher
    using (organization_id = (select my_organization()) and person_id = (select my_person()));
