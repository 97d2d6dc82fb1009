import ClassKitUplink

/// How a data store reaches its server, and with whose tokens.
package struct ServerLink: Sendable {
    package var configuration: UplinkConfiguration
    package var tokens: any TokenSource
    package var transport: any Transport

    package init(
        configuration: UplinkConfiguration, tokens: any TokenSource,
        transport: any Transport = URLSessionTransport()
    ) {
        self.configuration = configuration
        self.tokens = tokens
        self.transport = transport
    }
}
