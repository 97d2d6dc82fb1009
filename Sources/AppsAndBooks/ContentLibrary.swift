import API
import JSONBytes
import Postgres
import School
import Values

/// The apps and books of a location, and who manages them.
struct ContentLibrary: Sendable {
    /// From how long before its end on answers say when a token ends: 15 days.
    private static let noticeMilliseconds: Int64 = 15 * 86_400_000

    let locationName: String
    let country: String
    /// Names the state of everything that lists show.
    let versionID: String
    /// What every answer has.
    let common: JSONObject

    /// - Parameter rows: of `Statement.library`; none if the token is for no location.
    init(_ rows: Rows, _ caller: Caller, now: Timestamp) throws {
        guard let row = rows.first else { throw ContentRefusal.noLibrary }
        locationName = try row.text("location_name")
        country = try row.text("country")
        versionID = try row.text("version_id")
        var common = JSONObject([("uId", .text(try row.uuid("location_id").description))])
        if let id = try row.optionalText("mdm_id") {
            common["mdmInfo"] = [
                "id": .text(id), "name": .text(try row.text("mdm_name")),
                "metadata": .text(try row.text("mdm_metadata")),
            ]
        }
        if let end = caller.expiresAt,
            end.milliseconds - now.milliseconds < Self.noticeMilliseconds
        {
            common["tokenExpirationDate"] = .text(Self.moment(end))
        }
        self.common = common
    }

    /// A moment as Apple writes it: whole seconds, and the offset without a colon.
    static func moment(_ moment: Timestamp) -> String {
        "\(moment)".prefix(19) + "+0000"
    }

    // MARK: For the API document

    static let fields: [Field] = [
        .required("uId", .text(1...100), "Names the library; the same for every token."),
        .optional(
            "mdmInfo",
            .fields(
                "ContentManager",
                [
                    .required("id", .text(0...100)), .required("name", .text(0...100)),
                    .required("metadata", .text(0...255)),
                ]), "Which device manager says that it is in charge; absent if none has."),
        .optional(
            "tokenExpirationDate", .text(24...24), "From 15 days before the token ends."),
    ]
}

extension Statement {
    /// The library of the caller's location; no row if the token has none.
    static func library(of organization: OrganizationID) -> Statement {
        """
        select l.location_id, o.name as location_name, l.country, l.mdm_id, l.mdm_name, l.mdm_metadata,
               school.content_version() as version_id
          from school.content_library as l
          join school.location as o on o.organization_id = l.organization_id and o.location_id = l.location_id
         where l.organization_id = \(organization)
           and l.location_id = (select school.my_content_location())
        """
    }
}
