import School

extension Problem {
    static let mayNotEraseOneself = Problem(
        409, "may_not_erase_oneself", "Nobody erases himself or herself.",
        detail: "Another administrator can.")

    static let importsUnderWay = Problem(
        409, "imports_under_way", "Imports are queued or running.",
        detail:
            "They may hold this person, and would bring him or her back. Erase the person when they "
            + "are done: GET /v1/imports lists them.")

    static let lastAdministrator = Problem(
        409, "last_administrator", "This is the last administrator who is not deactivated.",
        detail: "Give somebody else the role administrator first.")
}
