import Values

/// On whose behalf a lane is asked, as far as fairness goes: opaque values that are only compared.
///
/// Tenants share a lane fairly, whatever each of them asks. What is asked on nobody's behalf counts as a tenant, too.
package struct Party: Sendable {
    /// Those who share their places.
    package let tenant: UUID
    /// The one who asks; `nil`: one of many whom nothing tells apart.
    package let subject: UUID?

    package init(tenant: UUID, subject: UUID?) {
        self.tenant = tenant
        self.subject = subject
    }
}
