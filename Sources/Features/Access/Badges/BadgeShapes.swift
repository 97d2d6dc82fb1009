import API
import HTTPWire
import School

/// The input and output of the calls about badges.
enum BadgeShapes {
    static let secret = Shape.text(43...43)

    static let signIn = Shape.fields(
        "BadgeSignIn",
        [
            .required("badge", .text(1...200), "The secret on the card."),
            .required(
                "browser", .fields("BadgeSignInBrowser", AccessShapes.browser),
                "`shared` makes no difference: a badge always signs in as on a shared device."),
        ])

    static let rule = ObjectShape(
        "BadgeRule",
        [
            .required("on", .boolean, "Whether badges sign in at all."),
            .required(
                "networks", .array(.text(1...50), count: 0...50),
                "From which networks, such as `192.0.2.0/24`. None means from everywhere: whoever has a picture of "
                    + "a card then signs in at home, too."),
            .required(
                "days", .array(.integer(1...7), count: 1...7),
                "On which days of the week, from 1 for Monday to 7 for Sunday."),
            .required(
                "from", .text(5...5), "From when, such as `07:30`, in the organization's time zone."
            ),
            .required(
                "until", .text(5...5),
                "Until when, at most `24:00`. Sign-ins of badges end then, too."),
        ])

    private static let student: [Field] = [
        .required("personId", .uuid), .required("givenName", .line()),
        .required("familyName", .line()), .nameOrder,
    ]

    static let listed = Shape.fields(
        "BadgesOfClass",
        [
            .required(
                "items",
                .array(
                    .fields(
                        "BadgeOfStudent",
                        student + [
                            .required(
                                "mayHaveBadge", .boolean,
                                "Whether you may make one for the student, who has to be only a student, and active."
                            ),
                            .orNull(
                                "madeAt", .timestamp, "When the badge was made that works now."),
                            .orNull("lastUsedAt", .timestamp, "When that badge last signed in."),
                        ]), count: 0...BadgeOrder.peopleMax),
                "The students who are in the class now.")
        ])

    static let order = ObjectShape(
        "BadgeOrder",
        [
            .optional(
                "personIds", .array(.uuid, count: 1...BadgeOrder.peopleMax),
                "These students of the class; all by default."),
            .optional(
                "again", .boolean,
                "Also for students who have a badge for this class: the new one voids theirs. By default they keep it."
            ),
        ])

    static let made = Shape.fields(
        "NewBadges",
        [
            .required("className", .line()),
            .required(
                "items",
                .array(
                    .fields(
                        "NewBadge",
                        student + [
                            .required(
                                "secret", secret,
                                "Answered once. The pages sign in with `/badge#` and the secret behind it, which no browser "
                                    + "sends to a server by itself.")
                        ]), count: 0...BadgeOrder.peopleMax),
                "In the order of names."),
            .required("kept", .integer(0...1000), "How many students keep the badge they have."),
            .required(
                "leftOut", .integer(0...1000),
                "How many students of the class cannot have one, or not from you."),
        ])
}

extension Problem {
    /// Unknown, void, at the wrong hour or from elsewhere: one answer for all, which reveals nothing.
    static let badgeRefused = Problem(
        401, "badge_refused", "This badge does not sign you in here and now.",
        detail:
            "Ask your teacher. Badges work in the hours and from the networks that the school has set.",
        headers: [ResponseField("WWW-Authenticate", challenge)])

    /// What a sign-in that a badge began does not open.
    static let badgeOpensNoMore = Problem(
        403, "signed_in_by_badge", "You signed in with a badge, which does not open this.",
        detail: "Sign in with your managed ID and password.")

    static let badgesOff = Problem(
        409, "badges_off", "Your school does not use badges.",
        detail: "An administrator can turn them on.")

    static let noBadgesInArchivedClass = Problem(
        409, "class_archived", "This class is archived.",
        detail: "Nobody signs in with its badges any more.")

    /// Whose students its teachers choose.
    static let noBadgesInMadeClass = Problem(
        409, "badges_need_school_class", "There are no badges for a class that teachers made.",
        detail: "Make them for a class that the school keeps.")

    static let badgesOutdated = Problem(
        409, "badges_outdated", "A student changed while the badges were made.",
        detail: "No badge was made or voided; order them again.")

    static func noBadgeFor(_ pointer: String) -> Problem {
        .invalid(
            pointer, "no_badge",
            "A badge is for a student of this class who is active, has no other role and never taught, and whose "
                + "password you may set.")
    }

    static func notANetwork(_ pointer: String) -> Problem {
        .invalid(
            pointer, "invalid_network",
            "Write a network such as 192.0.2.0/24 or 2001:db8::/48, or one address. The bits behind the length are zero."
        )
    }
}
