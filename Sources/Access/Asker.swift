import HTTPServer
import School
import Values

/// For whom a password is hashed, which says whose turn it is (`HashingQueue`).
struct Asker: Hashable, Sendable {
    /// Signed in, or at a device from which the person signed in before.
    let isKnown: Bool
    /// Of a stranger; of whoever is known it does not matter.
    let network: String
    let account: String

    /// Whoever made a call with a token.
    init(_ caller: Caller) {
        isKnown = true
        network = ""
        account =
            caller.personID?.uuid.description ?? caller.serviceAccountID?.uuid.description ?? ""
    }

    /// Whoever signs in. Behind a reverse proxy that is not trusted to tell addresses everybody has that of the
    /// machine itself; then each account counts as a network.
    init(address: String, account: String, isKnownDevice: Bool) {
        isKnown = isKnownDevice
        self.account = account
        let place = NetworkAddress(address)
        network =
            isKnownDevice
            ? ""
            : place?.isLoopback == true
                ? account : place?.neighbourhood.description ?? address
    }
}
