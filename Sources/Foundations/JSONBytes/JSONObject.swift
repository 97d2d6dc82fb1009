import Glibc

/// The members of a JSON object in the order they were written, each key once.
package struct JSONObject: Sendable {
    /// One key and its value.
    package struct Member: Sendable, Equatable {
        package let key: String
        package internal(set) var value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// Ordered as written.
    package private(set) var members: [Member] = []

    package init() {}

    /// A duplicate key stops the program.
    package init(_ members: [(String, JSONValue)]) {
        self.members.reserveCapacity(members.count)
        var seen = SeenKeys()
        for (key, value) in members {
            precondition(
                seen.insert(key, among: self.members), "a JSON object names a key twice")
            self.members.append(Member(key: key, value: value))
        }
    }

    /// For the reader, which has already refused duplicates.
    init(unique members: [Member]) {
        self.members = members
    }

    /// The value of a key, found by a linear search; setting `nil` removes the member.
    ///
    /// Keys are compared by their bytes: Swift would also treat two Unicode spellings as equal.
    package subscript(key: String) -> JSONValue? {
        get {
            position(of: key).map { members[$0].value }
        }
        set {
            switch (position(of: key), newValue) {
            case (let found?, let value?): members[found].value = value
            case (let found?, nil): members.remove(at: found)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Whether the key is present, even with the value `null`.
    package func has(_ key: String) -> Bool { position(of: key) != nil }

    package var keys: [String] { members.map(\.key) }
    package var count: Int { members.count }
    package var isEmpty: Bool { members.isEmpty }

    private func position(of key: String) -> Int? {
        members.withUnsafeBufferPointer { $0.position(of: key) }
    }
}

extension UnsafeBufferPointer<JSONObject.Member> {
    /// The index of a key. Uses a pointer so that no member is copied.
    func position(of key: String) -> Int? {
        let wanted = ExactText(key)
        let length = key.utf8.count
        for index in indices
        where self[index].key.utf8.count == length && ExactText(self[index].key) == wanted {
            return index
        }
        return nil
    }
}

extension JSONObject: Equatable {
    /// The order of members carries no meaning.
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        if left.members == right.members { return true }
        var values: [ExactText: JSONValue] = [:]
        for member in left.members { values[ExactText(member.key)] = member.value }
        return right.members.allSatisfy { values[ExactText($0.key)] == $0.value }
    }
}

/// A text that equals another only if their bytes are equal.
struct ExactText: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool {
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                left.count == right.count
                    && (left.isEmpty
                        || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0)
            }
        }
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
