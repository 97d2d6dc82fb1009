/// The method of a request; any token is valid, by convention in upper case.
package struct HTTPMethod: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let name: String

    package init(_ name: String) {
        self.name = name
    }

    package init(stringLiteral name: String) {
        self.name = name
    }

    package var description: String { name }

    package static var get: HTTPMethod { "GET" }
    package static var head: HTTPMethod { "HEAD" }
    package static var post: HTTPMethod { "POST" }
    package static var put: HTTPMethod { "PUT" }
    package static var patch: HTTPMethod { "PATCH" }
    package static var delete: HTTPMethod { "DELETE" }
    package static var options: HTTPMethod { "OPTIONS" }
}
