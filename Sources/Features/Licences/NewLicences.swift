import API
import School
import Values

/// Who is to get licences, as sent.
struct NewLicences: Sendable {
    enum Holders: Sendable {
        case people([String])
        case classOf(Reference<ClassEntity>)
        /// In upper case.
        case devices([String])
    }

    let holders: Holders
    /// The location of the pool to draw from; `nil`: to be determined.
    let location: Reference<LocationEntity>?

    init(_ body: Fields) throws {
        let named = ["personIds", "classId", "serialNumbers"].filter { body[$0] != nil }
        guard named.count == 1 else {
            throw Problem.invalid(
                named.count > 1 ? "/\(named[1])" : "", "one_kind_of_holder",
                "Send exactly one of personIds, classId and serialNumbers.")
        }
        location = body.reference("locationId")
        if let people = body.texts("personIds") {
            holders = .people(people)
        } else if let classReference: Reference<ClassEntity> = body.reference("classId") {
            holders = .classOf(classReference)
        } else {
            holders = .devices(try Self.serialNumbers(body.texts("serialNumbers") ?? []))
        }
    }

    /// The pointer to the holders in the body.
    var pointer: String {
        switch holders {
        case .people: "/personIds"
        case .classOf: "/classId"
        case .devices: "/serialNumbers"
        }
    }

    private static func serialNumbers(_ texts: [String]) throws -> [String] {
        try texts.enumerated().map { index, text in
            guard let serialNumber = serialNumber(text) else {
                throw Problem.invalid(
                    "/serialNumbers/\(index)", "malformed",
                    "A serial number consists of letters, digits and hyphens.")
            }
            return serialNumber
        }
    }

    /// A serial number in its stored form; `nil` if it is not valid.
    static func serialNumber(_ text: String) -> String? {
        let isOne = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
                || byte == UInt8(ascii: "-")
        }
        return isOne ? text.uppercased() : nil
    }
}

/// Who or what is to hold a licence, and from which pool.
struct Holder: Sendable {
    let person: PersonID?
    let serialNumber: String?
    let location: LocationID
}
