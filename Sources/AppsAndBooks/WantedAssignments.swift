import API
import JSONBytes
import Values

/// The assets, users and devices that a request names, in the form that Apple's API wants.
struct WantedAssignments: Sendable {
    let adamIDs: [String]
    let clientUserIDs: [String]
    /// In upper case.
    let serialNumbers: [String]

    /// - Parameter hasAssets: whether the request names assets; one that revokes does not.
    init(_ body: JSONValue, hasAssets: Bool) throws {
        guard let object = body.object else {
            throw ContentRefusal(.badArgument, "The body should be an object.")
        }
        adamIDs = hasAssets ? try Self.assets(object["assets"]) : []
        clientUserIDs = try Self.names(object["clientUserIds"], "clientUserIds", 1...255)
        serialNumbers = try Self.names(object["serialNumbers"], "serialNumbers", 1...64).map {
            $0.uppercased()
        }
        guard !clientUserIDs.isEmpty || !serialNumbers.isEmpty else {
            throw ContentRefusal(.holdersNeeded)
        }
        guard clientUserIDs.count <= ContentLimit.clientUserIDs else {
            throw ContentRefusal(.tooManyUserIDs)
        }
        guard serialNumbers.count <= ContentLimit.serialNumbers else {
            throw ContentRefusal(.tooManySerialNumbers)
        }
        try Self.checkDuplicates(clientUserIDs, .duplicateUserIDs, .clientUserIds)
        try Self.checkDuplicates(serialNumbers, .duplicateSerialNumbers, .serialNumbers)
        let broken = serialNumbers.filter { !Self.isSerialNumber($0) }
        guard broken.isEmpty else {
            throw ContentRefusal(
                .badArgument, "A serial number has letters, digits and hyphens alone.",
                about: (.serialNumbers, broken))
        }
    }

    private static func assets(_ value: JSONValue?) throws -> [String] {
        guard let assets = value?.array, !assets.isEmpty else {
            throw ContentRefusal(.assetsNeeded)
        }
        guard assets.count <= ContentLimit.assets else { throw ContentRefusal(.tooManyAssets) }
        let ids = try assets.map { asset in
            guard let id = asset["adamId"]?.text, (1...20).contains(id.utf8.count),
                id.utf8.allSatisfy({ (48...57).contains($0) })
            else {
                throw ContentRefusal(.badArgument, "assets: each has an adamId of digits.")
            }
            let pricing = asset["pricingParam"] ?? .text(ContentAsset.pricing)
            guard pricing.text == ContentAsset.pricing else {
                throw ContentRefusal(
                    .badArgument, "pricingParam: every licence here is \(ContentAsset.pricing).",
                    about: (.assets, [id]))
            }
            return id
        }
        try checkDuplicates(ids, .duplicateAssets, .assets)
        return ids
    }

    /// A list of texts; none if it is absent.
    private static func names(
        _ value: JSONValue?, _ name: String, _ lengths: ClosedRange<Int>
    ) throws -> [String] {
        guard let value, !value.isNull else { return [] }
        guard let list = value.array else {
            throw ContentRefusal(.badArgument, "\(name) should be a list.")
        }
        return try list.map { element in
            guard let text = element.text, text.isName(of: lengths) else {
                throw ContentRefusal(
                    .badArgument,
                    "\(name): each is a text of \(lengths.lowerBound) to \(lengths.upperBound) characters."
                )
            }
            return text
        }
    }

    private static func isSerialNumber(_ text: String) -> Bool {
        text.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || $0 == UInt8(ascii: "-")
        }
    }

    static func checkDuplicates(
        _ names: [String], _ number: ContentError, _ subject: ContentRefusal.Subject
    ) throws {
        var seen: Set<String> = []
        let twice = names.filter { !seen.insert($0).inserted }
        guard twice.isEmpty else {
            throw ContentRefusal(number, about: (subject, Array(Set(twice)).sorted()))
        }
    }
}

extension String {
    /// Whether it is one line of some length, in Unicode scalars.
    func isName(of lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(unicodeScalars.count) && !unicodeScalars.contains(where: \.isControl)
    }
}
