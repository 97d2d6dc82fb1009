import API

extension Problem {
    static let held = Problem(
        409, "held", "A hold stands for this data.",
        detail: "GET /v1/retention/holds lists the holds. Lift the hold first.")
}
