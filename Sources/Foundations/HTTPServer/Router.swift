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

/// Finds the route for a method and a path.
///
/// Patterns are paths like `/v1/people/{id}`; a parameter matches exactly one segment that is not empty. A
/// literal segment wins over a parameter, whatever the methods. `HEAD` is answered by `GET` if it does not have
/// a route of its own.
package struct Router<Route: Sendable>: Sendable {
    package enum Match: Sendable {
        case found(Route, PathParameters)
        /// The path exists for these methods, for `Allow`; also the answer to `OPTIONS`.
        case methodNotAllowed([HTTPMethod])
        case notFound
    }

    private var tree = RouteTree()
    private var routes: [Route] = []

    package init() {}

    /// Adds a route; registering the same method and path shape twice is a programming error.
    package mutating func register(_ method: HTTPMethod, _ pattern: String, _ route: Route) {
        tree.register(method, pattern, routes.count)
        routes.append(route)
    }

    /// - Parameter segments: decoded, as a request has them.
    package func match(_ method: HTTPMethod, _ segments: [String]) -> Match {
        var values: [String] = []
        guard let entries = tree.find(segments, &values) else { return .notFound }
        let entry =
            entries.first { $0.method == method }
            ?? (method == .head ? entries.first { $0.method == .get } : nil)
        guard let entry else { return .methodNotAllowed(RouteTree.allowed(entries)) }
        return .found(routes[entry.route], PathParameters(names: entry.names, values: values))
    }
}

/// The paths of a router. Routes are numbers in it, so that requests do not search in generic code.
private struct RouteTree: Sendable {
    struct Entry: Sendable {
        let method: HTTPMethod
        let route: Int
        let names: [String]
    }

    private struct Node: Sendable {
        var literals: [String: Int] = [:]
        var parameter: Int?
        var entries: [Entry] = []
    }

    private var nodes = [Node()]

    mutating func register(_ method: HTTPMethod, _ pattern: String, _ route: Int) {
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

    /// What is registered for a path, with the values of its parameters.
    func find(_ segments: [String], _ values: inout [String]) -> [Entry]? {
        find(segments, 0, from: 0, &values).map { nodes[$0].entries }
    }

    private func find(
        _ segments: [String], _ depth: Int, from index: Int, _ values: inout [String]
    ) -> Int? {
        guard depth < segments.count else { return nodes[index].entries.isEmpty ? nil : index }
        let segment = segments[depth]
        if let child = nodes[index].literals[segment],
            let found = find(segments, depth + 1, from: child, &values)
        {
            return found
        }
        guard let child = nodes[index].parameter, !segment.isEmpty else { return nil }
        values.append(segment)
        if let found = find(segments, depth + 1, from: child, &values) { return found }
        values.removeLast()
        return nil
    }

    static func allowed(_ entries: [Entry]) -> [HTTPMethod] {
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
