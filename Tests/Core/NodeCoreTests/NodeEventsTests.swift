import CaptureEngine
import CaptureModel
import CaptureTestSupport
import ControlMessages
import Dispatch
import Glibc
import Journal
import Logging
import PosixSupport
import Spool
import Testing

@testable import NodeCore

@Suite struct NodeEventsTests {
    private let folder: TemporaryFolder
    private let clock = ManualTimeSource()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func events(_ epoch: Epoch, disk: FaultyDisk) throws -> NodeEvents {
        try events(epoch, fault: disk.fault)
    }

    private func events(_ epoch: Epoch, logger: Logger? = nil, fault: FileFault? = nil) throws -> NodeEvents {
        let journal = try EventJournal(
            folder: folder.path, epoch: epoch, executor: ThreadExecutor(name: "events"), fault: fault)
        var log = Logger(label: "test")
        log.logLevel = .critical
        return NodeEvents(journal: journal, clock: clock, rigClock: FixedRigClock(), log: logger ?? log)
    }

    private func numbers(_ batch: EventBatch?) -> [UInt64] { batch?.events.map(\.sequence) ?? [] }

    @Test("Sends events once and in order, with the rig's time")
    func inOrder() async throws {
        let epoch = Epoch.random()
        let events = try events(epoch)
        let device = try DeviceID("north/cam")
        for state in [DeviceCondition.State.running, .stalled, .running] {
            events.record(.conditionChanged(device, DeviceCondition(state: state, reason: "why")), of: device)
        }
        let batch = try #require(await events.nextBatch())
        #expect(numbers(batch) == [1, 2, 3])
        #expect(batch.events.allSatisfy { $0.epoch == epoch })
        let event = batch.events[1].event
        #expect(event.name == .device(.stalled))
        #expect(event.device == device)
        #expect(event.details["reason"] == "why")
        #expect(event.rig?.time == RigTime(nanoseconds: clock.now().nanoseconds + 1000))
        #expect(await events.nextBatch() == nil)
        events.record(.device(.absent), device: device)
        #expect(numbers(await events.nextBatch()) == [4])
    }

    @Test("Reports what settings transactions have done to a camera")
    func settings() async throws {
        let events = try events(Epoch.random())
        let device = try DeviceID("north/cam")
        var generator = SeededGenerator(seed: 6)
        let id = SettingsID(unixMilliseconds: 1_795_000_000_000, using: &generator)
        let time = BoundedRigTime(time: RigTime(nanoseconds: 5), bound: .microseconds(2))
        var effect = SettingsEffect(
            accepted: time, controls: ["gain": 6],
            change: SettingsChangeover(evidence: .calibrated, lastOld: FrameMark(sequence: 7, midExposure: time)))
        let problem = RigProblem(.deviceLost, "why")
        for notice in [
            SettingsNotice.changed(id, .success(effect)), .changed(id, .failure(problem)), .undone(id, nil),
        ] {
            events.record(.settings(device, notice), of: device)
        }
        let batch = try #require(await events.nextBatch()).events.map(\.event)
        #expect(batch.map(\.name.rawValue) == ["settings.changed", "settings.changed", "settings.undone"])
        #expect(batch.allSatisfy { $0.device == device && $0.details["settings"] == "\(id)" })
        #expect(batch[0].details["evidence"] == "calibrated" && batch[0].details["lastOld"] == "7")
        #expect(batch[0].details["firstNew"] == nil && batch[0].details["code"] == nil)
        #expect(batch[1].details["code"] == "deviceLost" && batch[1].details["error"] == "why")
        #expect(batch[2].details.count == 1)
        effect.change.firstNew = FrameMark(sequence: 8, midExposure: time)
        events.record(.settings(device, .changed(id, .success(effect))), of: device)
        let told = try #require(await events.nextBatch()?.events.last?.event.details)
        #expect(told["firstNew"] == "8" && told["firstNewRigNanoseconds"] == "5")
        #expect(told["firstNewBoundNanoseconds"] == "2000")
    }

    @Test("Reports when a camera was told to focus, and what its driver has said")
    func refocused() async throws {
        let events = try events(Epoch.random())
        let device = try DeviceID("north/cam")
        let change = SceneChange(time: LocalTime(nanoseconds: 1), difference: 31, luma: 100, count: 2)
        var refocus = Refocus(
            change: change, outcome: .reached, pressed: LocalTime(nanoseconds: 5), positionBefore: 200,
            positionAfter: 17)
        events.record(.settings(device, .refocused(refocus)), of: device)
        refocus.problem = RigProblem(.unsupportedSettings, "why")
        events.record(.settings(device, .refocused(refocus)), of: device)
        let batch = try #require(await events.nextBatch()).events.map(\.event)
        #expect(batch.map(\.name.rawValue) == ["settings.refocused", "settings.refocused"])
        let details = batch[0].details
        #expect(details["outcome"] == "reached" && details["difference"] == "31" && details["count"] == "2")
        #expect(details["positionBefore"] == "200" && details["positionAfter"] == "17")
        #expect(details["pressedRigNanoseconds"] == "1005" && details["pressedBoundNanoseconds"] != nil)
        #expect(batch[1].details["code"] == "unsupportedSettings" && batch[1].details["outcome"] == nil)
        #expect(batch[1].details["pressedRigNanoseconds"] == nil)
    }

