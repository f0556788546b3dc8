import CaptureModel
import CaptureTestSupport
import ControlMessages
import FolderStore
import Logging
import MemoryObjectStore
import PosixSupport
import RigTestSupport
import ShotLogic
import StorageKit
import SystemClock

@testable import RigCore

/// The coordinator's logic with a library in a folder or a bucket, and channels that only remember. Nodes have one camera, `cam`.
final class RigBench: Sendable {
    let folder: TemporaryFolder
    let rig: Rig
    let library: ShotLibrary
    let assets: any AssetStore
    let reading: any ShotReading
    /// What front ends read stored files from.
    let served: any ShotReading & AssetRangeReading
    let links: FakeLinks
    let clock: any TimeSource
    private let running: Task<Void, Never>

    init(
        folder: TemporaryFolder, roster: Roster = Roster(), clock: any TimeSource = SystemTimeSource(),
        hold: StoredHold? = nil, holdStore: (any DocumentStore<StoredHold?>)? = nil,
        committedSettings: [CommittedSettings] = [], settingsLedger: (any DocumentStore<[CommittedSettings]>)? = nil,
        profileStore: (any ProfileStore)? = nil,
        change: (inout RigLimits) -> Void = { _ in }, fault: FileFault? = nil, objects: MemoryObjectStore? = nil,
        copies: (any ShotCopies)? = nil
    ) async throws {
        var settings = RigLimits()
        // Nodes of these tests send no heartbeats.
        settings.heartbeatTimeout = .seconds(600)
        // By the machine's clock, no step of a test is to be late.
        if clock is SystemTimeSource {
            (settings.arming, settings.grace, settings.timeout) = (.seconds(600), .seconds(600), .seconds(600))
        }
        change(&settings)
        self.folder = folder
        self.clock = clock
        if let objects {
            (assets, reading, served) = (objects, objects, objects)
            library = ShotLibrary(
                store: objects, assets: objects, stored: objects, annotations: objects, reading: objects)
        } else {
            let store = try FolderStore(folder: folder.path + "/library", fault: fault)
            (assets, reading, served, library) = (store.assets, store.browser, store.server, store.library)
        }
        links = FakeLinks(library: folder.path + "/library")
        var log = Logger(label: "test")
        log.logLevel = .critical
        let epoch = Epoch.random()
        rig = Rig(
            epoch: epoch, clockID: RigClockID(rawValue: "rig-1"), clock: clock, settings: settings,
            library: library, events: EventLog(epoch: epoch), roster: roster,
            rosterStore: MemoryRoster(), hold: hold, holdStore: holdStore,
            committedSettings: committedSettings, settingsLedger: settingsLedger, profileStore: profileStore,
            copies: copies, log: log)
        await rig.attach(links)
        running = Task { [rig] in await rig.run() }
    }

    func end() async {
        running.cancel()
        await running.value
    }

    // MARK: What a client does

    func order(
        _ shot: Int64 = 1, selection: Selection = Selection(), settings: PhotoSettings = PhotoSettings(),
        time: RequestedTime = .soon(lead: nil), requireAll: Bool = false, limits: TimingLimits? = nil,
        timeout: Duration? = nil
    ) -> TriggerRequest {
        TriggerRequest(
            shot: Samples.shot(shot),
            request: ShotRequest(
                selection: selection, settings: settings, time: time, requireAll: requireAll, limits: limits),
            timeout: timeout)
    }

    /// The shot that answers a trigger.
    func answer(_ notices: AsyncStream<ShotNotice>) async throws -> Shot? {
        for await notice in notices {
            switch notice {
            case .progress: continue
            case .answer(let answer): return answer.shot
            case .refused(let problem): throw problem
            }
        }
        return nil
    }

    /// What was left out of the shot that answers a trigger.
    func leftOut(_ notices: AsyncStream<ShotNotice>) async -> [DeviceID] {
        for await case .answer(let answer) in notices { return answer.leftOut?.devices ?? [] }
        return []
    }

    /// Why a trigger is refused.
    func refusal(_ order: TriggerRequest) async -> RigProblem? {
        do {
            _ = try await answer(await rig.trigger(order))
            return nil
        } catch {
            return error as? RigProblem
        }
    }

    // MARK: What a node does

    @discardableResult
    func hello(
        _ node: String, epoch: UInt64 = 1, isNew: Bool = true, inventory: [CaptureReport] = [],
        session: SessionCondition? = nil, format: VideoFormat? = nil, phase: FramePhase? = nil
    ) async throws -> RigProblem? {
        var hello = try Samples.hello(node, inventory: inventory)
        hello.devices[0].condition.session = session
        hello.devices[0].condition.phase = phase
        if let format { hello.devices[0].condition.format = format }
        let name = try NodeName(node)
        let verdict = await rig.admit(hello, from: name, epoch: Samples.epoch(epoch))
        if case .failure(let problem) = verdict { return problem }
        await rig.reconcile(hello, from: name, epochChanged: isNew)
        return nil
    }

    func armed(_ node: String, _ shot: Int64 = 1) async throws {
        let key = try Samples.fileKey(shot, "\(node)/cam").capture
        await rig.accept(
            .prepareResult(PrepareResult(key: key, outcome: .success(Samples.resolved))), from: key.device.node)
    }

