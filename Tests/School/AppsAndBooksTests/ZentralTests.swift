import JSONBytes
import TestKit
import Testing

@testable import AppsAndBooks

/// What the open client that is known sends, in its order: Zentral's `AppsBooksClient`
/// (zentralopensource/zentral, `zentral/contrib/mdm/apps_books.py`), with its checks of what it gets.
@Suite struct Zentral {
    private static let manager = "7f1c7b1e-4f3a-4f44-9d1c-0d6c1f2b9a11"

    /// `update_client_config`.
    private static let configuration: JSONValue = [
        "mdmInfo": ["id": .text(manager), "metadata": "zentral.example", "name": "Zentral"],
        "notificationTypes": ["ASSET_MANAGEMENT", "ASSET_COUNT"],
        "notificationUrl": .text("https://zentral.example/mdm/notify_server_token/\(manager)/"),
        "notificationAuthToken": "0123456789abcdef",
    ]

    /// `iter_assets` and `iter_asset_device_assignments`: pages until there is no `nextPageIndex`. Each has to be the
    /// next one, under the same `versionId`.
    private func pages(
        _ path: String, _ key: String, _ devices: Devices
    ) async throws -> [JSONValue] {
        var items: [JSONValue] = []
        var current: Int64 = 0
        var version: String?
        while true {
            let separator = path.contains("?") ? "&" : "?"
            let answer = try await devices.get("\(path)\(separator)pageIndex=\(current)").json
            let found = try #require(answer["versionId"]?.text)
            #expect(version == nil || version == found)
            version = found
            items += answer[key]?.array ?? []
            guard let next = answer["nextPageIndex"]?.int64 else { return items }
            #expect(next == current + 1)
            current = next
        }
    }

    @Test func `it configures a location, reads all of it and assigns an app to a device`()
        async throws
    {
        try await withDevices(quizzlers: 2) { devices in
            let first = try await devices.get("client/config").json
            for name in [
                "countryISO2ACode", "locationName", "defaultPlatform", "uId", "websiteURL",
            ] {
                #expect(first[name]?.text?.isEmpty == false, "\(name)")
            }
            let configured = try await devices.post("client/config", Self.configuration)
            #expect(configured.status == 200)
            // It asks for notices, and is told that it gets none.
            #expect(configured.json["subscribedNotificationTypes"] == [])
            #expect(configured.json["notificationUrl"] == nil)
            let service = try await devices.get("service/config").json
            // It looks the names of apps up there, and goes on without.
            #expect(service["urls"]?["contentMetadataLookup"] == nil)

            let assets = try await pages("assets", "assets", devices)
            #expect(assets.count == 2)
            for asset in assets {
                for name in ["deviceAssignable", "revocable"] { #expect(asset[name]?.bool != nil) }
                for name in ["assignedCount", "availableCount", "retiredCount", "totalCount"] {
                    #expect(asset[name]?.int64 != nil, "\(name)")
                }
            }
            let taken = try await devices.post(
                "assets/associate",
                [
                    "assets": [["adamId": .text(Devices.quizzler), "pricingParam": "STDQ"]],
                    "serialNumbers": ["C02ZENTRAL01"],
                ])
            #expect(taken.json["eventId"]?.text?.isEmpty == false)
            let assignments = try await pages(
                "assignments?adamId=\(Devices.quizzler)", "assignments", devices)
            #expect(assignments.compactMap { $0["serialNumber"]?.text } == ["C02ZENTRAL01"])
            #expect(assignments.allSatisfy { $0["pricingParam"] == "STDQ" })
            let one = try await devices.get(
                "assets?adamId=\(Devices.quizzler)&pricingParam=STDQ"
            ).json
            #expect(one["assets"]?[0]?["availableCount"] == 1)
            #expect(one["mdmInfo"]?["id"]?.text == Self.manager, "or it gives up")
        }
    }
}
