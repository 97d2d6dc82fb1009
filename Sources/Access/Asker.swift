import HTTPServer
import School
import Values

/// For whom a password is hashed, which determines its turn (`HashingQueue`).
struct Asker: Hashable, Sendable {
    /// Signed in, or at a device from which the person signed in before.
    let isKnown: Bool
    /// The network of a stranger; irrelevant for known askers.
    let network: String
    let account: String

    /// The caller of a call with a token.
    init(_ caller: Caller) {
        isKnown = true
        network = ""
        account =
            caller.personID?.uuid.description ?? caller.serviceAccountID?.uuid.description ?? ""
    }

    /// A person who is signing in. Behind a reverse proxy that is not trusted to report client addresses, everyone
    /// has the address of the machine itself; each account then counts as a network.
    init(address: String, account: String, isKnownDevice: Bool) {
        isKnown = isKnownDevice
        self.account = account
        let parsed = NetworkAddress(address)
        network =
            isKnownDevice
            ? ""
            : parsed?.isLoopback == true
                ? account : parsed?.neighbourhood.description ?? address
    }
}
