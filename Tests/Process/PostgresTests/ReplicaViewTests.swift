import Testing

@testable import Postgres

/// When reads may use a replica and how long they wait for it, without servers and without a clock.
@Suite struct ReplicaViews {
    private typealias View = ReplicaView<String>

    private let ms: Int64 = 1_000_000

    private func position(_ offset: Int, timeline: Int = 1) -> LogPosition {
        LogPosition(timeline: timeline, offset: offset)
    }

    private func replica(at offset: Int, timeline: Int = 1) -> ReplicaState {
        ReplicaState(isReplica: true, replayed: position(offset, timeline: timeline))
    }

    /// One that reads are sent to, which has replayed a hundred bytes.
    private func used() -> View {
        var view = View(patience: 50)
        #expect(view.judge(replica(at: 100), primary: position(100)) == .follows(lag: 0))
        return view
    }

    @Test func `it is used when it follows the primary, and not before`() {
        var view = View(patience: 50)
        #expect(!view.isUsed)
        #expect(view.judge(nil, primary: position(100)) == .isAway)
        #expect(view.judge(replica(at: 100), primary: nil) == .isUnknown)
        #expect(!view.isUsed)
        #expect(view.judge(replica(at: 70), primary: position(100)) == .follows(lag: 30))
        #expect(view.isUsed)
        // It may have more than the primary had when that was asked.
        #expect(view.judge(replica(at: 120), primary: position(100)) == .follows(lag: 0))
        #expect(view.judge(replica(at: 120), primary: nil) == .isUnknown)
        #expect(view.isUsed)
        #expect(view.judge(nil, primary: nil) == .isAway)
        #expect(!view.isUsed)
    }

    @Test func `one that became a primary, or follows another, is not used, whatever it has`() {
        var view = used()
        let primary = ReplicaState(isReplica: false, replayed: position(1000))
        #expect(view.judge(primary, primary: position(100)) == .isNoReplica)
        #expect(!view.isUsed)
        view = used()
        let former = replica(at: 1000, timeline: 1)
        #expect(view.judge(former, primary: position(500, timeline: 2)) == .followsAnother)
        #expect(!view.isUsed)
        #expect(!former.hasReached(position(500, timeline: 2)))
        #expect(!primary.hasReached(position(100)))
    }

    @Test func `a read of what has been replayed does not wait`() {
        let view = used()
        #expect(view.hasReached(position(100)))
        #expect(!view.hasReached(position(101)))
        #expect(!view.hasReached(position(100, timeline: 2)))
        #expect(!View(patience: 50).hasReached(position(0)))
    }

    @Test func `the state that comes with the rows decides, and is remembered`() {
        var view = used()
        let hasReached = [150, 200].map { offset in
            view.hasReached(position(200), by: replica(at: offset))
        }
        #expect(hasReached == [false, true])
        #expect(view.hasReached(position(180)))
        #expect(view.isUsed)
    }

    @Test func `a read waits until its position is reached`() {
        var view = used()
        let isAlone = [
            view.wait("a", for: position(150), now: 0),
            view.wait("b", for: position(200), now: 10 * ms),
        ]
        #expect(isAlone == [true, false])
        #expect(view.answered(replica(at: 120), now: 20 * ms).count == 0)
        let first = view.answered(replica(at: 150), now: 49 * ms)
        #expect(first.map { $0.element } == ["a"] && first.map { $0.hasReached } == [true])
        #expect(view.hasWaiters)
        let second = view.answered(replica(at: 250), now: 100 * ms)
        #expect(second.map { $0.element } == ["b"])
        #expect(second.map { $0.hasReached } == [true], "late, but what it needs is there")
        #expect(!view.hasWaiters && view.isUsed)
        let isAloneAgain = view.wait("c", for: position(300), now: 0)
        #expect(isAloneAgain)
    }

    @Test func `a read that waits for nothing too long makes all go to the primary`() {
        var view = used()
        _ = view.wait("a", for: position(200), now: 0)
        _ = view.wait("b", for: position(300), now: 10 * ms)
        _ = view.wait("c", for: position(140), now: 40 * ms)
        #expect(view.answered(replica(at: 120), now: 50 * ms - 1).count == 0)
        let released = view.answered(replica(at: 140), now: 50 * ms)
        #expect(released.map { $0.element } == ["a", "b", "c"])
        #expect(released.map { $0.hasReached } == [false, false, true])
        #expect(!view.isUsed)
        // Nothing but reaching what was missed makes it used again.
        #expect(view.judge(replica(at: 299), primary: position(400)) == .isStillBehind(lag: 101))
        #expect(!view.isUsed)
        #expect(view.judge(replica(at: 300), primary: position(400)) == .follows(lag: 100))
        #expect(view.isUsed)
    }

    @Test func `what was missed on a former timeline is forgotten with it`() {
        var view = used()
        _ = view.wait("a", for: position(200), now: 0)
        #expect(view.answered(replica(at: 100), now: 50 * ms).map { $0.hasReached } == [false])
        #expect(
            view.judge(replica(at: 90, timeline: 2), primary: position(95, timeline: 2))
                == .follows(lag: 5))
        #expect(view.isUsed)
    }

    @Test func `a replica that does not answer keeps no read waiting`() {
        var view = used()
        _ = view.wait("a", for: position(200), now: 0)
        let released = view.answered(nil, now: 1)
        #expect(released.map { $0.element } == ["a"] && released.map { $0.hasReached } == [false])
        #expect(!view.isUsed)
        // A look that finds it gone, while a read waits.
        view = used()
        _ = view.wait("b", for: position(200), now: 0)
        #expect(view.judge(nil, primary: position(200)) == .isAway)
        #expect(view.answered(replica(at: 150), now: 1).map { $0.hasReached } == [false])
    }
}
