import Postgres
import Testing

/// A rule that somebody changed by hand, and the sentences that name it.
struct PlantedRule: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let plant: Command
    let texts: [String]
    /// Whether `homeroom migrate --whole` puts it back.
    let isPutBack: Bool

    init(_ plant: Command, _ texts: String..., named name: String, isPutBack: Bool = true) {
        testDescription = name
        self.plant = plant
        self.texts = texts
        self.isPutBack = isPutBack
    }
}

extension PlantedRule {
    static let policies = [
        PlantedRule(
            "create policy everyone on school.activity_assignment for select to school_teacher using (true)",
            "The database has a policy that no file has: \"everyone\" on activity_assignment.",
            named: "a policy added"),
        PlantedRule(
            "alter policy \"students read what is given to them\" on school.handout using (true)",
            "A policy is not as its file says: \"students read what is given to them\" on handout.",
            named: "a policy's condition"),
        PlantedRule(
            "alter policy \"students read what is given to them\" on school.handout to public",
            "A policy is not as its file says: \"students read what is given to them\" on handout.",
            named: "a policy's roles"),
        PlantedRule(
            "drop policy \"students read what is given to them\" on school.handout",
            "The database lacks a policy: \"students read what is given to them\" on handout.",
            named: "a policy dropped"),
        PlantedRule(
            "alter table school.seat disable row level security",
            "Row security is off, or forced, on the table seat.", named: "row security off"),
        PlantedRule(
            "alter table school.seat force row level security",
            "Row security is off, or forced, on the table seat.", named: "row security forced"),
    ]

    static let rights = [
        PlantedRule(
            "grant select on school.person to school_app",
            "A right that no file grants: school_app SELECT on person.", named: "a grant on a table"
        ),
        PlantedRule(
            "grant update (name) on school.location to school_app",
            "A right that no file grants: school_app UPDATE(name) on location.",
            named: "a grant on a column"),
        PlantedRule(
            "grant execute on function school.run_checks(uuid, uuid, text[]) to public",
            "A right that no file grants: public EXECUTE on run_checks(uuid,uuid,text[]).",
            named: "a grant on a function"),
        PlantedRule(
            "grant select on school.person to pg_monitor with grant option",
            "A right that no file grants: pg_monitor SELECT with grant option on person.",
            named: "a grant to a role of others"),
        PlantedRule(
            "revoke select on school.handout from school_teacher",
            "A right that a file grants is missing: school_teacher SELECT on handout.",
            named: "a grant taken back"),
        PlantedRule(
            "grant usage, create on schema school to public",
            "A right that no file grants: public CREATE on schema school.",
            "A right that no file grants: public USAGE on schema school.",
            named: "a grant on the schema"),
        PlantedRule(
            "alter default privileges in schema school grant select on tables to school_app",
            "Default rights that no file has: school_app SELECT on new tables of homeroom.",
            named: "rights on what is made later", isPutBack: false),
    ]

    static let functions = [
        PlantedRule(
            """
            create or replace function school.my_taught_class_ids() returns uuid[] language sql stable
                return array(select class_id from school.class)
            """,
            "A function is not as its file says: my_taught_class_ids().", named: "a function of SQL"
        ),
        PlantedRule(
            """
            create or replace function school.my_person() returns uuid language sql stable parallel safe
                return nullif(current_setting('school.person', true), 'x')::uuid
            """,
            "A function is not as its file says: my_person.", named: "what a function returns"),
        PlantedRule(
            "alter function school.my_organization() volatile",
            "A function is not as its file says: my_organization().",
            named: "a function's attribute"),
        PlantedRule(
            """
            create or replace function school.schema_serves_from() returns integer language plpgsql stable
                security definer set search_path = school, pg_temp as $$ begin return 1; end $$
            """,
            "A function is not as its file says: schema_serves_from().",
            named: "a function's body"),
        PlantedRule(
            "create function school.alien() returns integer language sql return 1",
            "A right that no file grants: public EXECUTE on alien().",
            "The database has a function that no file has: alien().", named: "a function added"),
        PlantedRule(
            "drop function school.check_export_overdue(uuid, uuid)",
            "The database lacks a function: check_export_overdue(uuid,uuid).",
            named: "a function dropped"),
        PlantedRule(
            "alter table school.assignment disable trigger bump_version",
            "A trigger is not as its file says: bump_version on assignment.",
            named: "a trigger disabled"),
        PlantedRule(
            "drop trigger touch on school.task", "The database lacks a trigger: touch on task.",
            named: "a trigger dropped"),
        PlantedRule(
            "create trigger more before update on school.task for each row execute function school.touch()",
            "The database has a trigger that no file has: more on task.", named: "a trigger added"),
        PlantedRule(
            "create rule nothing as on delete to school.seat do instead nothing",
            "The database has a rule that no file has: nothing on seat.", named: "a rule",
            isPutBack: false),
    ]

