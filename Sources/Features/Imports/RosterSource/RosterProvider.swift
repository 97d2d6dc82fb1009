import Crypto
import HTTPClient
import JSONBytes

/// What a pull does between two calls: it says that it goes on, waits, and ends when it must.
protocol RosterPace: AnyObject {
    /// Throws if the pull must end.
    func check() throws
    /// Waits for so many seconds; throws if the pull must end meanwhile.
    func pause(_ seconds: Int) throws
}

/// Asks one OneRoster provider, with an access token by OAuth 2 client credentials (RFC 6749, section 4.4). Used by one
/// thread.
final class RosterProvider {
    /// How often a call is tried again that broke off or met an error of the server.
    private static let retriesMax = 2
    /// How often a provider may ask for a pause during one call.
    private static let pausesMax = 5
    /// The longest access token, in bytes.
    private static let tokenLength = 8192

    private let address: RosterAddress
    private let clientID: String
    private let secret: String
    private let client: any BlockingCalls
    private let limits: RosterLimits
    private let pace: any RosterPace
    private var token: String?
    /// Which of the ways to ask for a token the provider took.
    private var knownWay: TokenWay?

    init(
        _ address: RosterAddress, clientID: String, secret: String, client: any BlockingCalls,
        limits: RosterLimits, pace: any RosterPace
    ) {
        self.address = address
        self.clientID = clientID
        self.secret = secret
        self.client = client
        self.limits = limits
        self.pace = pace
    }

    /// A page, with a new token if the one it has is no longer taken.
    func get(_ page: WebAddress) throws -> OutgoingAnswer {
        var isRenewed = false
        while true {
            let bearer = try token ?? newToken()
            let answer = try call(
                OutgoingRequest(
                    page,
                    headers: [
                        ("Authorization", "Bearer \(bearer)"), ("Accept", "application/json"),
                    ]))
            switch answer.status {
            case 200: return answer
            case 401 where !isRenewed:
                token = nil
                isRenewed = true
            case 401, 403:
                throw RosterFailure(
                    .refused,
                    "The provider answers \(answer.status) to \(page.rest): the client id may not read this."
                )
            default:
                throw RosterFailure(
                    .unexpectedAnswer, "The provider answers \(answer.status) to \(page.rest).")
            }
        }
    }

    /// Any answer but 429, 503 and other errors of the server, which are waited for; broken calls are repeated.
    private func call(_ request: OutgoingRequest) throws -> OutgoingAnswer {
        var retries = 0
        var pauses = 0
        while true {
            try pace.check()
            let failure: RosterFailure
            do {
                let answer = try client.perform(request)
                if answer.status == 429 || answer.status == 503 {
                    pauses += 1
                    try wait(for: answer, number: pauses)
                    continue
                }
                guard answer.status >= 500 else { return answer }
                failure = RosterFailure(
                    .unreachable,
                    "The provider answers \(answer.status) to \(request.address.rest).")
            } catch let broken as OutgoingFailure {
                failure = RosterFailure(broken)
            }
            guard failure.code == .unreachable, retries < Self.retriesMax else { throw failure }
            retries += 1
            try pace.pause(retries * retries * 2)
        }
    }

    private func wait(for answer: OutgoingAnswer, number: Int) throws {
        let seconds = answer.retryAfter ?? number * number * 2
        guard seconds <= limits.pauseSeconds, number <= Self.pausesMax else {
            throw RosterFailure(
                .busy, "The provider asks to be left alone (status \(answer.status)).",
                retryAfter: answer.retryAfter)
        }
        try pace.pause(max(1, seconds))
    }

    // MARK: Tokens

    /// How a token is asked for: providers differ in whether they know scopes and decode what Basic carries.
    private struct TokenWay {
        let isEncoded: Bool
        let isScoped: Bool
    }

    private var ways: [TokenWay] {
        if let knownWay { return [knownWay] }
        let isPlain = formEncoded(clientID) == clientID && formEncoded(secret) == secret
        return [true, false].flatMap { isScoped in
            (isPlain ? [true] : [true, false]).map {
                TokenWay(isEncoded: $0, isScoped: isScoped)
            }
        }
    }

    private func newToken() throws -> String {
        var status = 0
        for way in ways {
            let answer = try call(tokenRequest(way))
            status = answer.status
            if status == 200 {
                let made = try tokenText(answer)
                token = made
                knownWay = way
                return made
            }
            guard [400, 401, 403].contains(status) else { break }
        }
        guard [400, 401, 403].contains(status) else {
            throw RosterFailure(
                .unexpectedAnswer, "\(address.tokenURL.rest) answers \(status) instead of a token.")
        }
        throw RosterFailure(
            .refused, "The provider refuses the client id or its secret (status \(status)).")
    }

    private func tokenRequest(_ way: TokenWay) -> OutgoingRequest {
        let pair =
            way.isEncoded
            ? "\(formEncoded(clientID)):\(formEncoded(secret))" : "\(clientID):\(secret)"
        let scope = way.isScoped ? "&scope=\(formEncoded(address.scope))" : ""
        return OutgoingRequest(
            address.tokenURL,
            headers: [
                ("Authorization", "Basic \(Base64.encode(Array(pair.utf8)))"),
                ("Accept", "application/json"),
                ("Content-Type", "application/x-www-form-urlencoded"),
            ],
            body: Array("grant_type=client_credentials\(scope)".utf8))
    }

    private func tokenText(_ answer: OutgoingAnswer) throws -> String {
        // No real answer is longer. Parsing one could take more memory than a page, whose values are counted first.
        let document = answer.body.count <= 65_536 ? try? JSONValue(parsing: answer.body) : nil
        guard let text = document?["access_token"]?.text, !text.isEmpty,
            text.utf8.count <= Self.tokenLength,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw RosterFailure(
                .unexpectedAnswer, "\(address.tokenURL.rest) answers without an access_token.")
        }
        return text
    }
}
