import HTTPWire

extension Operation {
    /// A header field of answers or requests that the API document describes.
    package struct Header: Sendable {
        package let name: String
        package let meaning: String
        /// Whether the answer always has it, or the request must.
        package let isRequired: Bool

        package init(name: String, meaning: String, isRequired: Bool) {
            self.name = name
            self.meaning = meaning
            self.isRequired = isRequired
        }

        static let etag = Header(
            name: "ETag", meaning: "The state, for If-Match and If-None-Match.", isRequired: true)
        static let location = Header(
            name: "Location", meaning: "The path of what was made.", isRequired: true)
        static let link = Header(
            name: "Link", meaning: "The next page, rel=\"next\"; absent on the last one.",
            isRequired: false)
        static let pages = Header(
            name: "Link",
            meaning: "The first, previous, next and last page, absolute; of single objects absent.",
            isRequired: false)
        static let acceptRanges = Header(
            name: "Accept-Ranges", meaning: "bytes: a part can be asked for with Range.",
            isRequired: true)
        static let contentRange = Header(
            name: "Content-Range", meaning: "Which bytes of how many.", isRequired: true)
        static let vary = Header(
            name: "Vary", meaning: "Which fields of the request chose this form.",
            isRequired: true)
        static let challenge = Header(
            name: "WWW-Authenticate", meaning: "Bearer (RFC 6750).", isRequired: true)
        static let clientChallenge = Header(
            name: "WWW-Authenticate", meaning: "Basic (RFC 7617).", isRequired: true)
        static let requestID = Header(
            name: "X-Request-Id",
            meaning: "The id of the request: your own where you sent one. Quote it to support.",
            isRequired: false)
        static let replayed = Header(
            name: "Idempotency-Replayed",
            meaning: "true: this is the answer of the first call with this Idempotency-Key.",
            isRequired: false)
        static let retryAfter = Header(
            name: "Retry-After", meaning: "How many seconds to wait.", isRequired: false)
        static let rateLimitPolicy = Header(
            name: "RateLimit-Policy", meaning: "How much may be asked for in ten seconds.",
            isRequired: false)
        static let rateLimit = Header(
            name: "RateLimit",
            meaning: "What is left of it, and in how many seconds all of it is there again.",
            isRequired: false)
        static let accept = Header(
            name: "Accept", meaning: "The media type that is taken.", isRequired: false)
        static let acceptEncoding = Header(
            name: "Accept-Encoding", meaning: "identity: no content coding is taken.",
            isRequired: false)
    }

    /// The request fields that this call evaluates, derived from the answers it declares.
    var conditions: [Header] {
        func field(_ name: String, _ meaning: String) -> Header {
            Header(name: name, meaning: meaning, isRequired: false)
        }
        var fields: [Header] = []
        if answers.contains(where: { $0.status == 304 }) {
            fields.append(
                field(
                    "If-None-Match", "The ETag you have. If it is still current, the answer is 304."
                ))
        }
        if problems.contains(where: { $0.status == 412 }) {
            fields.append(
                field(
                    "If-Match", "The ETag that must still be current. Otherwise the answer is 412.")
            )
            if method == .put {
                fields.append(
                    field(
                        "If-None-Match", "`*` creates and never replaces: 412 if the record exists."
                    ))
            }
        }
        if answers.contains(where: { $0.status == 206 }) {
            fields.append(
                field(
                    "Range",
                    "One range, such as bytes=0-99; a request for several ranges gets the whole file."
                ))
            fields.append(
                field(
                    "If-Range",
                    "The ETag of the file whose part is wanted; if it has another, the answer is the whole file."
                ))
        }
        return fields
    }
}

extension Operation.Answer {
    /// The answer with a strong `ETag`.
    package var tagged: Self { with(.etag) }
    /// The answer with the `Location` of the new resource.
    package var located: Self { with(.location) }
    /// The answer in a form chosen by a request field, which `Vary` names.
    package var negotiated: Self { with(.vary) }
    /// The answer with an `ETag`; `Range` gets parts of it.
    package var ranged: Self { with(.etag).with(.acceptRanges) }
    /// The answer that says when to ask again.
    package var retryable: Self { with(.retryAfter) }
    /// The answer that asks a client of OAuth to authenticate.
    package var challengingClients: Self { with(.clientChallenge) }
    /// The answer that asks for another access token.
    package var challengingCallers: Self { with(.challenge) }
    /// The answer to a body in another form, with the forms that are taken.
    package var namingForms: Self { with(.accept).with(.acceptEncoding) }
    /// The answer to `Range`.
    package var partial: Self { ranged.with(.contentRange) }

    /// The answer to a read with the current `ETag`.
    package static let unchanged = empty(304, "The client has the current version.").tagged

    /// The same answer in pages, each of which links to the next.
    package var paged: Self { with(.link) }

    /// The same answer in pages, each of which links to those around it.
    package var pagedBothWays: Self { with(.pages) }

    /// The answer with a header field.
    package func with(_ header: Operation.Header) -> Self {
        var answer = self
        answer.headers.append(header)
        return answer
    }
}
