import ClassKit
import ClassKitUplink
import Foundation

/// What a person types in on another device to sign in on this one.
public struct SignInCode: Sendable {
    /// The code.
    public let code: String
    /// The page that asks for it.
    public let page: URL
    /// The page with the code filled in, for a QR code or a link.
    public let pageWithCode: URL?
}

/// Why a person could not sign in or out.
public enum SignInError: Error, LocalizedError {
    /// No server is configured.
    case unavailable(String)
    /// The token of the environment decides who is signed in.
    case fixed
    /// So many changes wait for sending, and would wait until the same person signs in again.
    case unsent(Int)

    /// What went wrong, and what to do.
    public var errorDescription: String? {
        switch self {
        case .unavailable(let reason): reason
        case .fixed: "CLASSKIT_TOKEN says who is signed in; unset it to sign in."
        case .unsent(let count):
            "\(count) changes are not sent yet. Sign out again, leaving them, if they may wait."
        }
    }
}

extension ClassKitLinux {
    /// Signs a person in with the browser of this device, and turns to that person's data.
    public static func signInWithBrowser() async throws {
        let subject = try await signIn().signInWithBrowser()
        try await CLSDataStore.shared.turn(to: subject)
    }

    /// Signs a person in with a code that is typed in on another device, and turns to that person's data.
    /// - Parameter show: gets what the person has to see.
    public static func signInWithCode(
        _ show: @escaping @Sendable (SignInCode) -> Void
    ) async throws {
        let subject = try await signIn().signInWithCode { code in
            show(
                SignInCode(
                    code: code.userCode, page: code.verificationURL,
                    pageWithCode: code.completeURL))
        }
        try await CLSDataStore.shared.turn(to: subject)
    }

    /// Signs the person out. What waits for sending stays on the device until the same person signs in again.
    /// - Parameter leavingUnsent: signs out even if something waits.
    /// - Throws: `SignInError.unsent` if something waits that could not be sent now.
    public static func signOut(leavingUnsent: Bool = false) async throws {
        let signIn = try signIn()
        if !leavingUnsent {
            await CLSDataStore.shared.synchronize()
            let count = try await CLSDataStore.shared.unsentCount()
            guard count == 0 else { throw SignInError.unsent(count) }
        }
        try await CLSDataStore.shared.turn(to: nil)
        try await signIn.signOut()
    }

    private static func signIn() throws -> SignIn {
        let settings = CLSDataStore.shared.settings
        guard let link = settings.link else {
            throw SignInError.unavailable(
                settings.obstacle?.localizedDescription ?? "No server is configured.")
        }
        guard let signIn = link.tokens as? SignIn else { throw SignInError.fixed }
        return signIn
    }
}
