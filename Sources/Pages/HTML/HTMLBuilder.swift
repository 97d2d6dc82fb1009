// Not inlined, and `dynamic` so that the optimizer makes no copy for each closure: pages call what is here thousands
// of times, and copies take long to compile.

/// Writes markup as nested calls: `div(.class("card")) { h2 { title } }`.
@resultBuilder
package enum HTMLBuilder {
    @inline(never)
    package static func buildExpression(_ part: HTML) -> [HTML] { [part] }
    @inline(never)
    package static func buildExpression(_ parts: [HTML]) -> [HTML] { parts }
    @inline(never)
    package static func buildExpression(_ text: String) -> [HTML] { [.text(text)] }
    @inline(never)
    package static func buildBlock(_ parts: [HTML]...) -> [HTML] { parts.flatMap { $0 } }
    @inline(never)
    package static func buildOptional(_ parts: [HTML]?) -> [HTML] { parts ?? [] }
    @inline(never)
    package static func buildEither(first parts: [HTML]) -> [HTML] { parts }
    @inline(never)
    package static func buildEither(second parts: [HTML]) -> [HTML] { parts }
    @inline(never)
    package static func buildArray(_ parts: [[HTML]]) -> [HTML] { parts.flatMap { $0 } }
}

/// Several parts beside each other.
@inline(never)
package dynamic func parts(@HTMLBuilder _ content: () -> [HTML]) -> HTML { .parts(content()) }

/// The name of an element that contains something.
package struct Tag: Sendable {
    private let name: StaticString

    package init(_ name: StaticString) { self.name = name }

    @inline(never)
    package dynamic func callAsFunction(
        _ attributes: Attribute..., @HTMLBuilder content: () -> [HTML] = { [] }
    ) -> HTML {
        .element(HTML.Element(name: name, attributes: attributes, content: content()))
    }

    /// With attributes that were made elsewhere.
    @inline(never)
    package dynamic func callAsFunction(
        all attributes: [Attribute], @HTMLBuilder content: () -> [HTML] = { [] }
    ) -> HTML {
        .element(HTML.Element(name: name, attributes: attributes, content: content()))
    }
}

/// The name of an element that cannot contain anything.
package struct VoidTag: Sendable {
    private let name: StaticString

    package init(_ name: StaticString) { self.name = name }

    @inline(never)
    package func callAsFunction(_ attributes: Attribute...) -> HTML {
        .element(HTML.Element(name: name, attributes: attributes, content: nil))
    }

    /// With attributes that were made elsewhere.
    @inline(never)
    package func callAsFunction(all attributes: [Attribute]) -> HTML {
        .element(HTML.Element(name: name, attributes: attributes, content: nil))
    }
}
