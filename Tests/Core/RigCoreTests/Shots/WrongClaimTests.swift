import CaptureModel
import CaptureTestSupport
import ControlMessages
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// Reports with claims that cannot be true, or that cannot be checked. The test plays the node.
@Suite(.timeLimit(.minutes(10))) struct WrongClaimTests {
    private let folder: TemporaryFolder
    private let north: NodeName

    init() throws {
        folder = try TemporaryFolder()
        north = try NodeName("north")
    }

    private func fired(
        committedSettings: [CommittedSettings] = []
    ) async throws -> (RigBench, AsyncStream<ShotNotice>) {
        let bench = try await RigBench(folder: folder, committedSettings: committedSettings)
        try await bench.hello("north")
        let notices = await bench.rig.trigger(bench.order())
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await bench.armed("north")
        await bench.links.wait(forNodes: [north]) { $0.isFire }
        return (bench, notices)
    }

    /// The manifest of a shot whose camera reports this, and the number of faults that were found in the report.
    private func taken(
        committedSettings: [CommittedSettings] = [], _ change: (inout CaptureReport) -> Void
    ) async throws -> (capture: Capture, faults: Int) {
        let (bench, notices) = try await fired(committedSettings: committedSettings)
        var report = try await bench.report("north", [1, 2])
        change(&report)
        let faults = await bench.rig.accept(.captureResult(.captured(report)), from: north)
        try await bench.collect("north", [1, 2])
        let shot = try #require(try await bench.answer(notices))
        await bench.links.asked.wait { $0.released.count == 1 }
        await bench.end()
        let capture = try #require(shot.captures.first)
        #expect(capture.files.map(\.outcome) == [.done], "the picture is stored in any case")
        #expect(capture.timing == report.timing, "the manifest has what the node claimed")
        #expect(shot.status == (capture.phase == .done ? .complete : .partial))
        return (capture, faults.count)
    }

    @Test func `a picture 1000 s from T is stored and is not done`() async throws {
        let (capture, faults) = try await taken { report in
            // Enough also if the frame was exposed 5 ns after T.
            report.timing.midExposure.time = report.timing.midExposure.time - .nanoseconds(1_000_000_000_005)
            report.timing.skewNanoseconds -= 1_000_000_000_005
        }
        #expect(capture.phase == .partial && faults == 1)
        #expect(capture.doubts.map(\.claim) == [.midExposure])
        #expect(capture.problem?.code == .protocolViolation)
        #expect(capture.problem?.message.contains("16 min 40 s before T") == true)
    }

    @Test func `a wrong skew and a bound of minutes are both named`() async throws {
        let (capture, _) = try await taken { report in
            report.timing.skewNanoseconds += 9
            report.timing.midExposure.boundNanoseconds = 300_000_000_000
        }
        #expect(capture.phase == .partial && capture.doubts.map(\.claim) == [.bound, .skew])
        #expect(capture.problem?.message.contains("mid-exposure minus T is") == true)
    }

    @Test(arguments: [Duration.seconds(-1), .seconds(3600)])
    func `a frame that was received before its exposure or after its report is not done`(
        offset: Duration
    ) async throws {
        let (capture, _) = try await taken { $0.timing.dequeued = $0.timing.dequeued + offset }
        #expect(capture.phase == .partial && capture.doubts.map(\.claim) == [.dequeued])
    }

    @Test func `settings that no transaction has made are not done`() async throws {
        var generator = SeededGenerator(seed: 3)
        // A client has created the id after the node joined.
        let invented = SettingsID(unixMilliseconds: 4_000_000_000_000, using: &generator)
        let (capture, faults) = try await taken { $0.timing.settings = .inForce(invented) }
        #expect(capture.phase == .partial && faults == 1)
        #expect(capture.problem?.message.contains("\(invented), which does not exist") == true)
    }

    @Test func `settings that the coordinator can no longer know are done and marked`() async throws {
        // Created before the node joined: forgotten since, or of a coordinator with another state.
        let (capture, faults) = try await taken { $0.timing.settings = .inForce(Samples.settings()) }
        #expect(capture.phase == .done && capture.problem == nil && faults == 0)
        #expect(capture.doubts.map(\.verdict) == [.unverified] && capture.doubts.map(\.claim) == [.settings])
    }

    @Test(arguments: [("north/cam", Capture.Phase.done), ("south/cam", .partial)])
    func `settings of a transaction of the ledger are believed, of its cameras alone`(
        device: String, expected: Capture.Phase
    ) async throws {
        let anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
        let request = SettingsRequest(
            id: Samples.settings(), selection: Selection(), settings: try CaptureSettings(parsing: "gain=raw:7"))
        let past = PastSettings(
            id: request.id, realtimeNanoseconds: 1, principal: anna.name,
            cameras: [PastSettings.Camera(device: try DeviceID(device), settings: request.settings)])
        let stored = CommittedSettings(
            id: request.id, rigClock: RigClockID(rawValue: "rig-0"), state: .ended, past: past)
        let (capture, _) = try await taken(committedSettings: [stored]) {
            $0.timing.settings = .inForce(request.id)
        }
        #expect(capture.phase == expected)
    }

    @Test func `a node that lists such a report in its hello joins, and its picture is fetched`() async throws {
        let (bench, notices) = try await fired()
        var report = try await bench.report("north", [1, 2])
        report.timing.skewNanoseconds += 9
        let hello = try Samples.hello("north", inventory: [report])
        guard case .success(true) = await bench.rig.admit(hello, from: north, epoch: Samples.epoch(2)) else {
            Issue.record("the node was refused")
            return
        }
        #expect(await bench.rig.reconcile(hello, from: north, epochChanged: true).count == 1)
        try await bench.collect("north", [1, 2])
        let capture = try #require(try await bench.answer(notices)?.captures.first)
        #expect(capture.phase == .partial && capture.doubts.map(\.claim) == [.skew])
        await bench.end()
    }

    @Test func `a wrong report after a sound one changes nothing`() async throws {
        let (bench, notices) = try await fired()
        let sound = try await bench.report("north", [1, 2])
        await bench.rig.accept(.captureResult(.captured(sound)), from: north)
        var report = sound
        report.timing.skewNanoseconds += 9
        let hello = try Samples.hello("north", inventory: [report])
        _ = await bench.rig.admit(hello, from: north, epoch: Samples.epoch(2))
        #expect(await bench.rig.reconcile(hello, from: north, epochChanged: true).count == 1)
        try await bench.collect("north", [1, 2])
        let shot = try #require(try await bench.answer(notices))
        #expect(shot.status == .complete && shot.captures.first?.timing == sound.timing)
        await bench.end()
    }
}
