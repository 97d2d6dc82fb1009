import TestKit
import Testing

/// Whatever tools, other systems, and teachers and students of other classes read, it is the same, byte for byte,
/// before and after what they must not see.
extension TwinProof {
    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `tools, systems and strangers read the same whatever they must not see`(
        seed: UInt64
    ) async throws {
        try await withSchool { service in
            let difference = try await TwinReaders(service).live(seed: seed)
            if let difference { Issue.record("\(difference)") }
        }
    }

    @Test(arguments: LeakTable.ofReaders)
    func `twins find everything that lets a reader learn more`(leak: Leak) async throws {
        try await withSchool { service in
            try Clockwork.install(in: service)
            let difference = try await leak.plant(in: service) {
                try await TwinReaders(service).live(seed: 1)
            }
            #expect(difference != nil, "\(leak.testDescription) is not found")
        }
    }
}

extension LeakTable {
    /// In what readers see of what is not theirs.
    static let ofReaders: [Leak] = [
        .function("my_tool_tasks", without: "h.publish_at <= moment()", but: "true"),
        .function(
            "my_tool_tasks", without: "t.tool_id = my_service_account()",
            but: "t.tool_id is not null"),
        .policy(
            "roster readers read items of classes granted to them", on: "gradebook_item",
            without: "my_gradebook_class_ids(true)", but: "my_gradebook_class_ids(false)"),
        .policy(
            "teachers read the grades of their classes", on: "grade",
            without: "class_id = any ((select my_taught_class_ids())::uuid[])"),
        .policy(
            "students read their grades", on: "grade", without: "person_id = (select my_person())"),
    ]
}
