import Contract
import HTTPWire
import JSONBytes
import School
import TestKit
import Testing

@testable import API
@testable import ServerKit

/// The contract of the pages is what the API document says.
@Suite struct ContractInTheDocument {
    @Test func `every call of the contract answers what the document says`() async throws {
        try await withSchool { school in
            let endpoints = school.features.flatMap(\.endpoints)
            let document = try await school.get("/openapi.json", as: nil).json
            let documented = document["components"]?["schemas"]
            #expect(DeclaredCalls.all.count >= 9)
            for call in DeclaredCalls.all {
                let name = "\(call.method.name) \(call.path)"
                let endpoint = endpoints.first {
                    $0.method == call.method && $0.path == call.path
                }
                let operation = try #require(endpoint?.operation, "\(name) is not offered")
                let parameters = Set(operation.parameters.map(\.name))
                #expect(parameters.isSuperset(of: call.queryNames), "\(name)")
                guard let shape = call.shape else { continue }
                var components: [String: JSONValue] = [:]
                let schema = shape.schema(collecting: &components)
                let answered = operation.answers.filter { (200..<300).contains($0.status) }
                    .flatMap(\.content).filter { $0.mediaType == "application/json" }
                var others: [String: JSONValue] = [:]
                let schemas = answered.compactMap { $0.shape?.schema(collecting: &others) }
                #expect(schemas == [schema], "\(name)")
                #expect(others == components, "\(name)")
                for component in shape.objects.map(\.name) {
                    #expect(documented?[component] != nil, "\(name): \(component)")
                }
            }
        }
    }

    /// A property that is called otherwise would be read by one name and declared by another.
    @Test func `a property of a record has the name of its member`() {
        let names =
            ImportSummary.declaration.names + ImportDetails.declaration.names
            + QueuedImport.declaration.names + ImportFile.declaration.names
            + ImportRemoval.declaration.names + ImportSender.declaration.names
            + ImportUndoer.declaration.names + ImportTally.declaration.names
            + ImportError.declaration.names + ImportFound.declaration.names
            + ImportChange.declaration.names + ImportValue.declaration.names
            + ImportedPerson.declaration.names + ImportedRole.declaration.names
            + ImportedSeat.declaration.names + ImportUndoing.declaration.names
            + UndoneRows.declaration.names + UndoObstacle.declaration.names
            + MarkedWork.declaration.names + GivenMark.declaration.names
            + OwnMarkDraft.declaration.names + MarkedHandout.declaration.names
            + PointsMarking.declaration.names + ReportedMarks.declaration.names
            + ReportedMark.declaration.names
            + LogoutAnswer.declaration.names
        #expect(names.count > 90)
        #expect(names.filter { $0.property != $0.member }.map(\.property) == [])
    }
}
