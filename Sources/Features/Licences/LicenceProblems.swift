import API

extension Problem {
    static let appExists = Problem(
        409, "app_exists", "This app exists already.",
        detail: "Change it with PUT or PATCH /v1/apps/{adamId}.",
        errors: [
            Invalid(
                pointer: "/adamId", code: "app_exists", detail: "This app exists already.")
        ])

    /// Fewer seats are free than are needed, or a pool would become smaller than its assigned licences.
    static let tooFewLicences = Problem(
        409, "too_few_licences", "Too few seats are left.")

    /// The same with numbers.
    ///
    /// - Parameter shortages: per location, how many are free there and how many are needed.
    static func tooFewLicences(
        _ shortages: [(location: String, left: Int, needed: Int)], at pointer: String
    ) -> Problem {
        var problem = tooFewLicences
        problem.errors = shortages.map { shortage in
            Invalid(
                pointer: pointer, code: "too_few_licences",
                detail: "\(shortage.left) left and \(shortage.needed) needed at the location "
                    + "\(shortage.location).")
        }
        return problem.with(detail: problem.errors.map(\.detail).joined(separator: " "))
    }

    static let licencesAssigned = Problem(
        409, "licences_assigned", "Licences of this app are assigned.",
        detail: "Return them first.")

    /// The same with a number.
    static func licencesAssigned(_ count: Int) -> Problem {
        licencesAssigned.with(
            detail: "\(count) of its licences are assigned; they have to be given back before it "
                + "is removed.")
    }

    /// A pool cannot be smaller than its assigned licences.
    static func poolTooSmall(assigned: Int, wanted: Int) -> Problem {
        Problem(
            409, "licences_assigned", "More licences are assigned than the pool would have seats.",
            detail: "\(assigned) are assigned, and the pool would have \(wanted).",
            errors: [
                Invalid(
                    pointer: "/totalCount", code: "licences_assigned",
                    detail: "\(assigned) are assigned.")
            ])
    }

    /// The location to be removed has pools, or the pool to be created is at a location that is being removed.
    static let locationHasPools = Problem(
        409, "location_has_pools", "The location still has seats of apps, or is being deleted.",
        detail:
            "Move the seats to another location or delete the pools before you delete the location."
    )

    static let devicesHoldLicences = Problem(
        409, "devices_hold_licences", "Devices hold licences of this app.",
        detail: "Return them before you make the app for people only.")

    static let notRevocable = Problem(
        409, "not_revocable", "This licence cannot be returned.",
        detail: "Books, and apps that are not revocable, stay with their holders.")

    static let holderDeactivated = Problem(
        409, "holder_deactivated", "Someone was deactivated in the meantime.",
        detail: "Only active people can hold a licence.")

    static let classArchived = Problem(
        409, "class_archived", "The class is archived and has no students now.")
}
