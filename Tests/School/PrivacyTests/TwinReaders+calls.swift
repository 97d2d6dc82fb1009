import HTTPWire
import School
import TestKit
import Values

/// Who reads, and what: lists, and rows by their ids, those that are not there yet among them.
extension TwinReaders {
    static let gradebook = "/ims/oneroster/gradebook/v1p2"

    func readers() -> [TwinReader] {
        [
            TwinReader(name: "the tool", token: "twin \(ids.tool)", calls: ofTools()),
            TwinReader(
                name: "a tool without tasks", token: "twin \(ids.idleTool)", calls: ofTools()),
            TwinReader(
                name: "a system that grades", token: "twin \(ids.grader)", calls: ofSystems()),
            TwinReader(
                name: "a system with the results of another class", token: "twin \(ids.reporter)",
                calls: ofSystems()),
            TwinReader(
                name: "a teacher of another class", token: service.token(.tess),
                calls: ofPeople() + ofTeachers()),
            TwinReader(
                name: "a student of another class", token: service.token(.ben), calls: ofPeople()),
        ]
    }

    /// The ids of handouts with tasks; a task has the id of its handout.
    private var handouts: [UUID] {
        [ids.own, ids.draft, ids.scheduled, ids.foreign, ids.assigned]
    }

    private func ofTools() -> [TwinCall] {
        // Nobody has this pseudonym, so nothing is stored for it.
        let score = """
            {"userId":"nobody","activityProgress":"Completed","gradingProgress":"FullyGraded",\
            "timestamp":"\(began)","scoreGiven":7,"scoreMaximum":10}
            """
        return [TestIDs.biology, TestIDs.chemistry].flatMap { group -> [TwinCall] in
            let path = "/lti/classes/\(group.uuid)"
            let ofTasks = handouts.flatMap { task in
                [
                    TwinCall(.get, "\(path)/line-items/\(task)"),
                    TwinCall(.get, "\(path)/line-items/\(task)/results"),
                    TwinCall(.get, "\(path)/memberships?rlid=\(task)"),
                    TwinCall(.get, "\(path)/line-items?resource_link_id=\(task)"),
                ]
            }
            let scores = handouts.filter { $0 != ids.own }.map {
                TwinCall(.post, "\(path)/line-items/\($0)/scores", score)
            }
            return [
                TwinCall(.get, "\(path)/line-items"), TwinCall(.get, "\(path)/line-items?limit=1"),
                TwinCall(.get, "\(path)/memberships"),
                TwinCall(.get, "\(path)/memberships?role=Learner"),
            ] + ofTasks + scores
        }
    }

    private func ofSystems() -> [TwinCall] {
        let sam = "sis-sam"
        let lists =
            [
                "categories", "lineItems", "results", "results?sort=score&orderBy=desc",
            ]
            + ["class-Biology", "class-Chemistry"].flatMap { group in
                [
                    "classes/\(group)/categories", "classes/\(group)/lineItems",
                    "classes/\(group)/results", "classes/\(group)/students/\(sam)/results",
                ] + handouts.map { "classes/\(group)/lineItems/\($0)/results" }
            }
        let rows =
            handouts.flatMap { task in
                ["lineItems/\(task)", "results/\(task)_\(service.id(.sam).uuid)"]
            } + ["lineItems/\(ids.item)", "results/\(ids.grade)"]
        return (lists + rows + ["scoreScales"]).map { TwinCall(.get, "\(Self.gradebook)/\($0)") }
            + rows.map { TwinCall(.delete, "\(Self.gradebook)/\($0)") }
            + ["categories", "lineItems", "results"].map {
                TwinCall(.get, "/ims/oneroster/v1p1/\($0)")
            }
    }

    private func ofPeople() -> [TwinCall] {
        let lists =
            ["/v1/grades", "/v1/graded-items"].flatMap { path in
                [
                    path, "\(path)?count=true", "\(path)?limit=1",
                    "\(path)?classId=\(TestIDs.biology.uuid)",
                    "\(path)?classId=\(TestIDs.chemistry.uuid)",
                ]
            } + ["/v1/handouts", "/v1/grades?personId=\(service.id(.sam).uuid)"]
        let rows =
            ["/v1/grades/\(ids.grade)", "/v1/graded-items/\(ids.item)"]
            + handouts.flatMap { ["/v1/handouts/\($0)", "/v1/assignments/\($0)"] }
        let launches = handouts.map {
            TwinCall(.post, "/v1/tool-launches", "{\"taskId\":\"\($0)\"}")
        }
        return (lists + rows).map { TwinCall(.get, $0) } + launches
    }

    private func ofTeachers() -> [TwinCall] {
        [TestIDs.biology, TestIDs.chemistry].map {
            TwinCall(.get, "/v1/classes/\($0.uuid)/gradebook-systems")
        } + handouts.map { TwinCall(.get, "/v1/handouts/\($0)/report") }
    }
}
