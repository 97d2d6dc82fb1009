import HTTPServer
import School
import Values

/// For whom a password is hashed, which determines its turn (`HashingQueue`).
struct Asker: Hashable, Sendable {
    /// Signed in, or at a device from which the person signed in before.
    let isKnown: Bool
    /// Where its passwords stand in the line: the organization, the networks around a stranger, and the account.
    let path: [String]

    /// The caller of a call with a token.
    init(_ caller: Caller) {
        isKnown = true
        let account = caller.personID?.uuid ?? caller.serviceAccountID?.uuid
        path = [caller.organizationID.uuid.description, account?.description ?? ""]
    }

    /// A person who is signing in.
    ///
    /// Behind a reverse proxy that is not trusted to report client addresses, everyone has the address of the machine
    /// itself, which then says nothing.
    ///
    /// - Parameter organization: whose domain the managed ID has, so that the turn does not tell whether a stranger's
    ///   guess exists; `nil` if it has none that is known.
    init(address: String, organization: OrganizationID?, account: String, isKnownDevice: Bool) {
        isKnown = isKnownDevice
        let parsed = NetworkAddress(address)
        let networks =
            isKnownDevice || parsed?.isLoopback == true
            ? [] : parsed?.neighbourhoods ?? [address]
        path = [organization?.uuid.description ?? ""] + networks + ["account \(account)"]
    }

    /// The narrowest network around a stranger; the account where no network is known.
    var network: String { path.dropLast().dropFirst().last ?? path[path.count - 1] }
}
