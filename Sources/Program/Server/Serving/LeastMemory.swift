import Files

/// How much memory the service may use: that of the machine, or what its control group allows.
struct LeastMemory: Equatable {
    /// What a small school needs, in the words of the guides. A machine of that size has a little less, since its kernel
    /// keeps some.
    static let megabytes = 512
    private static let required = 448 * 1_048_576
    /// Without PostgreSQL beside it.
    static let megabytesAlone = 256
    private static let requiredAlone = 224 * 1_048_576

    /// In bytes.
    let available: Int
    /// What sets the limit, for people.
    let source: String

    /// - Parameter read: the text of a file of the kernel; `nil` if there is none.
    init?(_ read: (_ path: String) -> String?) {
        var limits: [(bytes: Int, source: String)] = []
        if let total = read("/proc/meminfo").flatMap(LeastMemory.total) {
            limits.append((total, "the machine"))
        }
        // Version 2 of control groups; a group has no more than those around it.
        let own = (read("/proc/self/cgroup") ?? "").split(separator: "\n")
            .first { $0.hasPrefix("0::/") }?.dropFirst("0::".count)
        var names = (own ?? "").split(separator: "/")
        while true {
            let path = (["/sys/fs/cgroup"] + names + ["memory.max"]).joined(separator: "/")
            if let limit = read(path).flatMap({ Int($0.prefix { $0.isNumber }) }) {
                limits.append((limit, path))
            }
            if names.popLast() == nil { break }
        }
        guard let least = limits.min(by: { $0.bytes < $1.bytes }) else { return nil }
        available = least.bytes
        source = least.source
    }

    /// `MemTotal:  24689536 kB`, in bytes.
    private static func total(_ text: String) -> Int? {
        text.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
            .flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1024 }
    }

    /// What is wrong; `nil` if it is enough. There is no way to overrule it: below that, the kernel kills the service
    /// or its PostgreSQL again and again, as soon as a few people sign in.
    ///
    /// - Parameter isAlone: whether PostgreSQL is elsewhere.
    func complaint(isAlone: Bool) -> String? {
        guard available < (isAlone ? Self.requiredAlone : Self.required) else { return nil }
        let needed = isAlone ? Self.megabytesAlone : Self.megabytes
        let what = isAlone ? "" : ", with its PostgreSQL,"
        return """
            Homeroom\(what) needs \(needed) MB of memory, and has \(available / 1_048_576) MB here (\(source)). With \
            less, the kernel ends it whenever many people sign in or a school is imported. Give it more, then start it.
            """
    }

    /// Throws if this machine has too little.
    static func check(isAlone: Bool) throws(TooLittleMemory) {
        let here = LeastMemory { path in
            let content = try? File.contents(of: path, limit: 65_536)
            return content.map { String(decoding: $0, as: UTF8.self) }
        }
        if let complaint = here?.complaint(isAlone: isAlone) {
            throw TooLittleMemory(description: complaint)
        }
    }
}

/// The service cannot run in the memory that it has; exit code 64, since another start would not help.
struct TooLittleMemory: Error, CustomStringConvertible {
    let description: String
}
