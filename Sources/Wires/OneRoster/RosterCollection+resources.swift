import Postgres

extension RosterCollection {
    /// The collection is empty: the directory does not say what a class works with. Handouts do, and show to no system
    /// without a grant.
    static let resources = RosterCollection(
        name: "resources", keys: ("resource", "resources"), object: "Resource",
        source: "school.oneroster_orgs()", condition: "false",
        fields: RosterField.ofEveryObject + [
            RosterField(name: "title", value: .text(RosterColumn("title", "x.name"))),
            RosterField(
                name: "vendorResourceId",
                value: .text(RosterColumn("vendor_resource_id", "x.sourced_id"))),
        ], part: .resources)
}

extension NestedCollection {
    static func resources(in edition: Edition) -> [NestedCollection] {
        let owners = [("classes", "class"), ("courses", "course")]
        return (edition == .v1p2 ? owners + [("users", "user")] : owners).map { owners, owner in
            NestedCollection(
                "\(owners)/{\(owner)SourcedId}/resources", "resources", "resources of a \(owner)"
            ) { _ in "true" }
        }
    }
}
