import Postgres
import School
import TestKit

extension TestSchool {
    /// The row of a person of Hillside by the id in the archive.
    func person(_ sourceID: String) throws -> Row {
        try sql(
            """
            select person_id, given_name, family_name, managed_id, email, grade, password_policy, origin, status
              from school.person where organization_id = \(hillside) and source_id = \(sourceID)
            """)[0]
    }

    /// `role at location, …` of a person.
    func roles(of sourceID: String) throws -> String {
        try sql(
            """
            select coalesce(string_agg(r.role || ' at ' || l.source_id, ', ' order by r.role, l.source_id), '') as roles
              from school.person_role as r join school.person as p using (organization_id, person_id)
              join school.location as l using (organization_id, location_id)
             where p.source_id = \(sourceID)
            """)[0].text("roles")
    }

    /// `role in class, …` of a person's current seats.
    func seats(of sourceID: String) throws -> String {
        try sql(
            """
            select coalesce(string_agg(s.role || ' in ' || c.source_id, ', ' order by s.role, c.source_id), '') as seats
              from school.seat as s join school.person as p using (organization_id, person_id)
              join school.class as c using (organization_id, class_id)
             where p.source_id = \(sourceID) and s.left_at is null
            """)[0].text("seats")
    }

    func addToken(of sourceID: String) throws {
        try sql(
            """
            insert into school.access_token (organization_id, digest, person_id, expires_at)
            select organization_id, sha256(source_id::bytea), person_id, now() + interval '1 hour'
              from school.person where source_id = \(sourceID)
            """)
    }

    func validTokens(of sourceID: String) throws -> Int {
        try sql(
            """
            select count(*) as n from school.access_token as t join school.person as p using (organization_id, person_id)
             where p.source_id = \(sourceID) and t.revoked_at is null
            """)[0].int("n")
    }

    /// Makes every insert of a seat fail from now on.
    func breakSeats() throws {
        try sql(
            """
            create function school.break() returns trigger language plpgsql as
            'begin raise exception ''broken''; end'
            """)
        try sql(
            "create trigger break before insert on school.seat for each row execute function school.break()"
        )
    }
}
