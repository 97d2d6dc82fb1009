import Values

/// On whose behalf a lane is used, as far as fairness is concerned: opaque values that are only compared.
///
/// Tenants share a lane fairly, however much each of them asks. Requests without a tenant count as a tenant of
/// their own.
package struct Party: Sendable {
    /// All parties of a tenant share its part of the lane.
    package let tenant: UUID
    /// The subject that asks; `nil` for one of many that cannot be distinguished.
    package let subject: UUID?
    /// Whether more is kept in memory for each of its requests than for most, so that only a few may wait.
    package var holdsMuch = false

    package init(tenant: UUID, subject: UUID?) {
        self.tenant = tenant
        self.subject = subject
    }
}
