import CCurl
import Glibc

/// One call by libcurl, which blocks the thread that performs it.
struct CurlCall: Sendable {
    let request: OutgoingRequest
    let limits: HTTPClient.Limits
    let reachesLocal: Bool

    /// Prepared once, before the first call, as libcurl asks for.
    private static let isPrepared = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    func perform() throws(OutgoingFailure) -> OutgoingAnswer {
        guard Self.isPrepared, let handle = curl_easy_init() else {
            throw .other("libcurl does not start")
        }
        defer { curl_easy_cleanup(handle) }
        let reception = Reception(limits: limits)
        let gate = Gate(isSecure: request.address.isSecure, reachesLocal: reachesLocal)
        var fields: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(fields) }
        for (name, value) in request.headers {
            fields = curl_slist_append(fields, "\(name): \(value)")
        }
        let outcome = withExtendedLifetime((reception, gate)) { () -> CURLcode in
            prepare(handle, reception, gate, fields)
            // Without the signal that ends a process which writes to a closed connection: OpenSSL does.
            return withoutPipeSignal { curl_easy_perform(handle) }
        }
        if reception.isTooLong { throw .tooLong }
        guard outcome == CURLE_OK || reception.isCut else { throw failure(outcome, gate) }
        var status = 0
        guard curl_status(handle, &status) == CURLE_OK else { throw .other("it has no status") }
        guard !(300..<400).contains(status) else { throw .redirects }
        var seconds: curl_off_t = 0
        let asksForPause = curl_retry_after(handle, &seconds) == CURLE_OK && seconds > 0
        return OutgoingAnswer(
            status: status, body: reception.body, retryAfter: asksForPause ? Int(seconds) : nil,
            fields: reception.fields)
    }

    private func prepare(
        _ handle: UnsafeMutableRawPointer, _ reception: Reception, _ gate: Gate,
        _ fields: UnsafeMutablePointer<curl_slist>?
    ) {
        func set(_ option: CURLoption, _ value: Int) { must(curl_set_long(handle, option, value)) }
        func set(_ option: CURLoption, _ text: String) { must(curl_set_text(handle, option, text)) }
        set(CURLOPT_URL, request.address.text)
        set(CURLOPT_PROTOCOLS_STR, request.address.isSecure ? "https" : "http")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOSIGNAL, 1)
        let milliseconds = min(limits.milliseconds, request.milliseconds ?? .max)
        set(CURLOPT_TIMEOUT_MS, milliseconds)
        set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds)
        // A name that is still being resolved when the time is over is not waited for.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_USERAGENT, "Homeroom")
        must(curl_set_pointer(handle, CURLOPT_HTTPHEADER, fields))
        if let body = request.body {
            set(CURLOPT_POST, 1)
            set(CURLOPT_POSTFIELDSIZE, body.count)
            // Copied, unlike CURLOPT_POSTFIELDS.
            set(CURLOPT_COPYPOSTFIELDS, String(decoding: body, as: UTF8.self))
        }
        let receiver = Unmanaged.passUnretained(reception).toOpaque()
        must(curl_set_receiver(handle, CURLOPT_WRITEFUNCTION, receiveBody))
        must(curl_set_pointer(handle, CURLOPT_WRITEDATA, receiver))
        must(curl_set_receiver(handle, CURLOPT_HEADERFUNCTION, receiveHead))
        must(curl_set_pointer(handle, CURLOPT_HEADERDATA, receiver))
        must(curl_set_opener(handle, openSocket))
        must(
            curl_set_pointer(
                handle, CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(gate).toOpaque()))
    }

    private func failure(_ outcome: CURLcode, _ gate: Gate) -> OutgoingFailure {
        switch outcome {
        case CURLE_OPERATION_TIMEDOUT: .slow
        case CURLE_COULDNT_RESOLVE_HOST: .unknownName
        case CURLE_PEER_FAILED_VERIFICATION: .untrusted
        case CURLE_COULDNT_CONNECT: gate.refusal ?? .unreachable
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR: .unreachable
        default: .other(String(cString: curl_easy_strerror(outcome)))
        }
    }
}

