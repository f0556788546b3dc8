import CameraKit
import CaptureModel
import RigConfiguration
import Testing

@testable import GPhotoCamera

/// Transcripts of requests and messages.
@Suite("gphoto camera: decisions")
struct PictureMachineTests {
    private typealias Action = PictureMachine.Action

    private static let start = LocalTime(nanoseconds: 100_000_000_000)

    private static func at(_ milliseconds: Int) -> LocalTime { start + .milliseconds(milliseconds) }

    private static func machine(wired: Bool = false, lag: Duration = .zero) -> PictureMachine {
        PictureMachine(
            PictureMachine.Limits(
                isWired: wired, lag: lag, window: .milliseconds(500), patience: .seconds(5)),
            StillStamps(correction: .init(), lag: nil, largestLatency: wired ? .milliseconds(200) : .zero))
    }

    private static func added(_ name: String, _ milliseconds: Int, size: Int = 3) -> PictureMachine.Event {
        .said(
            .added(
                CardEvent(
                    file: CardFile(folder: "/card", name: name, byteCount: size), since: at(milliseconds - 10),
                    instant: at(milliseconds))))
    }

    private static func taking(_ id: Int, _ milliseconds: Int) -> PictureMachine.Event {
        .said(.taking(id: "t\(id)", before: at(milliseconds), after: at(milliseconds + 5)))
    }

    private static func failed(_ id: String, _ code: Int, _ reason: String) -> PictureMachine.Event {
        .said(.failed(id: id, code: code, reason: reason))
    }

    /// Fetches a file of three bytes.
    private func fetch(_ id: UInt64, _ machine: inout PictureMachine, at milliseconds: Int) -> [Action] {
        machine.handle(.said(.data(id: "f\(id)", [1, 2, 3])), at: Self.at(milliseconds))
            + machine.handle(.said(.fetched(id: "f\(id)", byteCount: 3)), at: Self.at(milliseconds))
    }

