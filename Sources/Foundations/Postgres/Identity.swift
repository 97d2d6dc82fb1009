/// The identity under which statements run: a role and settings that row-level security reads.
///
/// Both last for one transaction. They are set by one prepared statement sent before the first one, in the same
/// round trip.
package struct Identity: Sendable {
    /// A setting with a dotted name that PostgreSQL does not define, for instance `school.person`.
    package struct Setting: Sendable {
        package let name: StaticString
        package let value: String

        package init(_ name: StaticString, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package let role: String
    package let settings: [Setting]
    let statement: Statement
    /// The parameters of that statement.
    let parameters: FixedParameters
    /// Distinguishes the statements prepared for different roles.
    let roleHash: UInt64

    /// Names of settings are pasted between quotes, so they must be plain words with dots.
    package init(role: String, settings: [Setting] = []) {
        self.role = role
        self.settings = settings
        roleHash = role.utf8.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        var text = Statement.StringInterpolation(
            literalCapacity: 0, interpolationCount: settings.count + 1)
        text.appendLiteral("select set_config('role', ")
        text.appendInterpolation(role)
        for setting in settings {
            text.appendLiteral(", true), set_config('")
            text.appendLiteral(setting.name)
            text.appendLiteral("', ")
            text.appendInterpolation(setting.value)
        }
        text.appendLiteral(", true)")
        statement = Statement(stringInterpolation: text)
        parameters = FixedParameters(statement.values)
    }
}
