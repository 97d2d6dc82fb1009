-- OneRoster: the order of people, classes and enrollments by their sourcedIds, in which other systems read them page by
-- page. Without it, every page would sort the whole roster. The expressions are those of oneroster_id() and
-- oneroster_enrollment_id().

create index person_sourced_id on person (organization_id, (coalesce(source_id, person_id::text)) collate "C");
create index class_sourced_id on class (organization_id, (coalesce(source_id, class_id::text)) collate "C");
create index seat_sourced_id on seat (
    organization_id,
    (coalesce(source_id, class_id::text || '_' || person_id::text || '_' || role)) collate "C");

-- One enrollment by the id that the information system gave it.
create index seat_source_id on seat (organization_id, source_id) where source_id is not null;
