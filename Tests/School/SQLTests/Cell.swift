import API
import HTTPWire
import Postgres
import School
import TestKit
import Values

/// Makes of a populated school a cell: the school becomes a district, and gets four hundred small neighbours.
enum Cell {
    struct List {
        /// As the endpoint has it.
        let pattern: String
        /// What is asked, and how beside the limit.
        let path: String
        let query: String
    }

    /// Every list that the service has but two kinds: those of OneRoster say how many all pages have, and are kept in
    /// memory; those of tools need a registered one.
    static func lists(_ school: TestSchool) throws -> [List] {
        try school.features.flatMap(\.endpoints).filter { endpoint in
            endpoint.method == .get
                && !["/ims/oneroster/", "/lti/"].contains(where: endpoint.path.hasPrefix)
                && endpoint.operation.parameters.contains { $0.name == "limit" }
        }.flatMap { endpoint in
            try queries(of: endpoint).map { query in
                List(
                    pattern: endpoint.path, path: try filled(endpoint.path, school), query: query)
            }
        }
    }

    /// Orders for which there is an index; all others sort.
    private static func queries(of endpoint: Endpoint) -> [String] {
        switch endpoint.path {
        case "/v1/people": ["", "&order=name"]
        case "/v1/handouts": ["", "&order=due", "&counts=true"]
        case "/v1/catalog/search": ["&q=published"]
        default: [""]
        }
    }

    private static func filled(_ pattern: String, _ school: TestSchool) throws -> String {
        var parts: [String] = []
        for part in pattern.split(separator: "/").map(String.init) {
            parts.append(
                part.hasPrefix("{") ? try value(of: part, below: parts.last, school) : part)
        }
        return "/" + parts.joined(separator: "/")
    }

    private static func value(
        of parameter: String, below parent: String?, _ school: TestSchool
    ) throws -> String {
        switch (parent, parameter) {
        case ("people", _), ("students", _): Persona.sam.personID.uuid.description
        case ("classes", _): school.biology.uuid.description
        case ("apps", "{bundleId}"): school.quizzler
        case ("apps", _): "100"
        case ("handouts", _): try id("published", school)
        case ("tasks", _): try id("task of published", school)
        case ("imports", _): try id("import", school)
        case ("webhooks", _): try id("webhook of Hillside", school)
        default: parameter
        }
    }

    private static func id(_ name: String, _ school: TestSchool) throws -> String {
        let rows = try BlockingConnection(school.ownerURL).query("select test.id(\(name)) as id")
        return try rows[0].optionalUUID("id")?.description ?? name
    }

    /// Run one after the other, as a superuser.
    static let commands: [Command] = [
        "set session_replication_role = replica", people, classes, seats, handouts, work, systems,
        "set session_replication_role = origin", "analyze", planning,
    ]

    /// 30,000 people of the district, and one of each of 400 schools.
    private static let people: Command = """
        create temporary table district as
        select organization_id, location_id from school.location
         where organization_id = test.id('Hillside') limit 1;
        create temporary table small as
        select gen_random_uuid() as organization_id, gen_random_uuid() as location_id, n
          from generate_series(1, 400) as n;
        create temporary table pupil as
        select organization_id, location_id, school.new_id() as person_id, n
          from district, generate_series(1, 30000) as n;
        insert into school.person (organization_id, person_id, given_name, family_name, managed_id)
        select organization_id, person_id, 'Stu' || n, 'Dent' || n, 's' || n || '@district.example' from pupil
         union all
        select organization_id, school.new_id(), 'Ada', 'Small', 'ada@small' || n || '.example' from small;
        insert into school.person_role (organization_id, person_id, role, location_id)
        select organization_id, person_id, case when n <= 2000 then 'teacher' else 'student' end, location_id from pupil
        """

    /// 20,000 classes and 5,000 courses of the district, and one of each school.
    private static let classes: Command = """
        create temporary table taught as
        select organization_id, location_id, school.new_id() as class_id, n
          from district, generate_series(1, 20000) as n;
        insert into school.class (organization_id, class_id, location_id, name)
        select organization_id, class_id, location_id, 'Class ' || n from taught
         union all
        select organization_id, school.new_id(), location_id, 'Only' from small;
        insert into school.course (organization_id, course_id, location_id, name)
        select organization_id, school.new_id(), location_id, 'Course ' || n
          from district, generate_series(1, 5000) as n
         union all
        select organization_id, school.new_id(), location_id, 'Only' from small
        """