    static let tables = [
        PlantedRule(
            "alter table school.seat add column note text",
            "The database has a column that no file has: seat.note.", named: "a column added",
            isPutBack: false),
        PlantedRule(
            "alter table school.upload_receipt alter column receipt_id type text",
            "A column is not as its file says: upload_receipt.receipt_id.",
            named: "a column's type",
            isPutBack: false),
        PlantedRule(
            "alter table school.course alter column name drop not null",
            "A column is not as its file says: course.name.", named: "a column may be empty",
            isPutBack: false),
        PlantedRule(
            "create table school.notes (note text)",
            "The database has a table that no file has: notes.", named: "a table added",
            isPutBack: false),
        PlantedRule(
            "alter table school.seat set unlogged", "A table is not as its file says: seat.",
            named: "a table without a log", isPutBack: false),
        PlantedRule(
            "alter table school.term owner to homeroom", "A table is not as its file says: term.",
            named: "another owner", isPutBack: false),
        PlantedRule(
            "drop table school.upload_receipt cascade",
            "The database lacks a table: upload_receipt.", named: "a table dropped",
            isPutBack: false),
    ]

    static let constraints = [
        PlantedRule(
            """
            alter table school.seat drop constraint seat_class,
                add constraint seat_class foreign key (organization_id, class_id) references school.class not valid
            """,
            "A constraint is not as its file says: seat_class on seat.",
            named: "a foreign key that is not valid", isPutBack: false),
        PlantedRule(
            "alter table school.seat drop constraint seat_class",
            "The database lacks a constraint: seat_class on seat.", named: "a foreign key dropped",
            isPutBack: false),
        PlantedRule(
            "alter table school.seat drop constraint seat_role",
            "The database lacks a constraint: seat_role on seat.", named: "a check dropped",
            isPutBack: false),
        PlantedRule(
            "alter table school.seat drop constraint seat_role, add constraint seat_role check (true)",
            "A constraint is not as its file says: seat_role on seat.", named: "a check replaced",
            isPutBack: false),
        PlantedRule(
            "alter table school.seat drop constraint seat_pkey",
            "The database lacks a constraint: seat_pkey on seat.", named: "a primary key dropped",
            isPutBack: false),
        PlantedRule(
            "alter table school.seat add constraint more check (true)",
            "The database has a constraint that no file has: more on seat.",
            named: "a constraint added", isPutBack: false),
        PlantedRule(
            "drop index school.seat_is_taken_once",
            "The database lacks an index: seat_is_taken_once on seat.",
            named: "a unique index dropped", isPutBack: false),
        PlantedRule(
            "drop index school.access_token_expiry",
            "The database lacks an index: access_token_expiry on access_token.",
            named: "an index dropped", isPutBack: false),
        PlantedRule(
            "update pg_index set indisvalid = false where indexrelid = 'school.access_token_expiry'::regclass",
            "An index is not as its file says: access_token_expiry on access_token.",
            named: "an index that is not valid", isPutBack: false),
        PlantedRule("create index more on school.seat (role)", named: "an index added"),
    ]
}
