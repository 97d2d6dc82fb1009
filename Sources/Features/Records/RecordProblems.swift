import API

extension Problem {
    static let mayNotEraseOneself = Problem(
        409, "may_not_erase_oneself", "You cannot erase yourself.",
        detail: "Another administrator can.")

    static let importsUnderWay = Problem(
        409, "imports_under_way", "Imports are queued or running.",
        detail:
            "They might bring this person back. Wait until they are done (GET /v1/imports lists them), "
            + "then erase the person."
    )

    static let personHeld = Problem(
        409, "held", "A hold stands for this person, or for a class that he or she is or was in.",
        detail: "GET /v1/retention/holds lists the holds. Lift the hold first.")

    static let lastAdministrator = Problem(
        409, "last_administrator", "This is the last active administrator.",
        detail: "Make someone else an administrator first.")
}