    @Test("Keeps unacknowledged events for another coordinator")
    func resend() async throws {
        let epoch = Epoch.random()
        let events = try events(epoch)
        for _ in 0..<5 { events.record(.device(.running)) }
        #expect(numbers(await events.nextBatch()) == [1, 2, 3, 4, 5])
        events.acknowledge(epoch, through: 2)
        #expect(await events.nextBatch() == nil)
        await events.rewind()
        #expect(numbers(await events.nextBatch()) == [3, 4, 5])
        events.acknowledge(Epoch.random(), through: .max)
        await events.rewind()
        #expect(numbers(await events.nextBatch()) == [3, 4, 5], "the acknowledgement of another epoch takes nothing")
        events.acknowledge(epoch, through: .max)
        await events.rewind()
        #expect(await events.nextBatch() == nil)
    }

    @Test("Writes refused events when the disk works again")
    func refusedByTheDisk() async throws {
        let disk = FaultyDisk()
        disk.fail(.every(.write, code: ENOSPC))
        var events: NodeEvents? = try events(Epoch.random(), disk: disk)
        events?.record(.device(.running))
        await events?.finish()
        disk.fail(nil)
        let keeping = Task { [events] in await events?.run() }
        await clock.step()
        while !Task.isCancelled, !disk.steps.contains(.write) { await Task.yield() }
        keeping.cancel()
        await keeping.value
        events = nil
        let next = try self.events(Epoch.random())
        #expect(await next.nextBatch()?.events.count == 1, "it survives the agent's end")
    }

    @Test("Names the preceding event in each batch")
    func followingBatches() async throws {
        let epoch = Epoch.random()
        let events = try events(epoch)
        for _ in 0..<2 { events.record(.device(.running)) }
        #expect(try #require(await events.nextBatch()).follows == nil)
        events.record(.device(.stalled))
        let second = try #require(await events.nextBatch())
        #expect(second.follows == EventPosition(epoch: epoch, sequence: 2))
        await events.rewind()
        #expect(try #require(await events.nextBatch()).follows == nil)
    }

    @Test("Sends events of earlier epochs")
    func earlierLife() async throws {
        let (first, second) = (Epoch.random(), Epoch.random())
        do {
            let events = try events(first)
            for _ in 0..<2 { events.record(.device(.running)) }
            await events.finish()
        }
        let events = try events(second)
        events.record(.device(.absent))
        let batch = try #require(await events.nextBatch())
        #expect(batch.events.map(\.epoch) == [first, first, second])
        #expect(numbers(batch) == [1, 2, 1])
        events.acknowledge(first, through: 2)
        await events.rewind()
        #expect(await events.nextBatch()?.events.map(\.epoch) == [second])
    }

    @Test("Limits the events of a batch after a long time alone")
    func batches() async throws {
        let events = try events(Epoch.random())
        for _ in 0..<(NodeEvents.batchLimit * 2 + 5) { events.record(.device(.running)) }
        var counts: [Int] = []
        while let batch = await events.nextBatch() { counts.append(batch.events.count) }
        #expect(counts == [100, 100, 5])
    }

    @Test("Keeps names and numbers of a capture's steps")
    func lifeCycle() async throws {
        let events = try events(Epoch.random())
        var generator = SeededGenerator(seed: 1)
        let key = CaptureKey(
            shot: ShotID(unixMilliseconds: 1_795_000_000_000, using: &generator), device: try DeviceID("north/cam"))
        events.record(.lifeCycle(key, .willCapturePhoto), of: key.device)
        events.record(
            .lifeCycle(key, .didFinishCapture(RigProblem(.deviceLost, "it went away"))), of: key.device)
        let batch = try #require(await events.nextBatch())
        let told = batch.events.map(\.event)
        #expect(told.map(\.name.rawValue) == ["capture.willCapturePhoto", "capture.didFinishCapture"])
        #expect(told.allSatisfy { $0.shot == key.shot && $0.device == key.device })
        #expect(told[1].details == ["code": "deviceLost", "error": "it went away"])
    }

