/// In what tools see, and in who may open them.
extension LeakTable {
    static let tools: [Leak] = [
        .function("my_tool_tasks", without: "h.publish_at <= moment()", but: "true"),
        .function("my_tool_tasks", without: "c.archived_at is null", but: "true"),
        .function(
            "my_tool_tasks", without: "t.tool_id = my_service_account()",
            but: "t.tool_id is not null"
        ),
        .function("my_tool_tasks", without: "t.class_id = p_class_id", but: "true"),
        .function("my_tool_students", without: "h.recipients = 'class'", but: "true"),
        .function("my_tool_students", without: "is_seated(s)", but: "true"),
        .function("my_tool_students", without: "s.role = 'student'", but: "true"),
        .function("tool_results", without: "f.person_id = s.person_id", but: "true"),
        .policy(
            "students open tools of tasks that they have", on: "tool_launch", without: "exists (",
            but: "true or exists ("),
        .policy(
            "teachers open tools of their tasks, and for their handouts", on: "tool_launch",
            without: "exists (", but: "true or exists ("),
    ]
}
