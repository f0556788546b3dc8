import CaptureModel
import CaptureTestSupport
import ControlMessages
import Foundation
import RigSecurity
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// What a hold keeps others from, from command to answer.
@Suite(.timeLimit(.minutes(10))) struct HoldTests {
    private let folder: TemporaryFolder
    private let north: NodeName
    private let anna: Principal
    private let ben: Principal
    private let carol: Principal
    private let bytes: [UInt8] = [1, 2, 3]

    init() throws {
        folder = try TemporaryFolder()
        north = try NodeName("north")
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
        ben = try #require(Principal(recorded: "ben", isAuthenticated: true))
        carol = try #require(Principal(recorded: "carol", isAuthenticated: true))
    }

    private let operating: Set<Permission> = [.view, .read, .add, .trigger, .configure]

    private func take(_ seconds: Int64 = 60, _ note: String? = nil, overrides: String? = nil) -> RigCommand {
        .hold(.take(HoldRequest(duration: .seconds(seconds), note: note, overrides: overrides)))
    }

    /// The last answer to a command.
    private func answer(
        _ rig: ServiceBench, _ command: RigCommand, by principal: Principal, with permissions: Set<Permission>? = nil
    ) async -> RigAnswer? {
        await rig.answers(to: command, by: principal, with: permissions ?? operating).value.last
    }

    private func hold(_ rig: ServiceBench) async -> RigHold? {
        guard case .status(let status)? = await rig.answer(to: .status) else { return nil }
        return status.hold?.hold
    }

    private func events(_ rig: ServiceBench) -> [RigEvent] {
        rig.bench.links.asked.value.events.map(\.source.event).filter { $0.name.rawValue.hasPrefix("hold.") }
    }

    /// What a hold keeps others from. docs/protocol/client.md lists it.
    private let kept: Set<RequestKind> = [
        .triggerShot, .startTake, .startSession, .stopSession, .resumeSession, .switchInput, .keepDelays, .keepStamps,
        .setControls, .setConnection, .alignCamera, .applySettings, .cancelSettings, .saveProfile, .removeProfile,
        .discardCaptures, .forgetDevices,
        .otherDeviceCommand, .deleteShot, .takeHold, .releaseHold,
    ]

    @Test func `While somebody holds the rig, others change nothing and read everything`() async throws {
        let rig = try await ServiceBench(folder: folder)
        _ = await answer(rig, take(60, "light"), by: ben)
        var refused: Set<RequestKind> = []
        for (kind, command) in try RequestPermissionTests().commands() where kind != .overrideHold {
            let answer = try #require(await answer(rig, command, by: anna, with: Role.admin.permissions))
            guard answer.refusal?.code == .held else { continue }
            refused.insert(kind)
            for word in ["ben", "light", "UTC", "capctl hold release", "--override"] {
                #expect(answer.refusal?.message.contains(word) == true, "\(kind): \(answer)")
            }
        }
        #expect(refused == kept, "also an administrator, who may override")
        for (kind, query) in RequestPermissionTests().queries {
            #expect(await rig.answer(to: query)?.refusal?.code != .held, "\(kind)")
        }
        #expect(await hold(rig)?.holder == ben)
        await rig.bench.end()
    }

    @Test func `A hold that nobody changes keeps its version, and each change gives it another`() async throws {
        let rig = try await ServiceBench(folder: folder)
        func version() async throws -> ContentDigest {
            guard case .status(let status)? = await rig.answer(to: .status) else { throw CancellationError() }
            return try #require(status.holdVersion)
        }
        let free = try await version()
        #expect(try await version() == free)
        var versions: Set<ContentDigest> = [free]
        for command in [take(60, "light"), take(60, "sound"), take(30)] {
            guard case .hold(let state)? = await answer(rig, command, by: ben) else {
                Issue.record("\(command)")
                continue
            }
            #expect(versions.insert(state.version).inserted)
            for _ in 1...20 { #expect(try await version() == state.version) }
        }
        _ = await answer(rig, .hold(.release(overriding: nil)), by: ben)
        #expect(try await version() == free)
        await rig.bench.end()
    }

    @Test func `The date of the end follows a wall clock that is set`() async throws {
        let clock = ManualTimeSource()
        let rig = try await ServiceBench(folder: folder, clock: clock)
        guard case .hold(let held)? = await answer(rig, take(60), by: ben) else {
            Issue.record("not held")
            return
        }
        let before = try #require(held.status?.endsRealtimeNanoseconds)
        clock.stepWallClock(by: .milliseconds(900))
        #expect(await rig.bench.rig.heldState == held)
        clock.stepWallClock(by: .milliseconds(200))
        let moved = await rig.bench.rig.heldState
        #expect(moved.status?.endsRealtimeNanoseconds == before + 1_100_000_000 && moved.version != held.version)
        await rig.bench.end()
    }

    @Test func `Of holds that depend on a free rig, one is taken, and another holder goes before the condition`()
        async throws
    {
        let rig = try await ServiceBench(folder: folder)
        let free = ChangeCondition([await rig.bench.rig.heldState.version])
        let command = HoldChange.take(HoldRequest(duration: .seconds(60)))
        let held = try await rig.bench.rig.carryOut(command, by: ben, if: free)
        let stale = await #expect(throws: RigProblem.self) {
            try await rig.bench.rig.carryOut(command, by: ben, if: free)
        }
        #expect(stale?.code == .preconditionFailed)
        let other = await #expect(throws: RigProblem.self) {
            try await rig.bench.rig.carryOut(command, by: anna, if: free)
        }
        #expect(other?.code == .held)
        let release = HoldChange.release(overriding: nil)
        let kept = await #expect(throws: RigProblem.self) {
            try await rig.bench.rig.carryOut(release, by: ben, if: free)
        }
        #expect(kept?.code == .preconditionFailed)
        #expect(await rig.bench.rig.heldState == held)
        let released = try await rig.bench.rig.carryOut(release, by: ben, if: ChangeCondition([held.version]))
        #expect(released.status == nil)
        await rig.bench.end()
    }

    @Test func `The holder changes everything`() async throws {
        let rig = try await ServiceBench(folder: folder)
        for (kind, command) in try RequestPermissionTests().commands() where kind != .releaseHold {
            _ = await answer(rig, take(), by: ben)
            let answer = await answer(rig, command, by: ben, with: Role.admin.permissions)
            #expect(answer?.refusal?.code != .held, "\(kind)")
        }
        await rig.bench.end()
    }

    @Test func `A shot that was accepted before goes on, and its repeat is answered`() async throws {
        let rig = try await ServiceBench(folder: folder)
        try await rig.bench.hello("north")
        let shot = rig.answers(to: .trigger(rig.bench.order()), by: anna)
        await rig.bench.links.wait(forNodes: [north]) { $0.isPrepare }
        _ = await answer(rig, take(), by: ben)
        let repeated = rig.answers(to: .trigger(rig.bench.order()), by: anna)
        try await rig.bench.armed("north")
        await rig.bench.links.wait(forNodes: [north]) { $0.isFire }
        try await rig.bench.captured("north", bytes)
        try await rig.bench.collect("north", bytes)
        #expect(await shot.value.last?.shot?.status == .complete)
        #expect(await repeated.value.last?.shot?.status == .complete)
        #expect(await answer(rig, .trigger(rig.bench.order()), by: anna)?.shot?.status == .complete, "from the library")
        #expect(await answer(rig, .trigger(rig.bench.order(2)), by: anna)?.refusal?.code == .held)
        await rig.bench.end()
    }

    @Test func `A take is stopped by who has begun it and by the holder, and by nobody else`() async throws {
        for stopper in [anna, ben] {
            let rig = try await ServiceBench(folder: try TemporaryFolder())
            try await rig.bench.hello("north")
            var settings = PhotoSettings()
            settings.movie = MovieSettings()
            let begun = rig.answers(to: .trigger(rig.bench.order(settings: settings)), by: anna)
            await rig.bench.links.wait(forNodes: [north]) { $0.isPrepare }
            try await rig.bench.armed("north")
            await rig.bench.links.wait(forNodes: [north]) { $0.isFire }
            var report = try await rig.bench.report("north", bytes)
            (report.files, report.owed) = ([], AssetKind.ofMovie)
            await rig.bench.rig.accept(.captureResult(.captured(report)), from: north)
            let id = try #require(await begun.value.last?.shot?.id)
            _ = await answer(rig, take(), by: ben)
            let refusal = await answer(rig, .stopTake(StopTakeRequest(take: id)), by: carol)?.refusal
            #expect(refusal?.code == .held && refusal?.message.contains("ben") == true)
            guard case .mark? = await answer(rig, .markTake(MarkTakeRequest(take: id, mark: 7, text: "go")), by: carol)
            else {
                Issue.record("a mark changes nothing, and is refused")
                return
            }
            let stopped = rig.answers(to: .stopTake(StopTakeRequest(take: id)), by: stopper)
            await rig.bench.links.wait(forNodes: [north]) {
                if case .fire(let order) = $0 { order.stop != nil } else { false }
            }
            // What is stopped already is not stopped by a repeat.
            let waiting = rig.answers(to: .stopTake(StopTakeRequest(take: id)), by: carol, 2)
            report.files = AssetKind.ofMovie.map {
                SpooledFile(kind: $0, byteCount: Int64(bytes.count), digest: Samples.digest(bytes))
            }
            report.owed = []
            report.movie = RecordedMovie(frameCount: 2, durationNanoseconds: 40_000_000, end: .stopped)
            await rig.bench.rig.accept(.captureResult(.captured(report)), from: north)
            for kind in AssetKind.ofMovie { try await rig.store(FileKey(capture: report.key, kind: kind), bytes) }
            #expect(await stopped.value.last?.shot?.status == .complete)
            #expect(await waiting.value.last?.shot?.status == .complete)
            await rig.bench.end()
        }
    }

    @Test func `A request of a device that was sent before is answered, and so is its repeat`() async throws {
        let rig = try await ServiceBench(folder: folder)
        try await rig.bench.hello("north")
        let device = try DeviceID("north/cam")
        let request = RigCommand.device(DeviceRequest(device: device, command: .startSession, id: 5))
        let first = rig.answers(to: request, by: anna)
        await rig.bench.links.wait(forNodes: [north]) { $0.device != nil }
        _ = await answer(rig, take(), by: ben)
        let status = try Samples.device("north/cam", state: .running)
        let result = SessionResult(device: device, condition: status.condition)
        await rig.bench.rig.accept(
            .deviceAnswer(DeviceAnswer(number: 1, devices: [], outcome: .success(.session(result)))), from: north)
        for answers in [await first.value, await rig.answers(to: request, by: anna).value] {
            guard case .deviceReply(.session(result))? = answers.last else {
                Issue.record("\(answers)")
                return
            }
        }
        await rig.bench.end()
    }

    @Test func `A hold ends at its instant, which is said once`() async throws {
        let clock = ManualTimeSource()
        let rig = try await ServiceBench(folder: folder, clock: clock)
        _ = await answer(rig, take(10, "light"), by: ben)
        let end = clock.now() + .seconds(10)
        clock.advance(to: LocalTime(nanoseconds: end.nanoseconds - 1))
        #expect(await answer(rig, .trigger(rig.bench.order()), by: anna)?.refusal?.code == .held)
        clock.advance(to: end)
        #expect(await answer(rig, .trigger(rig.bench.order()), by: anna)?.refusal?.code == .emptySelection)
        await rig.bench.links.asked.wait { $0.events.contains { $0.source.event.name == .holdExpired } }
        #expect(await hold(rig) == nil)
        #expect(events(rig).map(\.name) == [.holdTaken, .holdExpired])
        #expect(events(rig).last?.details == ["holder": "ben", "note": "light"])
        await rig.bench.end()
    }

    @Test func `A hold is renewed and released, and each is an event`() async throws {
        let clock = ManualTimeSource()
        let rig = try await ServiceBench(folder: folder, clock: clock)
        guard case .hold(let begun)? = await answer(rig, take(60, "light"), by: ben), let first = begun.status,
            case .hold(let renewed)? = await answer(rig, take(120), by: ben), let second = renewed.status
        else {
            Issue.record("no hold")
            return
        }
        #expect(second.hold.note == "light" && second.hold.ends == first.hold.ends + .seconds(60))
        #expect(second.endsRealtimeNanoseconds == clock.wallClockPair().realtimeNanoseconds + 120_000_000_000)
        for _ in 0..<2 {
            guard case .hold(let state)? = await answer(rig, .hold(.release(overriding: nil)), by: ben),
                state.status == nil
            else {
                Issue.record("not released")
                return
            }
        }
        #expect(events(rig).map(\.name) == [.holdTaken, .holdRenewed, .holdReleased])
        #expect(events(rig)[1].details["endsNanoseconds"] == "\(second.hold.ends.nanoseconds)")
        await rig.bench.end()
    }

    @Test func `An administrator overrides the hold that he names, which the audit log and the feed say`() async throws
    {
        let audit = MemoryRequestAudit()
        let rig = try await ServiceBench(folder: folder, audit: audit)
        _ = await answer(rig, take(60, "light"), by: ben)
        let refused = await answer(rig, take(overrides: "ben"), by: anna)?.refusal
        #expect(refused?.code == .notPermitted && refused?.message.contains("to end the hold of another") == true)
        let other = await answer(rig, take(overrides: "carol"), by: anna, with: [.admin])?.refusal
        #expect(other?.code == .held && other?.message.contains("ben") == true, "the hold has changed hands")
        #expect(await hold(rig)?.holder == ben)
        guard case .hold(let state)? = await answer(rig, take(overrides: "ben"), by: anna, with: [.admin]),
            let taken = state.status
        else {
            Issue.record("not overridden")
            return
        }
        #expect(taken.hold.holder == anna && taken.hold.note.isEmpty)
        #expect(events(rig).map(\.name) == [.holdTaken, .holdOverridden, .holdTaken])
        #expect(events(rig)[1].details == ["holder": "ben", "note": "light", "by": "anna"])
        let record = try #require(audit.recorded.last)
        #expect(record.requester.principal == anna && record.request.subject == "rig")
        #expect(record.request.details == ["request": "overrideHold", "overrides": "ben", "seconds": "60", "note": ""])
        #expect(await answer(rig, .trigger(rig.bench.order()), by: ben)?.refusal?.message.contains("anna") == true)
        await rig.bench.end()
    }

    @Test(arguments: [0, 9, 4 * 3600 + 1, -1] as [Int64])
    func `A hold is neither shorter nor longer than allowed`(seconds: Int64) async throws {
        let rig = try await ServiceBench(folder: folder)
        #expect(await answer(rig, take(seconds), by: ben)?.refusal?.code == .unsupportedSettings)
        #expect(await hold(rig) == nil)
        await rig.bench.end()
    }

    @Test func `Whoever gives no name holds nothing`() async throws {
        let rig = try await ServiceBench(folder: folder)
        #expect(await answer(rig, take(), by: .unnamed)?.refusal?.code == .unsupportedSettings)
        let long = String(repeating: "n", count: RigHold.longestNote + 1)
        #expect(await answer(rig, take(60, long), by: ben)?.refusal?.code == .unsupportedSettings)
        #expect(await hold(rig) == nil)
        await rig.bench.end()
    }

    @Test func `A hold outlasts a restart of the coordinator, and ends with a restart of its machine`() async throws {
        let (clock, store) = (ManualTimeSource(), MemoryHold())
        let first = try ServiceBench(try await RigBench(folder: folder, clock: clock, holdStore: store))
        _ = await answer(first, take(60, "light"), by: ben)
        await first.bench.end()
        let stored = try #require(await store.stored)
        clock.advance(by: .seconds(20))
        let second = try ServiceBench(
            try await RigBench(folder: try TemporaryFolder(), clock: clock, hold: stored, holdStore: store))
        let refusal = await answer(second, .trigger(second.bench.order()), by: anna)?.refusal
        #expect(refusal?.code == .held && refusal?.message.contains("for another 40 s") == true)
        _ = await answer(second, .hold(.release(overriding: nil)), by: ben)
        #expect(await store.stored == nil)
        await second.bench.end()

        let elsewhere = StoredHold(stored.hold, rigClock: RigClockID(rawValue: "rig-0"))
        let third = try ServiceBench(
            try await RigBench(folder: try TemporaryFolder(), clock: clock, hold: elsewhere, holdStore: store))
        #expect(await answer(third, .trigger(third.bench.order()), by: anna)?.refusal?.code == .emptySelection)
        await third.bench.links.asked.wait { $0.events.contains { $0.source.event.name == .holdExpired } }
        await third.bench.end()
    }

    @Test func `A hold counts also if the disk does not take it`() async throws {
        let store = MemoryHold(fails: true)
        let rig = try ServiceBench(try await RigBench(folder: folder, holdStore: store))
        guard case .hold(let state)? = await answer(rig, take(), by: ben), state.status != nil else {
            Issue.record("no hold")
            return
        }
        #expect(await answer(rig, .trigger(rig.bench.order()), by: anna)?.refusal?.code == .held)
        await rig.bench.end()
    }
}

/// A hold in memory.
actor MemoryHold: DocumentStore {
    private(set) var stored: StoredHold?
    private let fails: Bool

    init(fails: Bool = false) {
        self.fails = fails
    }

    func read() -> StoredHold?? { stored }

    func replace(with hold: StoredHold?) throws(StorageError) {
        if fails { throw StorageError(.noSpace, "write", "hold", "the disk is full") }
        stored = hold
    }
}
