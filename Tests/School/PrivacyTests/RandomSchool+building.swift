import Postgres
import PrivacyRules
import School
import TestKit
import Values

/// Puts the cast into the database, bypassing every policy: what happens later is what is tested.
extension RandomSchool {
    func build() throws {
        try buildOrganization()
        try buildPeople()
        try buildTokens()
        try buildClasses()
        try buildContexts()
        try buildTools()
    }

    private func buildOrganization() throws {
        let domain = "\(organization.uuid).example"
        try service.sql(
            """
            with made as (
                insert into school.organization (organization_id, name, time_zone)
                values (\(organization), \(domain), 'Europe/Berlin')
            ), reserved as (
                insert into school.domain_directory (domain, organization_id)
                values (\(domain), \(organization))
            ), named as (
                insert into school.organization_domain (organization_id, domain)
                values (\(organization), \(domain))
            )
            insert into school.location (organization_id, location_id, name)
            values (\(organization), \(location), 'Main building')
            """)
    }

    private func buildPeople() throws {
        let standings =
            Cast.teachers.map { ($0, Standing.teacher) }
            + Cast.students.map { ($0, Standing.student) }
            + Cast.others.map { ($0.name, $0.standing) }
        let ids = standings.map { people[$0.0]?.uuid }
        let managed = standings.map { person in
            "\(person.0.text.split(separator: " ").joined())@\(organization.uuid).example"
                .lowercased()
        }
        try service.sql(
            """
            with who as (
                select * from unnest(\(ids), \(managed), \(standings.map(\.0.text)),
                                     \(standings.map(\.1.rawValue))) as w (id, managed_id, name, role)
            ), reserved as (
                insert into school.managed_id_directory (managed_id, organization_id, person_id)
                select distinct managed_id, \(organization), id from who
            ), made as (
                insert into school.person (organization_id, person_id, given_name, family_name, managed_id)
                select distinct \(organization), id, name, 'Example', managed_id from who
            )
            insert into school.person_role (organization_id, person_id, location_id, role)
            select \(organization), id, \(location), role from who
            """)
    }

    private struct NewToken {
        let text: String
        let person: PersonName?
        let standing: Standing?
        let app: String?
        let world: World
    }

    private func buildTokens() throws {
        var tokens = (Standing.rolesOfServices + [.tool]).map {
            NewToken(
                text: token($0), person: nil, standing: $0, app: nil, world: .production)
        }
        for world in World.allCases {
            for person in people.keys {
                tokens.append(
                    NewToken(
                        text: token(person, in: world), person: person, standing: nil, app: nil,
                        world: world))
            }
            for person in Cast.learnersAndTeachers {
                for app in Cast.apps {
                    tokens.append(
                        NewToken(
                            text: token(person, in: world, app: app), person: person,
                            standing: .app, app: app, world: world))
                }
            }
        }
        try service.sql(
            """
            insert into school.access_token (organization_id, digest, person_id, standing, app,
                                             environment, expires_at)
            select \(organization), sha256(convert_to(text, 'UTF8')), person, standing, app, world,
                   now() + interval '1 year'
              from unnest(\(tokens.map(\.text)), \(tokens.map { $0.person.flatMap { people[$0]?.uuid } }),
                          \(tokens.map { $0.standing?.rawValue }), \(tokens.map(\.app)),
                          \(tokens.map(\.world.rawValue))) as t (text, person, standing, app, world)
            """)
    }

    private func buildClasses() throws {
        try service.sql(
            """
            insert into school.term (organization_id, term_id, name, kind, starts_on, ends_on)
            values (\(organization), \(term), 'This year', 'schoolYear', '2020-01-01', '2040-01-01')
            """)
        try service.sql(
            """
            insert into school.class (organization_id, class_id, location_id, term_id, name, origin)
            select \(organization), id, \(location), case when has_term then \(term) end, name,
                   case when name = \(Cast.madeClass.text) then 'teacher' else 'manual' end
              from unnest(\(Cast.classes.map { classes[$0]?.uuid }),
                          \(Cast.classes.map { Cast.classesOfTerm.contains($0) ? "yes" : "no" }),
                          \(Cast.classes.map(\.text))) as c (id, of_term, name)
             cross join lateral (select of_term = 'yes' as has_term) as t
            """)
        try service.sql(
            """
            insert into school.privilege (organization_id, name, location_id, is_granted)
            values (\(organization), 'makeClasses', \(location), true)
            """)
        var seats: [(classroom: UUID?, person: UUID?, role: Role)] = []
        for case .joins(let person, let role, let classroom) in plan.seats {
            seats.append((classes[classroom]?.uuid, people[person]?.uuid, role))
        }
        try service.sql(
            """
            insert into school.seat (organization_id, class_id, person_id, role, joined_at)
            select \(organization), class_id, person_id, role, school.moment()
              from unnest(\(seats.map(\.classroom)), \(seats.map(\.person)), \(seats.map(\.role.rawValue)))
                   as s (class_id, person_id, role)
            """)
    }

    private func buildContexts() throws {
        let contexts = Cast.contexts
        try service.sql(
            """
            insert into school.context (organization_id, context_id, environment, bundle_id,
                                        identifier_path, locale, title, type)
            select \(organization), gen_random_uuid(), world, app,
                   case path when '' then '{}' else string_to_array(path, '/') end, 'en', 'Context', 'quiz'
              from unnest(\(contexts.map(\.world.rawValue)), \(contexts.map(\.app)),
                          \(contexts.map { $0.path.joined(separator: "/") })) as c (world, app, path)
            """)
    }
}
