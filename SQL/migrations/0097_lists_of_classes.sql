-- Lists of teachers and students go class by class, and each class has its rows in the order of the list. The indexes
-- also stand behind their foreign keys, as before.

drop index announcement_class, gradebook_item_class, grade_class, grade_person;
create index announcement_class   on announcement (organization_id, class_id, announcement_id);
create index gradebook_item_class on gradebook_item (organization_id, class_id, gradebook_item_id);
create index grade_class          on grade (organization_id, class_id, grade_id);
create index grade_person         on grade (organization_id, person_id, grade_id);

-- Which classes have tasks in the apps that a school bought is asked for the list of apps.
create index task_bundle on task (organization_id, bundle_id, class_id) where bundle_id is not null;
