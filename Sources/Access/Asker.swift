import HTTPServer
import School
import Values

/// For whom a password is hashed, which determines its turn (`HashingQueue`).
struct Asker: Hashable, Sendable {
    /// Signed in, or at a device from which the person signed in before.
    let isKnown: Bool
    /// The networks around a stranger, the widest first; none for known askers.
    let networks: [String]
    let account: String

    /// The network around a stranger at a level: 0 is the widest, and beyond the narrowest all are the same.
    func network(at level: Int) -> String {
        networks.isEmpty ? "" : networks[min(level, networks.count - 1)]
    }

    /// The narrowest network.
    var network: String { networks.last ?? "" }

    /// The caller of a call with a token.
    init(_ caller: Caller) {
        isKnown = true
        networks = []
        account =
            caller.personID?.uuid.description ?? caller.serviceAccountID?.uuid.description ?? ""
    }

    /// A person who is signing in. Behind a reverse proxy that is not trusted to report client addresses, everyone
    /// has the address of the machine itself; each account then counts as a network.
    init(address: String, account: String, isKnownDevice: Bool) {
        isKnown = isKnownDevice
        self.account = account
        let parsed = NetworkAddress(address)
        networks =
            isKnownDevice
            ? []
            : parsed?.isLoopback == true ? [account] : parsed?.neighbourhoods ?? [address]
    }
}
