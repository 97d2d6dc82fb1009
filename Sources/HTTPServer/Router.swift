import HTTPWire

/// The values of a pattern's parameters in one path.
package struct PathParameters: Sendable {
    private let names: [String]
    private let values: [String]

    package init(names: [String] = [], values: [String] = []) {
        self.names = names
        self.values = values
    }

    package subscript(name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }
}

/// Finds what a method and a path stand for.
///
/// Patterns are paths like `/v1/people/{id}`; a parameter takes exactly one segment that is not empty. A
/// literal segment wins over a parameter, whatever the methods. `HEAD` is answered by `GET` where it has no
/// route of its own.
package struct Router<Route: Sendable>: Sendable {
    package enum Match: Sendable {
        case found(Route, PathParameters)
        /// The path exists for these methods, for `Allow`; the answer to `OPTIONS` as well.
        case methodNotAllowed([HTTPMethod])
        case notFound
    }

    private struct Entry: Sendable {
        let method: HTTPMethod
        let route: Route
        let names: [String]
    }

    private struct Node: Sendable {
        var literals: [String: Int] = [:]
        var parameter: Int?
        var entries: [Entry] = []
    }

    private var nodes = [Node()]

    package init() {}

    /// Adds a route; the same method and shape of a path twice is a mistake of the program.
    package mutating func register(_ method: HTTPMethod, _ pattern: String, _ route: Route) {
        precondition(pattern.hasPrefix("/"), "\(pattern) must begin with a slash")
        var node = 0
        var names: [String] = []
        for part in pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            if pattern == "/" { break }
            if part.hasPrefix("{"), part.hasSuffix("}") {
                names.append(String(part.dropFirst().dropLast()))
                node = parameterChild(of: node)
            } else {
                node = literalChild(of: node, String(part))
            }
        }
        let isNew = !nodes[node].entries.contains { $0.method == method }
        precondition(isNew, "\(method) \(pattern) is registered twice")
        nodes[node].entries.append(Entry(method: method, route: route, names: names))
    }

    /// - Parameter segments: decoded, as a request has them.
    package func match(_ method: HTTPMethod, _ segments: [String]) -> Match {
        var values: [String] = []
        guard let node = find(segments, 0, from: 0, &values) else { return .notFound }
        let entries = nodes[node].entries
        let entry =
            entries.first { $0.method == method }
            ?? (method == .head ? entries.first { $0.method == .get } : nil)
        guard let entry else { return .methodNotAllowed(allowed(entries)) }
        return .found(entry.route, PathParameters(names: entry.names, values: values))
    }

    private func find(
        _ segments: [String], _ depth: Int, from index: Int, _ values: inout [String]
    ) -> Int? {
        let node = nodes[index]
        guard depth < segments.count else { return node.entries.isEmpty ? nil : index }
        let segment = segments[depth]
        if let child = node.literals[segment],
            let found = find(segments, depth + 1, from: child, &values)
        {
            return found
        }
        guard let child = node.parameter, !segment.isEmpty else { return nil }
        values.append(segment)
        if let found = find(segments, depth + 1, from: child, &values) { return found }
        values.removeLast()
        return nil
    }

    private func allowed(_ entries: [Entry]) -> [HTTPMethod] {
        var methods = entries.map(\.method)
        for extra in [HTTPMethod.head, .options] where !methods.contains(extra) {
            if extra == .options || methods.contains(.get) { methods.append(extra) }
        }
        return methods
    }

    private mutating func parameterChild(of node: Int) -> Int {
        if let child = nodes[node].parameter { return child }
        nodes.append(Node())
        nodes[node].parameter = nodes.count - 1
        return nodes.count - 1
    }

    private mutating func literalChild(of node: Int, _ part: String) -> Int {
        if let child = nodes[node].literals[part] { return child }
        nodes.append(Node())
        nodes[node].literals[part] = nodes.count - 1
        return nodes.count - 1
    }
}
