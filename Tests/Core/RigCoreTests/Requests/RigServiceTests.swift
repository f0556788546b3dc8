import CaptureModel
import CaptureTestSupport
import ControlMessages
import FolderStore
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// What the rig does for a front end, from command to answer, with nodes that are played by the test.
@Suite(.timeLimit(.minutes(10))) struct RigServiceTests {
    private let folder: TemporaryFolder
    private let north: NodeName
    private let device: DeviceID
    private let anna: Principal
    private let bytes: [UInt8] = [1, 2, 3]

    init() throws {
        folder = try TemporaryFolder()
        north = try NodeName("north")
        device = try DeviceID("north/cam")
        anna = try #require(Principal(claimed: "anna@studio-1"))
    }

    private func onDisk() throws -> Shot? {
        try FolderReader(folder: folder.path + "/library").shot(Samples.shot())
    }

    /// Has the shot fired with its camera armed.
    private func fire(_ rig: ServiceBench) async throws {
        await rig.bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await rig.bench.armed("north")
        await rig.bench.links.wait(forNodes: [north]) { $0.isFire }
    }

    @Test func `a shot is answered once it is durable, and its manifest names who triggered it first`() async throws {
        let rig = try await ServiceBench(folder: folder)
        try await rig.bench.hello("north")
        let answers = rig.answers(to: .trigger(rig.bench.order()), by: anna)
        try await fire(rig)
        try await rig.bench.captured("north", bytes)
        try await rig.bench.collect("north", bytes)
        let all = await answers.value
        #expect(all.last?.shot?.status == .complete && all.dropLast().allSatisfy(\.isProgress) && all.count > 1)
        #expect(try onDisk()?.status == .complete)
        #expect(try onDisk()?.triggeredBy == anna)
        await rig.bench.links.asked.wait { !$0.released.isEmpty }
        #expect(rig.bench.links.asked.value.released.map(\.onDisk) == [.done])

        let again = await rig.answers(to: .trigger(rig.bench.order()), by: .unnamed).value
        #expect(again.map { $0.shot?.triggeredBy } == [anna], "a repeat by somebody else changes nothing")
        guard case .shot(let stored)? = await rig.answer(to: .shot(Samples.shot())) else {
            Issue.record("the library does not have it")
            return
        }
        #expect(stored.shot == all.last?.shot && stored.library == folder.path + "/library")
        await rig.bench.end()
    }

    @Test func `a shot id that another key has used is refused, under way and stored`() async throws {
        let rig = try await ServiceBench(folder: folder)
        try await rig.bench.hello("north")
        let first = try #require(Principal(recorded: "anna", isAuthenticated: true))
        let second = try #require(Principal(recorded: "ben", isAuthenticated: true))
        let answers = rig.answers(to: .trigger(rig.bench.order()), by: first)
        try await fire(rig)
        for _ in 0..<2 {
            let refused = await rig.answers(to: .trigger(rig.bench.order()), by: second).value
            #expect(refused.last?.refusal?.code == .conflict)
            #expect(refused.last?.refusal?.message.contains("used by anna") == true)
            guard try onDisk()?.status != .complete else { break }
            try await rig.bench.captured("north", bytes)
            try await rig.bench.collect("north", bytes)
            _ = await answers.value
        }
        let again = await rig.answers(to: .trigger(rig.bench.order()), by: first).value
        #expect(again.last?.shot?.status == .complete)
        await rig.bench.end()
    }

    @Test func `a take begins, is marked, and ends at one instant for its cameras`() async throws {
        let rig = try await ServiceBench(folder: folder)
        try await rig.bench.hello("north")
        var settings = PhotoSettings()
        settings.movie = MovieSettings()
        let begun = rig.answers(to: .trigger(rig.bench.order(settings: settings)), by: anna)
        try await fire(rig)
        var report = try await rig.bench.report("north", bytes)
        (report.files, report.owed) = ([], AssetKind.ofMovie)
        await rig.bench.rig.accept(.captureResult(.captured(report)), from: north)
        let take = try #require(await begun.value.last?.shot)
        #expect(take.status == .open && take.captures.map(\.phase) == [.captured] && take.triggeredBy == anna)

        let mark = await rig.answers(to: .markTake(MarkTakeRequest(mark: 7, text: "go"))).value
        guard case .mark(let set)? = mark.last else {
            Issue.record("not marked: \(mark)")
            return
        }
        #expect(set.take == take.id && set.mark.text == "go")
        #expect(try onDisk()?.take?.marks == [set.mark])

        let ended = rig.answers(to: .stopTake(StopTakeRequest()))
        await rig.bench.links.wait(forNodes: [north]) {
            if case .fire(let order) = $0 { order.stop != nil } else { false }
        }
        report.files = AssetKind.ofMovie.map {
            SpooledFile(kind: $0, byteCount: Int64(bytes.count), digest: Samples.digest(bytes))
        }
        report.owed = []
        report.movie = RecordedMovie(frameCount: 2, durationNanoseconds: 40_000_000, end: .stopped)
        await rig.bench.rig.accept(.captureResult(.captured(report)), from: north)
        for kind in AssetKind.ofMovie { try await rig.store(FileKey(capture: report.key, kind: kind), bytes) }
        let end = try #require(await ended.value.last?.shot)
        #expect(end.status == .complete && end.take?.stopTime != nil && end.take?.marks == [set.mark])
        await rig.bench.end()
    }

    @Test func `a file that comes after the answer is late`() async throws {
        let clock = ManualTimeSource()
        let rig = try await ServiceBench(folder: folder, clock: clock)
        try await rig.bench.hello("north")
        let answers = rig.answers(to: .trigger(rig.bench.order(timeout: .milliseconds(50))))
        try await fire(rig)
        try await rig.bench.captured("north", bytes)
        // Past T and the timeout, and not past the time for reports.
        clock.advance(by: .seconds(1))
        #expect(await answers.value.last?.shot?.status == .open)
        try await rig.bench.collect("north", bytes)
        await rig.bench.links.asked.wait { !$0.released.isEmpty }
        #expect(try onDisk()?.captures.first?.files.map(\.outcome) == [.late])
        await rig.bench.end()
    }

    @Test func `the captures of a node that goes are missed, and the shot is answered`() async throws {
        let clock = ManualTimeSource()
        let rig = try await ServiceBench(folder: folder, clock: clock) { $0.heartbeatTimeout = .seconds(1) }
        try await rig.bench.hello("north")
        let answers = rig.answers(to: .trigger(rig.bench.order()))
        await rig.bench.links.wait(forNodes: [north]) { $0.isPrepare }
        clock.advance(by: .seconds(1))
        let shot = try #require(await answers.value.last?.shot)
        #expect(shot.status == .failed && shot.captures.map(\.phase) == [.missed])
        #expect(shot.captures[0].problem?.code == .nodeUnreachable)
        await rig.bench.links.asked.wait { $0.events.contains { $0.source.event.name == .node(.disconnected) } }
        guard case .status(let status)? = await rig.answer(to: .status) else {
            Issue.record("no status")
            return
        }
        #expect(status.nodes.map(\.isConnected) == [false])
        await rig.bench.end()
    }

    @Test func `a request of a device goes to its node, and the roster has its result before the answer`() async throws
    {
        let rig = try await ServiceBench(folder: folder)
        try await rig.bench.hello("north")
        let request = DeviceRequest(device: device, command: .stopSession(force: true))
        let answers = rig.answers(to: .device(request))
        await rig.bench.links.wait(forNodes: [north]) { $0.device != nil }
        let sent = rig.bench.links.asked.value.sent.map(\.order)
        guard let (number, told) = sent.last?.device, told == request else {
            Issue.record("\(sent)")
            return
        }
        let stopped = try Samples.device("north/cam", state: .stopped)
        let result = SessionResult(device: device, condition: stopped.condition)
        let answer = DeviceAnswer(
            number: number, devices: [DeviceStatus(device: stopped.description, condition: stopped.condition)],
            outcome: .success(.session(result)))
        await rig.bench.rig.accept(.deviceAnswer(answer), from: north)
        guard case .deviceReply(.session(result))? = await answers.value.last,
            case .devices(let devices)? = await rig.answer(to: .devices)
        else {
            Issue.record("another answer")
            return
        }
        #expect(devices.map(\.condition.state) == [.stopped])
        await rig.bench.end()
    }

    @Test func `what cannot be carried out is refused with its reason`() async throws {
        let rig = try await ServiceBench(folder: folder)
        #expect(await rig.answers(to: .trigger(rig.bench.order())).value.last?.refusal?.code == .emptySelection)
        #expect(await rig.answer(to: .shot(Samples.shot(9)))?.refusal?.code == .unknownShot)
        #expect(await rig.answers(to: .stopTake(StopTakeRequest())).value.last?.refusal?.code == .unknownShot)
        let text = MarkTakeRequest(mark: 1, text: "a\u{7}")
        #expect(await rig.answers(to: .markTake(text)).value.last?.refusal?.code == .protocolViolation)
        await rig.bench.end()
    }
}
