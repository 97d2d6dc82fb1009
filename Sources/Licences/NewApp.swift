import API
import School
import Values

/// An app or a book as sent, with its fields checked against each other.
struct NewApp: Sendable {
    let adamID: String
    /// `nil` only for books.
    let bundleID: String?
    let name: String
    let productType: String
    let isDeviceAssignable: Bool
    let isRevocable: Bool
    /// In alphabetical order, each once.
    let platforms: [String]

    /// - Parameter adamID: the id in the path, which a body may repeat.
    init(_ body: Fields, adamID: String) throws {
        guard (1...20).contains(adamID.utf8.count), adamID.utf8.allSatisfy(Self.isDigit) else {
            throw Problem.invalid(
                "/adamId", "malformed", "An id in the store has 1 to 20 digits.")
        }
        if let sent = body.text("adamId"), sent != adamID {
            throw Problem.invalid("/adamId", "contradicts_path", "The path names another adamId.")
        }
        self.adamID = adamID
        bundleID = body.text("bundleId")
        name = body.text("name")!
        productType = body.text("productType")!
        let isBook = productType == "Book"
        isDeviceAssignable = body.boolean("deviceAssignable") ?? !isBook
        isRevocable = body.boolean("revocable") ?? !isBook
        platforms = Set(body.texts("platforms") ?? []).sorted()
        try check(isBook: isBook)
    }

    /// Books stay with their readers (Apple's App and Book Management API).
    private func check(isBook: Bool) throws {
        if isBook, isDeviceAssignable {
            throw Problem.invalid(
                "/deviceAssignable", "not_for_books", "Devices cannot hold books.")
        }
        if isBook, isRevocable {
            throw Problem.invalid(
                "/revocable", "not_for_books", "Books cannot be returned.")
        }
        if !isBook, bundleID == nil {
            throw Problem.invalid("/bundleId", "missing", "An app needs a bundleId.")
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// The filters of a list of apps.
struct AppFilter: Sendable {
    let productType: String?
    let isDeviceAssignable: Bool?
    let isRevocable: Bool?
    let worksWithSchoolwork: Bool?
    let bundleID: String?
    let location: Reference<LocationEntity>?
    let updatedSince: Timestamp?

    init(_ request: Request) {
        productType = request.query("productType")
        isDeviceAssignable = request.queryBoolean("deviceAssignable")
        isRevocable = request.queryBoolean("revocable")
        worksWithSchoolwork = request.queryBoolean("worksWithSchoolwork")
        bundleID = request.query("bundleId")
        location = request.queryReference("locationId")
        updatedSince = request.queryTimestamp("updatedSince")
    }
}
