import School

extension Problem {
    static let mayNotEraseOneself = Problem(
        409, "may_not_erase_oneself", "Nobody erases himself or herself.",
        detail: "Another administrator can.")

    static let lastAdministrator = Problem(
        409, "last_administrator", "This is the last administrator who is not deactivated.",
        detail: "Give somebody else the role administrator first.")
}
