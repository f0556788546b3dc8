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

    private static func machine(
        wired: Bool = false, lag: Duration = .zero, overdueUntil: LocalTime? = nil
    ) -> PictureMachine {
        PictureMachine(
            PictureMachine.Limits(
                isWired: wired, lag: lag, window: .milliseconds(500), pairing: .seconds(2), patience: .seconds(5)),
            StillStamps(correction: .init(), lag: nil, largestLatency: wired ? .milliseconds(200) : .zero),
            overdueUntil: overdueUntil)
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
        fetch("\(id)", &machine, at: milliseconds)
    }

    private func fetch(_ id: String, _ machine: inout PictureMachine, at milliseconds: Int) -> [Action] {
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
            files: .photo([1, 2, 3]),
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

    @Test("A picture that is overdue when its stream ends is not taken for one of the next stream")
    func overdue() {
        var ended = Self.machine()
        _ = ended.handle(.requested(1, at: Self.at(100)), at: Self.at(0))
        #expect(ended.overdue(endingAt: Self.at(99)) == nil)
        _ = ended.handle(Self.taking(1, 100), at: Self.at(105))
        #expect(ended.overdue(endingAt: Self.at(300)) == Self.at(5300))
        var next = Self.machine(overdueUntil: Self.at(5300))
        #expect(next.handle(.requested(1, at: Self.at(400)), at: Self.at(400)) == [])
        #expect(next.nextInstant == Self.at(4300))
        guard case .note? = next.handle(Self.added("1.JPG", 2000), at: Self.at(2000)).first else {
            Issue.record("the overdue picture is taken for another"); return
        }
        let due = Self.at(5300)
        #expect(next.handle(.timePassed, at: Self.at(4300)) == [.send("take\tt1\t\(due.nanoseconds)")])
        #expect(next.overdue(endingAt: Self.at(4500)) == due)
        _ = next.handle(Self.taking(1, 5300), at: Self.at(5305))
        #expect(next.handle(Self.added("2.JPG", 5400), at: Self.at(5400)) == [.send("fetch\tf1\t/card\t2.JPG")])
        #expect(next.overdue(endingAt: Self.at(5400)) == nil)
    }

    @Test("A request that timed out may have caused a picture, which is not taken for one of the next request")
    func timedOut() {
        var machine = Self.machine()
        _ = machine.handle(.requested(1, at: Self.at(0)), at: Self.at(0))
        _ = machine.handle(.requested(2, at: Self.at(10)), at: Self.at(0))
        let actions = machine.handle(Self.failed("t1", -10, "Timeout"), at: Self.at(5))
        guard case .refuse(1, _)? = actions.first, actions.count == 1 else { Issue.record("\(actions)"); return }
        #expect(machine.nextInstant == Self.at(4005))
        guard case .note? = machine.handle(Self.added("1.JPG", 100), at: Self.at(100)).first else {
            Issue.record("the picture of the first request is taken for another"); return
        }
        let due = Self.at(5005).nanoseconds
        #expect(machine.handle(.timePassed, at: Self.at(4005)) == [.send("take\tt2\t\(due)")])
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

    @Test("A wired file that is announced again is not the picture of another request, until it is removed")
    func wiredAgain() {
        var machine = Self.machine(wired: true)
        _ = machine.handle(.requested(1, at: Self.at(1000)), at: Self.at(0))
        _ = machine.handle(Self.added("1.JPG", 1100), at: Self.at(1100))
        _ = fetch(1, &machine, at: 1200)
        _ = machine.handle(.requested(2, at: Self.at(2000)), at: Self.at(1900))
        #expect(machine.handle(Self.added("1.JPG", 2050), at: Self.at(2050)) == [.note("1.JPG was announced again")])
        _ = machine.handle(.durable(1), at: Self.at(2060))
        _ = machine.handle(.said(.done(id: "d1")), at: Self.at(2070))
        #expect(machine.handle(Self.added("1.JPG", 2100), at: Self.at(2100)) == [.send("fetch\tf2\t/card\t1.JPG")])
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

    // MARK: Image and raw file

    private static let nef = CameraRawFile(format: .nef, bytes: [1, 2, 3])

    /// A request with a raw file that the camera has carried out.
    private static func pair(_ id: UInt64 = 1, wired: Bool = false) -> PictureMachine {
        var machine = machine(wired: wired)
        _ = machine.handle(.requested(id, at: at(0), withRaw: true), at: at(0))
        if !wired { _ = machine.handle(taking(Int(id), 0), at: at(5)) }
        return machine
    }

    private static let pairStamp = FrameStamp(midExposure: at(50), bound: .milliseconds(50))

    @Test(
        "Delivers image and raw file of one name together, whichever comes first, and removes both",
        arguments: [true, false])
    func two(_ isRawFirst: Bool) {
        var machine = Self.pair()
        _ = machine.handle(.requested(2, at: Self.at(0)), at: Self.at(10))
        let (raw, photo) = (("DSC_1.NEF", "1r"), ("dsc_1.jpg", "1"))
        let files = isRawFirst ? [raw, photo] : [photo, raw]
        #expect(
            machine.handle(Self.added(files[0].0, 100), at: Self.at(100)) == [
                .send("fetch\tf\(files[0].1)\t/card\t\(files[0].0)")
            ], "the next picture waits for both files")
        #expect(fetch(files[0].1, &machine, at: 200).isEmpty)
        #expect(machine.nextInstant == Self.at(2200))
        #expect(
            machine.handle(Self.added(files[1].0, 300), at: Self.at(300)) == [
                .send("fetch\tf\(files[1].1)\t/card\t\(files[1].0)"), .send("take\tt2\t\(Self.at(0).nanoseconds)"),
            ])
        let picture = FetchedPicture(files: .photoAndRaw([1, 2, 3], Self.nef), stamp: Self.pairStamp)
        #expect(fetch(files[1].1, &machine, at: 400) == [.deliver(1, picture)])
        #expect(
            machine.handle(.durable(1), at: Self.at(500)) == [
                .send("delete\td1\t/card\tdsc_1.jpg"), .send("delete\td1r\t/card\tDSC_1.NEF"),
            ])
        for id in ["d1", "d1r"] { #expect(machine.handle(.said(.done(id: id)), at: Self.at(510)).isEmpty) }
    }

    @Test("A file of a pair that stays away is named, and the other one is delivered and removed")
    func half() {
        for (name, id, other) in [("1.JPG", "1", "raw file"), ("1.NEF", "1r", "JPEG image")] {
            var machine = Self.pair()
            _ = machine.handle(.requested(2, at: Self.at(0)), at: Self.at(10))
            _ = machine.handle(Self.added(name, 100), at: Self.at(100))
            _ = fetch(id, &machine, at: 200)
            #expect(machine.nextInstant == Self.at(2200))
            #expect(machine.handle(.timePassed, at: Self.at(2199)).isEmpty)
            let actions = machine.handle(.timePassed, at: Self.at(2200))
            guard actions.count == 2, case .deliver(1, let picture) = actions[0] else {
                Issue.record("\(actions)")
                return
            }
            switch picture.files {
            case .photoAlone([1, 2, 3], let reason), .rawAlone(Self.nef, let reason):
                #expect(reason.contains(name) && reason.contains("no \(other)"), "\(reason)")
            default: Issue.record("\(picture.files)")
            }
            #expect(actions[1] == .send("take\tt2\t\(Self.at(0).nanoseconds)"), "the next picture waits no longer")
            #expect(machine.handle(.durable(1), at: Self.at(3000)) == [.send("delete\td\(id)\t/card\t\(name)")])
        }
    }

    @Test("Waits for the second file while the first one is downloaded, during which the camera tells nothing")
    func slowDownload() {
        var machine = Self.pair()
        _ = machine.handle(Self.added("1.NEF", 100), at: Self.at(100))
        _ = machine.handle(.said(.data(id: "f1r", [1])), at: Self.at(150))
        #expect(machine.nextInstant == Self.at(5150))
        #expect(machine.handle(.timePassed, at: Self.at(5000)).isEmpty)
        #expect(machine.handle(.said(.data(id: "f1r", [2, 3])), at: Self.at(5100)).isEmpty)
        _ = machine.handle(.said(.fetched(id: "f1r", byteCount: 3)), at: Self.at(5110))
        #expect(machine.handle(Self.added("1.JPG", 5120), at: Self.at(5120)) == [.send("fetch\tf1\t/card\t1.JPG")])
        #expect(fetch("1", &machine, at: 5130).count == 1)
    }

    @Test("A file that comes too late is not taken for one of the next picture")
    func late() {
        var machine = Self.pair()
        _ = machine.handle(Self.added("1.JPG", 100), at: Self.at(100))
        _ = fetch("1", &machine, at: 200)
        _ = machine.handle(.timePassed, at: Self.at(2200))
        _ = machine.handle(.requested(2, at: Self.at(2300), withRaw: true), at: Self.at(2300))
        _ = machine.handle(Self.taking(2, 2300), at: Self.at(2305))
        let late = machine.handle(Self.added("1.NEF", 2400), at: Self.at(2400))
        guard late.count == 1, case .note(let sentence) = late[0] else { Issue.record("\(late)"); return }
        #expect(sentence.contains("1.NEF stays on its card"))
        #expect(machine.handle(Self.added("2.NEF", 2500), at: Self.at(2500)) == [.send("fetch\tf2r\t/card\t2.NEF")])
    }

    @Test("The raw file of a shot that asked for none is not taken for one of the next picture")
    func unaskedRaw() {
        var machine = Self.machine()
        _ = machine.handle(.requested(1, at: Self.at(0)), at: Self.at(0))
        _ = machine.handle(.requested(2, at: Self.at(10), withRaw: true), at: Self.at(0))
        _ = machine.handle(Self.taking(1, 0), at: Self.at(5))
        #expect(machine.handle(Self.added("1.JPG", 100), at: Self.at(100)).count == 2)
        _ = machine.handle(Self.taking(2, 110), at: Self.at(115))
        #expect(fetch(1, &machine, at: 120).count == 1)
        _ = machine.handle(.durable(1), at: Self.at(130))
        _ = machine.handle(.said(.done(id: "d1")), at: Self.at(140))
        let other = machine.handle(Self.added("1.NEF", 150), at: Self.at(150))
        guard other.count == 1, case .note = other[0] else { Issue.record("\(other)"); return }
        #expect(machine.handle(Self.added("2.JPG", 200), at: Self.at(200)) == [.send("fetch\tf2\t/card\t2.JPG")])
    }

    @Test("A camera that names each picture alike, because its card was emptied, goes on")
    func sameName() {
        var machine = Self.machine()
        for id in UInt64(1)...3 {
            let start = Int(id) * 1000
            _ = machine.handle(.requested(id, at: Self.at(start), withRaw: id > 1), at: Self.at(start))
            _ = machine.handle(Self.taking(Int(id), start), at: Self.at(start + 5))
            _ = machine.handle(Self.added("1.JPG", start + 100), at: Self.at(start + 100))
            if id > 1 {
                _ = machine.handle(Self.added("1.NEF", start + 110), at: Self.at(start + 110))
                _ = fetch("\(id)r", &machine, at: start + 200)
            }
            let actions = fetch(id, &machine, at: start + 300)
            guard case .deliver(id, _)? = actions.last else { Issue.record("\(actions)"); return }
            #expect(machine.handle(.durable(id), at: Self.at(start + 400)).count == (id > 1 ? 2 : 1))
            for done in ["d\(id)", "d\(id)r"] { _ = machine.handle(.said(.done(id: done)), at: Self.at(start + 410)) }
        }
    }

    @Test("If one file of a pair cannot be read, the other one is delivered, and both stay on the card")
    func unreadable() {
        var machine = Self.pair()
        _ = machine.handle(Self.added("1.NEF", 100), at: Self.at(100))
        _ = machine.handle(Self.added("1.JPG", 110), at: Self.at(110))
        #expect(machine.handle(Self.failed("f1r", -7, "I/O problem"), at: Self.at(200)).isEmpty)
        let actions = fetch("1", &machine, at: 300)
        guard case .deliver(1, let picture)? = actions.first, case .photoAlone(_, let reason) = picture.files else {
            Issue.record("\(actions)")
            return
        }
        #expect(reason.contains("I/O problem") && reason.contains("stays on its card"))
        #expect(machine.handle(.durable(1), at: Self.at(400)).isEmpty)
    }

    @Test("A picture of which neither file can be read is refused with both reasons")
    func unreadablePair() {
        var machine = Self.pair()
        _ = machine.handle(Self.added("1.NEF", 100), at: Self.at(100))
        _ = machine.handle(Self.added("1.JPG", 110), at: Self.at(110))
        _ = machine.handle(Self.failed("f1r", -7, "first"), at: Self.at(200))
        let actions = machine.handle(Self.failed("f1", -7, "second"), at: Self.at(200))
        guard case .refuse(1, let reason)? = actions.first else { Issue.record("\(actions)"); return }
        #expect(reason.contains("first") && reason.contains("second"))
        #expect(machine.nextInstant == nil)
    }

    @Test("A wired pair belongs to one request, before or after it is made")
    func wiredPair() {
        for isEarly in [false, true] {
            var machine = isEarly ? Self.machine(wired: true) : Self.pair(wired: true)
            let names = ["1.NEF", "1.JPG", "1.MOV"]
            var actions = names.flatMap { machine.handle(Self.added($0, 100), at: Self.at(100)) }
            if isEarly {
                actions += machine.handle(.requested(1, at: Self.at(0), withRaw: true), at: Self.at(150))
            }
            let sent = actions.filter { if case .note = $0 { false } else { true } }
            #expect(sent == [.send("fetch\tf1r\t/card\t1.NEF"), .send("fetch\tf1\t/card\t1.JPG")])
            #expect(actions.count == 3, "the movie is said to stay")
            #expect(fetch("1r", &machine, at: 200).isEmpty)
            #expect(fetch("1", &machine, at: 300).count == 1)
        }
    }

    @Test("A file of a pair that is announced again is neither fetched again nor taken for one of another picture")
    func pairAgain() {
        var machine = Self.pair()
        let names = ["1.NEF", "1.JPG"]
        for name in names { #expect(machine.handle(Self.added(name, 100), at: Self.at(100)).count == 1) }
        for name in names {
            let again = machine.handle(Self.added(name, 110), at: Self.at(110))
            #expect(again == [.note("\(name) was announced again")])
        }
        #expect(fetch("1r", &machine, at: 200).isEmpty)
        #expect(fetch("1", &machine, at: 300).count == 1)
        _ = machine.handle(.requested(2, at: Self.at(400), withRaw: true), at: Self.at(400))
        _ = machine.handle(Self.taking(2, 400), at: Self.at(405))
        for name in names {
            let again = machine.handle(Self.added(name, 500), at: Self.at(500))
            #expect(again == [.note("\(name) was announced again")])
        }
        #expect(machine.handle(Self.added("2.NEF", 600), at: Self.at(600)) == [.send("fetch\tf2r\t/card\t2.NEF")])
    }

    @Test("Bounds the names by which further files are recognized")
    func manyNames() {
        var machine = Self.machine()
        for id in UInt64(1)...UInt64(PictureMachine.Limits.mostNames + 1) {
            let start = Int(id) * 1000
            _ = machine.handle(.requested(id, at: Self.at(start)), at: Self.at(start))
            _ = machine.handle(Self.taking(Int(id), start), at: Self.at(start + 5))
            _ = machine.handle(Self.added("\(id).JPG", start + 100), at: Self.at(start + 100))
            #expect(fetch(id, &machine, at: start + 300).count == 1)
        }
        // The first one is forgotten, the second is not.
        let start = 100_000
        _ = machine.handle(.requested(999, at: Self.at(start), withRaw: true), at: Self.at(start))
        _ = machine.handle(Self.taking(999, start), at: Self.at(start + 5))
        let known = machine.handle(Self.added("2.NEF", start + 10), at: Self.at(start + 10))
        guard known.count == 1, case .note = known[0] else { Issue.record("\(known)"); return }
        #expect(
            machine.handle(Self.added("1.NEF", start + 20), at: Self.at(start + 20)) == [
                .send("fetch\tf999r\t/card\t1.NEF")
            ])
    }
}

@Suite("gphoto camera: names of files")
struct CardFileTests {
    @Test("Tells images and raw files from others by their names, and the files of one picture")
    func names() {
        func file(_ name: String) -> CardFile { CardFile(folder: "/card", name: name, byteCount: 0) }
        for format in CameraRawFormat.allCases {
            #expect(file("a.\(format.rawValue.uppercased())").part == .raw(format))
        }
        #expect(file("a.JPG").part == .photo && file("a.jpeg").part == .photo)
        for name in ["a.MOV", "a.jpg.txt", "jpg", "", ".", "a.", "a.n\u{0}ef"] {
            #expect(file(name).part == nil, "\(name)")
        }
        #expect(file("DSC_1.NEF").stem == file("dsc_1.jpg").stem && file("a.b.NEF").stem == "a.b")
        #expect(file("DSC_1.NEF").stem != file("DSC_2.JPG").stem && file("jpg").stem == "jpg")
    }
}
