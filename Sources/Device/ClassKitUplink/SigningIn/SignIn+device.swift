public import Foundation

/// What a person needs to sign in with another device.
public struct DeviceCode: Equatable, Sendable {
    /// To be typed in, with its hyphen.
    public var userCode: String
    /// Where it is typed in.
    public var verificationURL: URL
    /// The same with the code, for a QR code.
    public var completeURL: URL?
    /// How long the code is good for.
    public var expiresInSeconds: Double
}

extension SignIn {
    /// Signs a person in who types a code into a browser elsewhere (RFC 8628).
    ///
    /// - Parameter show: shows the code. Called once, on any thread.
    /// - Returns: the subject.
    /// - Throws: `UplinkError.signInFailed` if the person refuses or the code expires.
    public func signInWithCode(
        _ show: @escaping @Sendable (DeviceCode) -> Void
    ) async throws -> String {
        guard let address = try await authorizationServer().device else {
            throw UplinkError.signInFailed("The server has no sign-in by code.")
        }
        let answer = try await post(
            address, [("scope", "classkit"), ("environment", configuration.environment)])
        guard answer.status == 200 else {
            let refusal = try refusal(answer)
            throw UplinkError.signInFailed(refusal.description ?? refusal.error)
        }
        let started: Started
        do {
            started = try JSON.decode(Started.self, from: answer.body)
        } catch {
            throw UplinkError.protocolViolation("\(address.path()) answered: \(error)")
        }
        show(
            DeviceCode(
                userCode: started.userCode, verificationURL: started.verificationURL,
                completeURL: started.completeURL, expiresInSeconds: started.expiresIn))
        return try await begin(try await wait(for: started))
    }

    private func wait(for started: Started) async throws -> TokenAnswer {
        let end = clock.now.uptime + started.expiresIn
        var interval = started.interval ?? 5
        while clock.now.uptime < end {
            try await clock.sleep(seconds: interval)
            do {
                switch try await tokens([
                    ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                    ("device_code", started.deviceCode),
                ]) {
                case .given(let tokens): return tokens
                case .refused(let refusal):
                    switch refusal.error {
                    case "authorization_pending": break
                    case "slow_down": interval += 5
                    case "access_denied":
                        throw UplinkError.signInFailed("The person refused.")
                    case "expired_token": throw Self.expired
                    default:
                        throw UplinkError.signInFailed(refusal.description ?? refusal.error)
                    }
                }
            } catch UplinkError.network {
                // Section 3.5: a client that cannot reach the server asks less often.
                interval = min(interval * 2, 60)
            }
        }
        throw Self.expired
    }

    private static let expired = UplinkError.signInFailed("The code has expired.")

    private struct Started: Decodable {
        let deviceCode: String
        let userCode: String
        let verificationURL: URL
        let completeURL: URL?
        let expiresIn: Double
        let interval: Double?

        private enum CodingKeys: String, CodingKey {
            case deviceCode = "device_code"
            case userCode = "user_code"
            case verificationURL = "verification_uri"
            case completeURL = "verification_uri_complete"
            case expiresIn = "expires_in"
            case interval
        }
    }
}
