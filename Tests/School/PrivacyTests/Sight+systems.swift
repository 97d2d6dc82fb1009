import Postgres
import PrivacyRules
import School
import TestKit
import Values

/// Other systems of the school, with and without a grant of the results of classes.
extension RandomSchool {
    private enum Grant: String, CaseIterable {
        /// It writes grades in every class, and reads no results.
        case none = "a system that writes grades"
        /// It reads the results of the first class.
        case one = "a system with the results of a class"
        case all = "a system with the results of all classes"
    }

    /// Systems read the handouts of the classes whose results they were granted as the nightly export has them, and
    /// nothing of others.
    func lookAsSystems() throws {
        guard let group = classes.min(by: { $0.key < $1.key })?.value else { return }
        let handouts = oracle.records(.handout, seenBy: .exporter)
        let tasks = oracle.records(.task, seenBy: .exporter)
        let ofGroup = try names(
            "select handout_id as id from school.handout where class_id = \(group)")
        let tasksOfGroup = try names(
            "select task_id as id from school.task where class_id = \(group)")
        for grant in Grant.allCases {
            let caller = try system(grant, group)
            let seen = try names("select handout_id as id from school.handout", as: caller)
            let seenTasks = try names("select task_id as id from school.task", as: caller)
            let students = try service.sql(
                """
                select a.task_id as id from school.assignment as a
                union select f.task_id from school.assignment_figures as f
                union select l.task_id from school.activity_assignment as l
                """, as: caller)
            let worked = Set(try students.map { name(try $0.uuid("id")) })
            switch grant {
            case .none:
                compare(seen, [], grant.rawValue, "table handout")
                compare(seenTasks, [], grant.rawValue, "table task")
            case .one:
                compare(seen, handouts.intersection(ofGroup), grant.rawValue, "table handout")
                compare(seenTasks, tasks.intersection(tasksOfGroup), grant.rawValue, "table task")
            case .all:
                compare(seen, handouts, grant.rawValue, "table handout")
                compare(seenTasks, tasks, grant.rawValue, "table task")
            }
            compare(
                worked.subtracting(seenTasks), [], grant.rawValue, "work at tasks it does not see")
        }
    }

    private func names(_ statement: Statement, as caller: Caller? = nil) throws -> Set<String> {
        let rows =
            if let caller { try service.sql(statement, as: caller) } else {
                try service.sql(statement)
            }
        return Set(try rows.map { name(try $0.uuid("id")) })
    }

    /// The caller that a system's token makes; its account and its grant are there from the first time on.
    private func system(_ grant: Grant, _ group: ClassID) throws -> Caller {
        try service.sql(
            """
            insert into school.service_account (organization_id, service_account_id, name, role, secret_digest)
            select \(organization), gen_random_uuid(), \(grant.rawValue), 'rosterReader', sha256('secret')
             where not exists (select from school.service_account
                                where organization_id = \(organization) and name = \(grant.rawValue))
            """)
        let account = try service.sql(
            """
            select service_account_id as id from school.service_account
             where organization_id = \(organization) and name = \(grant.rawValue)
            """)[0].uuid("id")
        try service.sql(
            """
            insert into school.gradebook_grant (organization_id, service_account_id, class_id, reads_results)
            values (\(organization), \(account), \(grant == .one ? group : nil), \(grant != .none))
                on conflict do nothing
            """)
        return Caller(
            organizationID: organization, personID: nil,
            serviceAccountID: ServiceAccountID(account), standings: [.rosterReader])
    }
}
