import School

extension Problem {
    static let appExists = Problem(
        409, "app_exists", "This app is there already.",
        detail: "Change it with PUT or PATCH /v1/apps/{adamId}.",
        errors: [
            Invalid(
                pointer: "/adamId", code: "app_exists", detail: "This app is there already.")
        ])

    /// Fewer seats are left than are needed, or a pool would become smaller than what is assigned of it.
    static let tooFewLicences = Problem(
        409, "too_few_licences", "Too few seats are left.")

    /// The same in numbers.
    ///
    /// - Parameter shortages: per location how many are left there, and how many are needed.
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
        409, "licences_assigned", "Licences of it are assigned.",
        detail: "They have to be given back before it is removed.")

    /// The same in numbers.
    static func licencesAssigned(_ count: Int) -> Problem {
        licencesAssigned.with(
            detail: "\(count) of its licences are assigned; they have to be given back before it "
                + "is removed.")
    }

    /// A pool cannot be smaller than what is assigned of it.
    static func poolTooSmall(assigned: Int, wanted: Int) -> Problem {
        Problem(
            409, "licences_assigned", "More licences are assigned than there would be seats.",
            detail: "\(assigned) are assigned, and the pool would have \(wanted).",
            errors: [
                Invalid(
                    pointer: "/totalCount", code: "licences_assigned",
                    detail: "\(assigned) are assigned.")
            ])
    }

    /// A location was to be removed that has pools, or a pool to be made at one that was being removed.
    static let locationHasPools = Problem(
        409, "location_has_pools", "A location stays as long as it has seats of apps.",
        detail:
            "Move the seats to another location, or remove the pools, before the location is removed; no "
            + "pool is made at one that is gone.")

    static let devicesHoldLicences = Problem(
        409, "devices_hold_licences", "Devices hold licences of this app.",
        detail: "They have to be given back before the app is for people only.")

    static let notRevocable = Problem(
        409, "not_revocable", "This licence cannot be given back.",
        detail: "The app is not revocable, as no book is: whoever has it keeps it.")

    static let holderDeactivated = Problem(
        409, "holder_deactivated", "Somebody was deactivated in the meantime.",
        detail: "A licence is for somebody who is active.")

    static let classArchived = Problem(
        409, "class_archived", "The class is archived: nobody sits in it.")

    static let foreignPageToken = Problem.invalidParameter(
        "pageToken", "This token was not made by this list.")
}