    @Test("Asks before T by the lag, fetches the file, and removes it when the library has it")
    func one() {
        var machine = Self.machine(lag: .milliseconds(100))
        #expect(machine.handle(.requested(1, at: Self.at(3000)), at: Self.at(0)) == [])
        #expect(machine.nextInstant == Self.at(1900))
        let due = Self.at(2900).nanoseconds
        #expect(machine.handle(.timePassed, at: Self.at(1900)) == [.send("take\tt1\t\(due)")])
        #expect(machine.handle(Self.taking(1, 2900), at: Self.at(2905)) == [])
        #expect(
            machine.handle(Self.added("1.JPG", 3200), at: Self.at(3200)) == [.send("fetch\tf1\t/card\t1.JPG")])
        let picture = FetchedPicture(
            name: "1.JPG", bytes: [1, 2, 3],
            stamp: FrameStamp(midExposure: Self.at(3050), bound: .milliseconds(150)))
        #expect(fetch(1, &machine, at: 3300) == [.deliver(1, picture)])
        #expect(machine.nextInstant == nil)
        #expect(machine.handle(.durable(1), at: Self.at(9000)) == [.send("delete\td1\t/card\t1.JPG")])
        #expect(machine.handle(.durable(1), at: Self.at(9000)) == [])
        #expect(machine.handle(.said(.done(id: "d1")), at: Self.at(9010)) == [])
        #expect(machine.nextInstant == nil)
    }

    @Test("Exposes the next picture during a download, but not before the file of the one before is there")
    func overlap() {
        var machine = Self.machine()
        _ = machine.handle(.requested(2, at: Self.at(200)), at: Self.at(0))
        // The first has been asked for already, though the second is earlier.
        #expect(machine.handle(.requested(1, at: Self.at(100)), at: Self.at(0)) == [])
        _ = machine.handle(Self.taking(2, 200), at: Self.at(205))
        let next = machine.handle(Self.added("1.JPG", 300), at: Self.at(300))
        #expect(next == [.send("fetch\tf2\t/card\t1.JPG"), .send("take\tt1\t\(Self.at(100).nanoseconds)")])
        _ = machine.handle(Self.taking(1, 300), at: Self.at(305))
        #expect(machine.handle(Self.added("2.JPG", 400), at: Self.at(400)) == [.send("fetch\tf1\t/card\t2.JPG")])
        #expect(fetch(2, &machine, at: 500).count == 1)
        #expect(fetch(1, &machine, at: 600).count == 1)
    }

    @Test("A refusal concerns its request only, and says what to do")
    func refused() {
        var machine = Self.machine()
        _ = machine.handle(.requested(1, at: Self.at(0)), at: Self.at(0))
        _ = machine.handle(.requested(2, at: Self.at(10)), at: Self.at(0))
        let actions = machine.handle(Self.failed("t1", -1, "PTP Store Full"), at: Self.at(5))
        guard case .refuse(1, let reason) = actions.first else { Issue.record("\(actions)"); return }
        #expect(reason.contains("PTP Store Full") && reason.contains("remove pictures"))
        #expect(actions.last == .send("take\tt2\t\(Self.at(10).nanoseconds)"))
    }

    @Test("A picture of which bytes are missing is refused, and is never removed")
    func short() {
        var machine = Self.machine()
        _ = machine.handle(.requested(1, at: Self.at(0)), at: Self.at(0))
        _ = machine.handle(Self.taking(1, 0), at: Self.at(5))
        _ = machine.handle(Self.added("1.JPG", 100, size: 4), at: Self.at(100))
        let actions = fetch(1, &machine, at: 200)
        guard case .refuse(1, let reason) = actions.first else { Issue.record("\(actions)"); return }
        #expect(reason.contains("3 of 4 bytes"))
        #expect(machine.handle(.durable(1), at: Self.at(300)) == [])
    }

    @Test("The stream ends if the camera does not answer, stores nothing, stores only RAW, or stops in a file")
    func silence() {
        func reason(_ events: [(PictureMachine.Event, Int)], after milliseconds: Int) -> String? {
            var machine = Self.machine()
            _ = machine.handle(.requested(1, at: Self.at(0)), at: Self.at(0))
            for (event, instant) in events { _ = machine.handle(event, at: Self.at(instant)) }
            #expect(machine.nextInstant == Self.at(milliseconds))
            #expect(machine.handle(.timePassed, at: Self.at(milliseconds - 1)) == [])
            guard case .fail(let reason) = machine.handle(.timePassed, at: Self.at(milliseconds)).first else {
                return nil
            }
            return reason
        }
        #expect(reason([], after: 5000)?.contains("stuck") == true)
        #expect(reason([(Self.taking(1, 20), 25)], after: 5020)?.contains("stored no picture") == true)
        #expect(
            reason([(Self.taking(1, 20), 25), (Self.added("1.NEF", 90), 90)], after: 5020)?.contains("1.NEF") == true)
        let download = [(Self.taking(1, 20), 25), (Self.added("1.JPG", 90), 90), (.said(.data(id: "f1", [1])), 300)]
        #expect(reason(download, after: 5300)?.contains("in the middle of a file") == true)
    }

    @Test("A file that is announced again is not the picture of another request, until it is removed")
    func announcedAgain() {
        var machine = Self.machine()
        _ = machine.handle(.requested(1, at: Self.at(0)), at: Self.at(0))
        _ = machine.handle(Self.taking(1, 0), at: Self.at(5))
        _ = machine.handle(Self.added("1.JPG", 100), at: Self.at(100))
        _ = fetch(1, &machine, at: 200)
        _ = machine.handle(.requested(2, at: Self.at(300)), at: Self.at(300))
        _ = machine.handle(Self.taking(2, 300), at: Self.at(305))
        #expect(
            machine.handle(Self.added("1.JPG", 400), at: Self.at(400)) == [.note("1.JPG was announced again")])
        #expect(machine.handle(Self.added("2.JPG", 500), at: Self.at(500)) == [.send("fetch\tf2\t/card\t2.JPG")])
        _ = fetch(2, &machine, at: 600)
        _ = machine.handle(.durable(1), at: Self.at(700))
        _ = machine.handle(.said(.done(id: "d1")), at: Self.at(710))
        // A card that was emptied may number its files from the beginning.
        _ = machine.handle(.requested(3, at: Self.at(800)), at: Self.at(800))
        _ = machine.handle(Self.taking(3, 800), at: Self.at(805))
        #expect(machine.handle(Self.added("1.JPG", 900), at: Self.at(900)) == [.send("fetch\tf3\t/card\t1.JPG")])
    }

    @Test("A picture that nobody has asked for stays on the card")
    func unasked() {
        var machine = Self.machine()
        let actions = machine.handle(Self.added("1.JPG", 10), at: Self.at(10))
        guard actions.count == 1, case .note(let sentence) = actions[0] else { Issue.record("\(actions)"); return }
        #expect(sentence.contains("1.JPG stays"))
        // One from before the request was carried out is not its picture.
        _ = machine.handle(.requested(1, at: Self.at(20)), at: Self.at(15))
        let early = machine.handle(Self.added("2.JPG", 18), at: Self.at(18))
        guard early.count == 1, case .note = early[0] else { Issue.record("\(early)"); return }
    }

    @Test("Nothing is removed if the card is not to be emptied")
    func kept() {
        var limits = Self.machine().limits
        limits.emptiesCard = false
        var machine = PictureMachine(limits, Self.machine().stamps)
        _ = machine.handle(.requested(1, at: Self.at(0)), at: Self.at(0))
        _ = machine.handle(Self.taking(1, 0), at: Self.at(5))
        _ = machine.handle(Self.added("1.JPG", 100), at: Self.at(100))
        #expect(fetch(1, &machine, at: 200).count == 1)
        #expect(machine.handle(.durable(1), at: Self.at(300)) == [])
    }

    @Test("Each wired picture is that of the nearest instant, whichever comes first, and never of one too far away")
    func wired() {
        var machine = Self.machine(wired: true)
        #expect(machine.handle(.requested(1, at: Self.at(1000)), at: Self.at(0)) == [])
        #expect(machine.handle(.requested(2, at: Self.at(2000)), at: Self.at(0)) == [])
        #expect(machine.handle(Self.added("2.JPG", 2100), at: Self.at(2100)) == [.send("fetch\tf2\t/card\t2.JPG")])
        #expect(machine.handle(Self.added("1.JPG", 1100), at: Self.at(2100)) == [.send("fetch\tf1\t/card\t1.JPG")])
        // Before its request.
        #expect(machine.handle(Self.added("3.JPG", 3100), at: Self.at(3100)) == [])
        #expect(machine.handle(.requested(4, at: Self.at(9000)), at: Self.at(3200)) == [])
        #expect(
            machine.handle(.requested(3, at: Self.at(3000)), at: Self.at(3300)) == [.send("fetch\tf3\t/card\t3.JPG")])
    }

    @Test("A wired request without a picture ends with the reason, and the stream goes on")
    func wiredSilence() {
        var machine = Self.machine(wired: true)
        _ = machine.handle(.requested(1, at: Self.at(1000)), at: Self.at(0))
        let last = Self.at(1000 + 500 + 200 + 5000)
        #expect(machine.nextInstant == last)
        let actions = machine.handle(.timePassed, at: last)
        guard actions.count == 1, case .refuse(1, let reason) = actions[0] else {
            Issue.record("\(actions)")
            return
        }
        #expect(reason.contains("cable of the trigger"))
        #expect(machine.nextInstant == nil)
    }
}