    func refused(_ node: String, _ problem: RigProblem, _ shot: Int64 = 1) async throws {
        let key = try Samples.fileKey(shot, "\(node)/cam").capture
        await rig.accept(
            .prepareResult(PrepareResult(key: key, outcome: .failure(problem))), from: key.device.node)
    }

    /// What the node says of a frame that was exposed 5 ns after T; of one that was exposed just now, if T is in the future.
    func report(_ node: String, _ bytes: [UInt8], _ shot: Int64 = 1) async throws -> CaptureReport {
        let underWay = await rig.shot(Samples.shot(shot))?.machine.shot.time
        let stored = try await library.shot(Samples.shot(shot))?.time
        let (time, now) = (underWay ?? stored ?? rig.now, rig.now)
        let exposed = min(time + .nanoseconds(5), now)
        return CaptureReport(
            key: try Samples.fileKey(shot, "\(node)/cam").capture, resolved: Samples.resolved,
            timing: FrameTiming(
                sequence: 1, localMidExposure: LocalTime(nanoseconds: 1),
                midExposure: BoundedRigTime(time: exposed, bound: .microseconds(100)),
                skewNanoseconds: (exposed - time).nanoseconds, dequeued: now), files: [Samples.file(bytes)])
    }

    /// Reports of several shots, each of one byte, which is the shot's number.
    func reports(_ node: String, _ shots: some Sequence<Int64>) async throws -> [CaptureReport] {
        var reports: [CaptureReport] = []
        for shot in shots { reports.append(try await report(node, [UInt8(shot)], shot)) }
        return reports
    }

    func captured(_ node: String, _ bytes: [UInt8], _ shot: Int64 = 1) async throws {
        let report = try await report(node, bytes, shot)
        await rig.accept(.captureResult(.captured(report)), from: try NodeName(node))
    }

    // MARK: What the collect channel does

    /// Waits until the file is asked for, and stores these bytes as it.
    func collect(_ node: String, _ bytes: [UInt8], _ shot: Int64 = 1) async throws {
        let key = try Samples.fileKey(shot, "\(node)/cam")
        await links.asked.wait { $0.collected[key] != nil }
        let file = Samples.file(bytes)
        let content = AssetContent(byteCount: file.byteCount, digest: file.digest)
        if case .resume = try await assets.begin(key, content) { try await assets.append(bytes, to: key, at: 0) }
        await rig.stored(key, path: try await assets.commit(key).description)
    }
}

/// What tests look at of a rig at this moment.
extension Rig {
    /// A shot in progress; nil if it is not.
    func shot(_ id: ShotID) -> ShotInProgress? { shots[id] }

    var shotIDs: [ShotID] { shots.ids }

    var shotCounts: ShotCounts { shots.counts }

    /// Whether a settings transaction in progress is cancelled.
    var areSettingsCancelled: Bool { transactions.areCancelled }

    var heldState: HeldState { hold.state }

    var deviceRequestCount: Int { deviceRequests.count }
}

extension Rig {
    /// A trigger by nobody in particular.
    func trigger(_ request: TriggerRequest) async -> AsyncStream<ShotNotice> {
        await trigger(request, by: .unnamed)
    }

    /// A stop by nobody in particular.
    func stop(_ request: StopTakeRequest, for requester: RequesterToken) async -> AsyncStream<ShotNotice> {
        await stop(request, by: .unnamed, for: requester)
    }

    /// A request by nobody in particular.
    func request(_ request: DeviceRequest) async -> AsyncStream<DeviceRelay.Outcome> {
        await self.request(request, by: .unnamed)
    }

    /// Devices forgotten by nobody in particular.
    func forget(_ devices: [DeviceID]) async throws(RigProblem) -> [DeviceID] {
        try await forget(devices, by: .unnamed)
    }
}

extension RigBench {
    /// A take of `north`, begun five seconds ago on a time line that has ended, and which the coordinator goes on with.
    /// - Parameters:
    ///   - apart: From the end of the old time line to the instant at which the new one began, as its clocks tell.
    ///   - fault: Of the library's disk.
    static func resumingTake(
        _ folder: TemporaryFolder, apart: Duration = .zero, clock: any TimeSource = SystemTimeSource(),
        fault: FileFault? = nil
    ) async throws -> (RigBench, Shot) {
        let bench = try await RigBench(folder: folder, clock: clock, fault: fault)
        let past = WallClockPair<RigTimeBase>(
            monotonic: bench.rig.now + apart,
            realtimeNanoseconds: bench.rig.wallClock.realtimeNanoseconds - 5_000_000_000)
        var settings = PhotoSettings()
        settings.movie = MovieSettings()
        var take = Shot(
            id: Samples.shot(), time: past.monotonic, rigClock: RigClockID(rawValue: "rig-0"), wallClock: past,
            coordinatorEpoch: Samples.epoch(7), request: ShotRequest(selection: Selection(), settings: settings),
            captures: [Capture(device: try Samples.device("north/cam").description, kinds: AssetKind.ofMovie)])
        take.captures[0].phase = .captured
        try await bench.library.write(take)
        try await bench.rig.resumeOpenShots()
        return (bench, take)
    }
}