/// An option that libcurl does not take is a mistake of this program.
private func must(_ outcome: CURLcode) {
    precondition(outcome == CURLE_OK, "libcurl refuses an option")
}

/// Runs the body on this thread while it takes no SIGPIPE, and drops one that came.
private func withoutPipeSignal<Value>(_ body: () -> Value) -> Value {
    var pipe = sigset_t()
    var before = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer {
        var now = timespec()
        while sigtimedwait(&pipe, nil, &now) > 0 {}
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    return body()
}

/// What has arrived of an answer; used by the thread of the call alone.
private final class Reception {
    /// No server needs a longer one, however long its bodies may be.
    private static let headLimit = 262_144

    private let limit: Int
    private(set) var body: [UInt8] = []
    private let ignoresRest: Bool
    private var headBytes = 0
    /// Fields of the final answer; those of interim answers (1xx) are dropped.
    private(set) var fields: [(name: String, value: String)] = []
    private(set) var isTooLong = false
    /// Whether the rest of the body was left to the server.
    private(set) var isCut = false

    init(limits: HTTPClient.Limits) {
        limit = limits.bytes
        ignoresRest = limits.ignoresRest
    }

    /// False if it would be too much.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= limit else {
            isCut = ignoresRest
            isTooLong = !ignoresRest
            return false
        }
        body += bytes
        return true
    }

    /// Takes one line of the head; false if the head is too long.
    func takeHead(_ line: UnsafeRawBufferPointer) -> Bool {
        headBytes += line.count
        if headBytes > min(limit, Self.headLimit) { isTooLong = true }
        if line.starts(with: "HTTP/".utf8) { fields = [] }
        if let colon = line.firstIndex(of: UInt8(ascii: ":")), !isTooLong {
            let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            let end = value.lastIndex { !(0x00...0x20).contains($0) }.map { $0 + 1 }
            fields.append(
                (
                    name: String(decoding: line[..<colon], as: UTF8.self),
                    value: String(decoding: value[..<(end ?? value.startIndex)], as: UTF8.self)
                ))
        }
        return !isTooLong
    }
}

/// Decides which addresses are connected to; used by the thread of the call alone.
private final class Gate {
    private let isSecure: Bool
    private let reachesLocal: Bool
    /// Why the last address was refused.
    private(set) var refusal: OutgoingFailure?

    init(isSecure: Bool, reachesLocal: Bool) {
        self.isSecure = isSecure
        self.reachesLocal = reachesLocal
    }

    func admits(_ place: NetworkPlace) -> Bool {
        let isAdmitted =
            switch place {
            case .open: isSecure
            case .own: isSecure && reachesLocal
            case .loopback: reachesLocal
            case .nowhere: false
            }
        if !isAdmitted {
            let isOpenWithTLS = place == .open || place == .own && reachesLocal
            refusal = isOpenWithTLS ? .notSecure : .foreignPlace
        }
        return isAdmitted
    }
}

private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ user: UnsafeMutableRawPointer?
) -> Int {
    guard let user else { return 0 }
    let reception = Unmanaged<Reception>.fromOpaque(user).takeUnretainedValue()
    let arrived = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return reception.takeBody(arrived) ? arrived.count : 0
}

private func receiveHead(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ user: UnsafeMutableRawPointer?
) -> Int {
    guard let user else { return 0 }
    let reception = Unmanaged<Reception>.fromOpaque(user).takeUnretainedValue()
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return reception.takeHead(line) ? line.count : 0
}

private func openSocket(
    _ user: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    let refused: curl_socket_t = -1
    guard let user, let address,
        let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr)
    else { return refused }
    let gate = Unmanaged<Gate>.fromOpaque(user).takeUnretainedValue()
    // libcurl has room for an address of any family behind the first bytes that the type shows.
    let target = UnsafeRawPointer(address).advanced(by: offset)
    guard gate.admits(NetworkPlace(target.assumingMemoryBound(to: sockaddr.self))) else {
        return refused
    }
    let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return socket(address.pointee.family, kind, address.pointee.protocol)
}
