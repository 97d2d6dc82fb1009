import Crypto
import Postgres
import School
import Values

extension TestSchool {
    /// A grade that another system wrote, with its item: by default 84.5 of 100 points for a quiz in Biology.
    ///
    /// - Parameters:
    ///   - system: the name of its service account, which is there from the first time on.
    ///   - item: the title of the graded item, which is there from the first time on, too.
    ///   - daysAgo: when the score was given; less than 0 for the future.
    @discardableResult
    package func newGrade(
        of student: Persona, in classID: ClassID = TestIDs.biology, item: String = "Quiz",
        score: Double = 84.5, comment: String? = nil, daysAgo: Int = 1, by system: String = "Grader"
    ) throws -> UUID {
        let account = try account(system, in: hillside)
        try sql(
            """
            insert into school.gradebook_item (organization_id, gradebook_item_id, service_account_id, class_id, title,
                                               assigned_at, due_at, value_max)
            select \(hillside), gen_random_uuid(), \(account), \(classID), \(item), now(), now(), 100
             where not exists (select from school.gradebook_item
                                where service_account_id = \(account) and class_id = \(classID) and title = \(item))
            """)
        let id = UUID.v7()
        try sql(
            """
            insert into school.grade (organization_id, grade_id, service_account_id, gradebook_item_id, class_id,
                                      person_id, status, score, comment, scored_on)
            select organization_id, \(id), service_account_id, gradebook_item_id, class_id, \(self.id(student)),
                   'fully graded', \(score)::double precision, \(comment), current_date - \(Int32(daysAgo))::integer
              from school.gradebook_item
             where service_account_id = \(account) and class_id = \(classID) and title = \(item)
            """)
        return id
    }

    /// The id of a service account that reads the roster.
    private func account(_ name: String, in organization: OrganizationID) throws -> UUID {
        try sql(
            """
            insert into school.service_account (organization_id, service_account_id, name, role, secret_digest)
            select \(organization), gen_random_uuid(), \(name), 'rosterReader', sha256('secret')
             where not exists (select from school.service_account
                                where organization_id = \(organization) and name = \(name))
            """)
        return try sql(
            """
            select service_account_id as id from school.service_account
             where organization_id = \(organization) and name = \(name)
            """)[0].uuid("id")
    }

    /// Who looked where at whose work, and how often: `Tom Biology Sam 1`, `Grader Biology class 1`.
    package func whoLooked() throws -> [String] {
        try sql(
            """
            select concat_ws(' ', r.given_name, a.name, c.name, coalesce(s.given_name, 'class'), v.times) as text
              from school.viewing as v
              join school.class as c on c.class_id = v.class_id
              left join school.person as r on r.person_id = v.reader_id
              left join school.service_account as a on a.service_account_id = v.system_id
              left join school.person as s on s.person_id = v.student_id
            """
        ).map { try $0.text("text") }.sorted()
    }
}