    /// Each teacher has ten classes, and each student sits in one or two; every 5,000th class is Tom's and Sam's, too, and
    /// has twelve students more.
    private static let seats: Command = """
        create index on pupil (n);
        analyze pupil;
        insert into school.seat (organization_id, class_id, person_id, role, joined_at)
        select c.organization_id, c.class_id, p.person_id, s.role, now() - interval '60 days'
          from taught as c
         cross join lateral (
               select 1 + c.n % 2000 as n, 'teacher' as role
                union all
               select 2001 + (c.n * 7 + m * 9001) % 28000, 'student'
                 from generate_series(1, case when c.n % 5000 = 0 then 12 else 2 end) as m) as s
          join pupil as p on p.n = s.n
         union all
        select c.organization_id, c.class_id, test.id(s.name), s.role, now() - interval '60 days'
          from taught as c, (values ('tom', 'teacher'), ('sam', 'student')) as s (name, role)
         where c.n % 5000 = 0
        """

    /// A handout of one task in each class: in Tom's and Sam's in an app of which the school bought licences for people.
    private static let handouts: Command = """
        create temporary table given as
        select organization_id, class_id, school.new_id() as handout_id, school.new_id() as task_id, n from taught;
        insert into school.handout (organization_id, handout_id, class_id, title, created_at, publish_at)
        select organization_id, handout_id, class_id, 'Handout ' || n, now() - interval '30 days',
               now() - interval '20 days' from given;
        insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title, bundle_id,
                                 identifier_path)
        select organization_id, task_id, handout_id, class_id, 1, 'appActivity', 'Task',
               case when n % 5000 = 0 then 'org.example.few' else 'org.example.quizzler' end, '{published}' from given;
        insert into school.app (organization_id, adam_id, bundle_id, name, product_type, is_device_assignable,
                                is_revocable)
        select organization_id, '300', 'org.example.few', 'Few', 'App', false, true from district
        """

    /// What one student of each class did.
    private static let work: Command = """
        create temporary table attempt as
        select g.organization_id, g.class_id, g.handout_id, g.task_id, s.person_id, school.new_id() as activity_id
          from given as g
         cross join lateral (select s.person_id from school.seat as s
                              where s.organization_id = g.organization_id and s.class_id = g.class_id
                                and s.role = 'student' limit 1) as s;
        insert into school.assignment (organization_id, task_id, person_id, opened_at)
        select organization_id, task_id, person_id, now() - interval '15 days' from attempt;
        insert into school.activity (organization_id, person_id, activity_id, environment, bundle_id, identifier_path,
                                     arrived_at)
        select organization_id, person_id, activity_id, 'production', 'org.example.quizzler', '{published}',
               now() - interval '15 days' from attempt;
        insert into school.activity_assignment (organization_id, person_id, activity_id, task_id, handout_id, class_id,
                                                started_at, duration_seconds)
        select organization_id, person_id, activity_id, task_id, handout_id, class_id, now() - interval '15 days', 60
          from attempt;
        insert into school.assignment_figures (organization_id, task_id, person_id, handout_id, class_id, attempts,
                    progress_sum, progress_count, duration_sum, latest_activity_id, started_at)
        select organization_id, task_id, person_id, handout_id, class_id, 1, 0, 0, 60, activity_id,
               now() - interval '15 days' from attempt
        """

    /// What is announced and graded in each class.
    private static let systems: Command = """
        insert into school.announcement (organization_id, announcement_id, class_id, text)
        select organization_id, school.new_id(), class_id, 'Bring your atlas' from given, generate_series(1, 2);
        create temporary table graded as
        select g.organization_id, g.class_id, g.person_id, school.new_id() as item_id, a.service_account_id
          from attempt as g
         cross join (select service_account_id from school.gradebook_item
                      where organization_id = test.id('Hillside') limit 1) as a;
        insert into school.gradebook_item (organization_id, gradebook_item_id, service_account_id, class_id, title,
                                           assigned_at, due_at)
        select organization_id, item_id, service_account_id, class_id, 'Quiz', now() - interval '20 days',
               now() - interval '10 days' from graded;
        insert into school.grade (organization_id, grade_id, service_account_id, gradebook_item_id, class_id, person_id,
                                  status, scored_on)
        select organization_id, school.new_id(), service_account_id, item_id, class_id, person_id, 'fully graded',
               current_date from graded
        """

    private static let planning: Command = """
        create function test.set_plan_cache_mode(p_mode text) returns void language plpgsql as $$
        begin
            execute format('alter database %I set plan_cache_mode = %L', current_database(), p_mode);
        end $$
        """
}
