import API
import School

/// The input and output of the calls about privileges and the classes that teachers make.
enum PrivilegeShapes {
    private static let privilege = Field.required("privilege", .word(Privilege.words))

    static let setting = ObjectShape("PrivilegeChange", [.required("granted", .boolean)])

    static let settings = ObjectShape(
        "PrivilegeSettings",
        [
            .required(
                "items",
                .array(
                    .fields(
                        "PrivilegeSetting",
                        [
                            privilege,
                            .orNull("locationId", .uuid, "Null for the whole organization."),
                            .required("granted", .boolean),
                            .required(
                                "inherited", .boolean,
                                "Whether it follows the organization's setting or, for the "
                                    + "organization, the default: only resetPasswords is granted."),
                        ]), count: 0...100_000))
        ])

    static let own = ObjectShape(
        "OwnPrivileges",
        [
            .required(
                "items",
                .array(
                    .fields(
                        "OwnPrivilege",
                        [
                            privilege, .required("locationId", .uuid),
                            .required("locationName", .line()),
                        ]), count: 0...100_000))
        ])

    static let inClass = ObjectShape(
        "ClassPrivileges",
        [
            .required("classId", .uuid),
            .required("change", .boolean, "Whether you may change the class and its roster."),
            .required(
                "resetPasswords", .boolean,
                "Whether you may give temporary passwords to people in the class who are only students."
            ),
        ])

    // MARK: Classes

    private static let fields: [Field] = [
        .required("name", .line()), .optional("number", .line()), .optional("room", .line()),
    ]
    private static let place: [Field] = [
        .required(
            "locationId", .reference, "A location where you are a teacher and may make classes."),
        .optional("termId", .reference, "An open term. The class is archived with it."),
    ]

    static let newClass = ObjectShape("NewMadeClass", fields + place)
    static let classChange = ObjectShape("MadeClassChange", fields.changed())
    static let madeClass = ObjectShape(
        "MadeClass",
        [.required("id", .uuid)] + fields.answered + [
            .required("locationId", .uuid), .orNull("termId", .uuid),
            .required("createdAt", .timestamp), .required("updatedAt", .timestamp),
        ])

    static let candidates = ObjectShape(
        "Candidates",
        [
            .required(
                "items",
                .array(
                    .fields(
                        "Candidate",
                        [
                            .required("id", .uuid), .required("givenName", .line()),
                            .required("familyName", .line()), .nameOrder,
                            .orNull("grade", .line(), "Only for a student."),
                        ]), count: 0...20),
                "At most 20, in the order of family name and given name.")
        ])
}
