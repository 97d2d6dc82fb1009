/// Whose allowance a request is taken from (`RequestLimit`).
///
/// All tokens of a person share one allowance, whatever their app or sign-in, and so do all tokens of a service
/// account.
package enum AllowanceOwner: Hashable, Sendable {
    case person(OrganizationID, PersonID)
    case serviceAccount(OrganizationID, ServiceAccountID)
    /// Tokens made for a service on the command line belong to no account. All of them in an organization that have
    /// the same standing share an allowance, so that another token is not another allowance.
    case service(OrganizationID, Standing)

    init(_ caller: Caller) {
        self =
            if let person = caller.personID {
                .person(caller.organizationID, person)
            } else if let account = caller.serviceAccountID {
                .serviceAccount(caller.organizationID, account)
            } else {
                .service(caller.organizationID, caller.standing)
            }
    }
}
