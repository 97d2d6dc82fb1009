import Access
import School

/// Everything that this server can do, one line a feature.
package func allFeatures(database: Database) -> [any Feature] {
    let features: [any Feature] = [
        Access(database: database)
    ]
    return features + [Documents(features: features, database: database)]
}