    @Test("Records and acknowledges at once while the journal's disk hangs")
    func hangingDisk() async throws {
        let (hanging, released) = (Observed(false), DispatchSemaphore(value: 0))
        let epoch = Epoch.random()
        let events = try events(epoch) { step, _ in
            guard step == .write, !hanging.value else { return nil }
            hanging.change { $0 = true }
            released.wait()
            return nil
        }
        let running = Task { await events.run() }
        events.record(.device(.running))
        await hanging.wait { $0 }
        for _ in 0..<JournalQueue.limit + 3 { events.record(.device(.stalled)) }
        events.acknowledge(epoch, through: 1)
        #expect(events.dropped == 3)
        released.signal()
        var told: [NumberedEvent] = []
        // The journal's own word about the loss is the last.
        for await _ in events.appended {
            while let batch = await events.nextBatch() { told += batch.events }
            if told.last?.event.name == .eventsDropped { break }
        }
        running.cancel()
        await running.value
        #expect(told.first?.sequence == 5 && told.count == JournalQueue.limit + 1)
        #expect(told.last?.event.details == ["count": "3"])
    }

    @Test("Reports an unreadable event under its number, once")
    func unreadable() async throws {
        let (first, second) = (Epoch.random(), Epoch.random())
        do {
            let journal = try EventJournal(folder: folder.path, epoch: first, executor: ThreadExecutor(name: "events"))
            let event = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))
            await journal.append(event)
            await journal.append(document: Array("no document".utf8))
            await journal.append(event)
        }
        let captured = CapturedLog()
        let events = try events(second, logger: captured.logger)
        for _ in 0..<2 {
            let batch = try #require(await events.nextBatch())
            #expect(batch.events.map(\.sequence) == [1, 2, 3])
            #expect(batch.events.map(\.event.name) == [.device(.running), .eventUnreadable, .device(.running)])
            #expect(batch.events[1].event.details["reason"]?.isEmpty == false)
            await events.rewind()
        }
        #expect(await events.unreadable == [EventPosition(epoch: first, sequence: 2)])
        let line = await captured.line("an event of the journal cannot be read")
        #expect(line?.level == .error && line?.metadata["event"] == "\(first):2")
    }

    @Test("Ends a capture that a killed agent was making, once and with its picture")
    func restart() async throws {
        let spoolFolder = try TemporaryFolder()
        let spool = try Spool(
            folder: spoolFolder.path, limitBytes: 1 << 20, reserveFreeBytes: 0, executor: ThreadExecutor(name: "spool"))
        let keys = try ["north/lost", "north/stored", "north/ended"].map {
            CaptureKey(shot: .fresh(), device: try DeviceID($0))
        }
        var first: NodeEvents? = try events(Epoch.random())
        for key in keys { first?.record(.lifeCycle(key, .willBeginCapture(.sample)), of: key.device) }
        first?.record(.lifeCycle(keys[2], .didFinishCapture(nil)), of: keys[2].device)
        await first?.finish()
        _ = try await spool.store(keys[1], resolved: .sample, timing: .sample, files: [(.photo, [[1, 2, 3]])])
        first = nil

        for life in 0..<2 {
            var next: NodeEvents? = try events(Epoch.random())
            await next?.endUnfinishedCaptures(in: spool)
            let told = await next?.nextBatch()?.events.map(\.event) ?? []
            let ends = told.filter { $0.name.rawValue == "capture.didFinishCapture" }
            #expect(ends.map(\.device) == [keys[2].device, keys[0].device, keys[1].device], "life \(life)")
            #expect(ends.map { $0.details["code"] } == [nil, "agentRestarted", nil])
            #expect(ends[1].details["error"]?.contains("north/lost") == true)
            next = nil
        }
    }
}

extension ShotID {
    fileprivate static func fresh() -> ShotID {
        var generator = SystemRandomNumberGenerator()
        return ShotID(unixMilliseconds: 1_795_000_000_000, using: &generator)
    }
}

extension ResolvedPhotoSettings {
    fileprivate static let sample = ResolvedPhotoSettings(
        width: 160, height: 120,
        streamFormat: VideoFormat(pixelFormat: .mjpeg, width: 160, height: 120, frameInterval: .milliseconds(40)),
        isCameraEncoded: true, orientation: .degrees0)
}

extension FrameTiming {
    fileprivate static let sample = FrameTiming(
        sequence: 4, localMidExposure: LocalTime(nanoseconds: 1),
        midExposure: BoundedRigTime(time: RigTime(nanoseconds: 2), bound: .zero), skewNanoseconds: 0,
        dequeued: RigTime(nanoseconds: 3))
}

extension EventBatch {
    /// The events that are valid.
    var events: [NumberedEvent] {
        entries.compactMap { entry in
            (try? entry.event.get()).map {
                NumberedEvent(epoch: entry.position.epoch, sequence: entry.position.sequence, event: $0)
            }
        }
    }
}
