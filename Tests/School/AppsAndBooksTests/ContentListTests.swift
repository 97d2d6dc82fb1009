import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import AppsAndBooks

/// Lists of assets, assignments and users: filters, pages and versions.
@Suite struct ContentLists {
    @Test func `an asset has its counts and what can be done with it`() async throws {
        try await withDevices(quizzlers: 3) { devices in
            let asset = try await devices.asset()
            let expected: JSONValue = [
                "adamId": .text(Devices.quizzler), "pricingParam": "STDQ", "productType": "App",
                "assignedCount": 0, "availableCount": 3, "retiredCount": 0, "totalCount": 3,
                "deviceAssignable": true, "revocable": true,
                "supportedPlatforms": ["iOS", "macOS"],
            ]
            #expect(asset == expected)
        }
    }

    @Test(arguments: [
        ("", ["990011223", "990011224"]), ("productType=Book", ["990011224"]),
        ("productType=App", ["990011223"]), ("revocable=false", ["990011224"]),
        ("deviceAssignable=true", ["990011223"]), ("pricingParam=PLUS", []),
        ("pricingParam=STDQ", ["990011223", "990011224"]), ("adamId=990011224", ["990011224"]),
        ("minAvailableCount=3", ["990011223"]), ("maxAvailableCount=2", ["990011224"]),
        ("minAssignedCount=1", ["990011224"]), ("maxAssignedCount=0", ["990011223"]),
        ("adamId=1", []),
    ])
    func `assets are filtered`(query: String, ids: [String]) async throws {
        try await withDevices(quizzlers: 3, novels: 3) { devices in
            try await devices.register(.sam)
            _ = try await devices.associate([Devices.novel], users: ["c-sam"])
            let answer = try await devices.get("assets?\(query)").json
            #expect(answer["assets"]?.array?.compactMap { $0["adamId"]?.text } == ids)
            #expect(answer["size"]?.int64 == Int64(ids.count) && answer["totalPages"] == 1)
        }
    }

    @Test func `assignments are filtered by asset, user and device`() async throws {
        try await withDevices { devices in
            try await devices.register(.sam, .sue)
            _ = try await devices.associate(users: ["c-sam"], devices: ["T-1"])
            _ = try await devices.associate([Devices.novel], users: ["c-sue"])
            #expect(try await devices.holders() == ["c-sam", "c-sue", "T-1"])
            #expect(try await devices.holders("?adamId=\(Devices.novel)") == ["c-sue"])
            #expect(try await devices.holders("?clientUserId=c-sam") == ["c-sam"])
            #expect(try await devices.holders("?clientUserId=c-nobody").isEmpty)
            #expect(try await devices.holders("?serialNumber=t-1") == ["T-1"])
        }
    }

    @Test func `long lists come in pages, which follow one another`() async throws {
        try await withDevices(quizzlers: 1200) { devices in
            try devices.school.sql(
                """
                insert into school.licence (organization_id, licence_id, adam_id, location_id, serial_number)
                select \(devices.school.hillside), school.new_id(), \(Devices.quizzler),
                       \(devices.school.mainLocation), 'T-' || n
                  from generate_series(1, 1001) as n
                """)
            var found: [String] = []
            var index: Int64? = 0
            var versions: Set<String> = []
            while let page = index {
                let answer = try await devices.get("assignments?pageIndex=\(page)").json
                found += (answer["assignments"]?.array ?? []).compactMap {
                    $0["serialNumber"]?.text
                }
                #expect(answer["currentPageIndex"]?.int64 == page && answer["totalPages"] == 3)
                versions.insert(answer["versionId"]?.text ?? "")
                index = answer["nextPageIndex"]?.int64
            }
            #expect(found.count == 1001 && Set(found).count == 1001)
            #expect(versions.count == 1)
        }
    }

    @Test func `every write changes the version, and no reading does`() async throws {
        try await withDevices { devices in
            func version() async throws -> String {
                try await devices.get("assets").json["versionId"]?.text ?? ""
            }
            var versions = [try await version()]
            #expect(try await version() == versions[0])
            try await devices.register(.sam)
            versions.append(try await version())
            _ = try await devices.associate(users: ["c-sam"])
            versions.append(try await version())
            _ = try await devices.disassociate(users: ["c-sam"])
            versions.append(try await version())
            let bought = try await devices.school.put(
                "/v1/apps/\(Devices.quizzler)/pools/source:main", as: .ada,
                json: ["totalCount": 9])
            #expect(bought.status == 200)
            versions.append(try await version())
            _ = try await devices.event(
                "users/retire", ["users": [["clientUserId": "c-sam"]]])
            versions.append(try await version())
            #expect(Set(versions).count == versions.count)
        }
    }

    @Test func `since a version only what is newer is listed`() async throws {
        try await withDevices { devices in
            try await devices.register(.sam, .sue)
            _ = try await devices.associate(devices: ["OLD-1"])
            try devices.school.sql(
                "update school.licence set created_at = now() - interval '1 hour'")
            let version = try await devices.get("assets").json["versionId"]?.text ?? ""
            _ = try await devices.associate(devices: ["NEW-1"])
            #expect(try await devices.holders("?sinceVersionId=\(version)") == ["NEW-1"])
            let all = try await devices.get("users?sinceVersionId=\(version)").json["users"]
            #expect(all?.array?.count == 2, "registered some seconds before")
            let later = "\(Clock.system.now.milliseconds + 3_600_000)-1"
            #expect(try await devices.get("users?sinceVersionId=\(later)").json["users"] == [])
        }
    }
}
