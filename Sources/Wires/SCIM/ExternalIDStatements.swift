import Postgres
import School
import Values

/// What has an external id.
enum CalledKind {
    case person
    case `class`
    case location

    fileprivate var column: Statement {
        switch self {
        case .person: "person_id"
        case .class: "class_id"
        case .location: "location_id"
        }
    }
}

extension Statement {
    /// Keeps what a client calls a record; `nil` for nothing.
    ///
    /// The client is the service account. The tokens that the operator makes are one client together: each of them
    /// takes the place of the one before.
    static func call(
        _ kind: CalledKind, _ id: UUID, _ externalID: String?, by caller: Caller
    ) -> Statement {
        let organization = caller.organizationID
        guard let externalID else {
            return """
                delete from school.external_id
                 where organization_id = \(organization) and \(fragment: kind.column) = \(id)
                   and service_account_id is not distinct from school.my_service_account()
                """
        }
        return """
            insert into school.external_id as e
                   (organization_id, service_account_id, \(fragment: kind.column), value)
            values (\(organization), school.my_service_account(), \(id), \(externalID))
                on conflict on constraint external_id_is_one_for_each_client do update
               set value = excluded.value
            """
    }
}
