import API

extension APIDescription {
    /// What the calls about badges may return.
    static let ofBadges: [Code] = [
        Code(
            "badge_refused",
            "No badge signs in with this secret now and from this network. The answer does not say more."
        ),
        Code(
            "signed_in_by_badge",
            "A badge opens a student's work and nothing else. Sign in with the password."),
        Code("badges_off", "The school does not use badges. An administrator can turn them on."),
        Code("badges_need_school_class", "There are no badges for a class that teachers made."),
        Code(
            "badges_outdated",
            "A student changed while the badges were made. Nothing was changed; order them again."),
    ]
}
