import API

extension Problem {
    static let toolRemoved = Problem(
        409, "tool_removed", "This tool was removed, or is no longer for this class.",
        detail: "Ask your school's administrator.")

    static let tooManyTools = Problem(
        409, "too_many_tools", "Your organization has too many tools.",
        detail: "It can have 100. Remove one that nobody uses any more.")

    static let toolWithoutContent = Problem(
        409, "tool_without_content", "This tool offers no content to choose for this class.",
        detail: "Add a task with the tool's address instead, or choose another tool.")

    /// Unknown, used, expired, another person's: one answer for all.
    static let launchOver = Problem(
        409, "tool_launch_over", "This is over, or was begun elsewhere.",
        detail: "Open the tool again, in the browser in which you are signed in.")

    static let lineItemOfTask = Problem(
        403, "line_item_of_task", "This line item is the task itself.",
        detail: "Its name and maximum belong to the teachers. Make a line item of your own.")

    static let tooManyLineItems = Problem(
        409, "too_many_line_items", "The task has too many line items.",
        detail: "You may have 100 for a task at a time, and make 1,000. Use those that there are.")

    /// - Parameter detail: what to fix, for the developer of the tool.
    static func deepLinksRefused(_ detail: String) -> Problem {
        Problem(
            422, "deep_links_refused", "What the tool sent cannot be used.", detail: detail)
    }
}
