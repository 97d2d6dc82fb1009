/// A request to another server.
package struct OutgoingRequest: Sendable {
    package let address: WebAddress
    /// Name and value of each field.
    package let headers: [(name: String, value: String)]
    /// The body of a `POST`, text in UTF-8; `nil` is a `GET`.
    package let body: [UInt8]?
    /// On whose behalf it is sent, so that nobody takes the turns of others; `nil` for nobody in particular.
    package let party: String?
    /// For how long somebody waits for it at most, where that is less than the client's limit.
    package let milliseconds: Int?

    /// - Parameters:
    ///   - headers: name and value of each field, without line breaks.
    ///   - body: the body of a `POST`, text in UTF-8; `nil` is a `GET`. Without a `Content-Type` it is a form.
    ///   - party: on whose behalf it is sent; `nil` for nobody in particular.
    ///   - milliseconds: a limit for the whole call, if it is to be shorter than the client's.
    package init(
        _ address: WebAddress, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil,
        party: String? = nil, milliseconds: Int? = nil
    ) {
        self.address = address
        self.headers = headers
        self.body = body
        self.party = party
        self.milliseconds = milliseconds
    }
}

/// What another server answered.
package struct OutgoingAnswer: Sendable {
    package let status: Int
    package let body: [UInt8]
    /// How many seconds the server asks to be left alone; `nil` if it does not say.
    package let retryAfter: Int?
    /// The values of each field, by its name in small letters.
    private let fields: [String: [String]]

    /// - Parameter fields: name and value of each field of the head, in its order.
    package init(
        status: Int, body: [UInt8], retryAfter: Int? = nil,
        fields: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.body = body
        self.retryAfter = retryAfter
        self.fields = Dictionary(grouping: fields) { $0.name.lowercased() }
            .mapValues { $0.map(\.value) }
    }

    /// The values of a field, one after the other with commas (RFC 9110, section 5.3); `nil` if the answer has none.
    ///
    /// - Parameter name: in small letters.
    package func field(_ name: String) -> String? { fields[name]?.joined(separator: ", ") }
}

/// Why another server was not asked, or did not answer; the sentence is for the person who named the server.
package enum OutgoingFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// Too many other calls are on their way.
    case busy
    /// The scheme is `http`, and the address is not of this machine.
    case notSecure
    /// The name leads to an address that is not on the Internet.
    case foreignPlace
    case unknownName
    case unreachable
    case untrusted
    case slow
    case tooLong
    /// It leads to another address, which is never followed.
    case redirects
    /// Anything else, in the words of libcurl.
    case other(String)

    package var description: String {
        switch self {
        case .busy: "Too many calls to other servers are on their way. Try again in a few seconds."
        case .notSecure: "The address does not begin with https://."
        case .foreignPlace:
            "The name leads to an address inside a network or on this machine. The operator can allow that "
                + "with HOMEROOM_LOCAL_PROVIDERS."
        case .unknownName: "The name of the server is unknown."
        case .unreachable: "The server cannot be reached."
        case .untrusted: "The certificate of the server is not valid for this name."
        case .slow: "The server did not answer in time."
        case .tooLong: "The answer of the server is too long."
        case .redirects: "The server answers with a redirect, which is not followed."
        case .other(let words): "The server cannot be asked: \(words)."
        }
    }
}

/// What asks other servers.
package protocol OutgoingCalls: Sendable {
    /// Throws an `OutgoingFailure` unless the server answered with any status but a redirect.
    func send(_ request: OutgoingRequest) async throws -> OutgoingAnswer
}
