import CaptureModel
import CaptureTestSupport
import FolderStore
import Glibc
import PosixSupport
import RigProtocol
import RigTestSupport
import RigWire
import ShotDocuments
import StorageKit
import SystemClock
import Testing

@testable import RigCore

@Suite(.timeLimit(.minutes(10))) struct TriggerTests {
    private let folder: TemporaryFolder
    private let bothNodes: Set<NodeName>
    private static let pictures: [String: [UInt8]] = ["north": [1, 2, 3], "south": [4, 5, 6, 7]]

    init() throws {
        folder = try TemporaryFolder()
        bothNodes = [try NodeName("north"), try NodeName("south")]
    }

    private func bench(
        _ clock: any TimeSource = SystemTimeSource(), _ change: (inout RigLimits) -> Void = { _ in }
    ) async throws -> RigBench {
        let bench = try await RigBench(folder: folder, clock: clock, change: change)
        for node in bothNodes { try await bench.hello(node.rawValue) }
        return bench
    }

    /// Takes a shot from its prepare to its last file.
    private func carryOut(_ bench: RigBench, _ shot: Int64 = 1) async throws {
        await bench.links.wait(forNodes: bothNodes) { $0.isPrepare }
        for node in Self.pictures.keys { try await bench.armed(node, shot) }
        await bench.links.wait(forNodes: bothNodes) { $0.isFire }
        for (node, bytes) in Self.pictures { try await bench.captured(node, bytes, shot) }
        for (node, bytes) in Self.pictures { try await bench.collect(node, bytes, shot) }
    }

    @Test("Bounds requests while the library's disk does not answer")
    func lookups() async throws {
        let goOn = try EventFlag()
        let bench = try await RigBench(
            folder: folder,
            fault: { step, path in
                guard step == .read, path.hasSuffix("shot.json") else { return nil }
                return goOn.wait(timeoutMilliseconds: 300_000) ? nil : EIO
            })
        let shot = Shot(
            id: Samples.shot(), time: bench.rig.now, rigClock: RigClockID(rawValue: "rig-0"),
            wallClock: bench.rig.wallClock, coordinatorEpoch: Samples.epoch(7),
            request: ShotRequest(selection: Selection()), captures: [])
        try await bench.library.write(shot)
        try await withThrowingTaskGroup(of: ShotID?.self) { group in
            for _ in 0..<LibraryReader.limit {
                group.addTask { try await bench.rig.lookUp(Samples.shot())?.shot.id }
            }
            while bench.rig.library.lookupCount < LibraryReader.limit { await Task.yield() }
            #expect(await bench.refusal(bench.order(2))?.code == .noMemory)
            for _ in 0..<LibraryReader.limit {
                goOn.signal()
                let found = try await group.next()
                #expect(found == Samples.shot())
            }
        }
        #expect(bench.rig.library.lookupCount == 0)
        await bench.end()
    }

    @Test("Leaves an unconfigured camera out, and refuses a shot that requires all")
    func notConfigured() async throws {
        let old = try Samples.device("north/old").description
        let bench = try await RigBench(folder: folder, roster: Roster(restoring: [old]))
        for node in bothNodes { try await bench.hello(node.rawValue) }
        let refusal = await bench.refusal(bench.order(2, requireAll: true))
        #expect(refusal?.code == .unknownDevice)
        #expect(refusal?.message.contains("`capctl devices forget north/old`") == true)
        let notices = await bench.rig.trigger(bench.order())
        let second = await bench.rig.trigger(bench.order())
        // What the roster has later changes nothing of what was left out.
        #expect(try await bench.rig.forget([old.id]).count == 1)
        try await carryOut(bench)
        let shot = try #require(try await bench.answer(notices))
        #expect(shot.status == .complete && shot.captures.map(\.device.id.description) == ["north/cam", "south/cam"])
        #expect(await bench.leftOut(second) == [old.id])
        await bench.links.asked.wait { $0.released.count == 2 }
        while await bench.rig.shot(shot.id) != nil { await Task.yield() }
        #expect(await bench.leftOut(await bench.rig.trigger(bench.order())) == [], "a stored shot is answered without")
        await bench.end()
    }

    @Test("Refuses a trigger before any node has joined, with that reason")
    func noNode() async throws {
        let bench = try await RigBench(folder: folder)
        let problem = await bench.refusal(bench.order())
        #expect(problem?.code == .emptySelection)
        #expect(problem?.message.hasPrefix("no node has joined yet; ") == true, "\(problem?.message ?? "")")
        await bench.end()
    }

    /// A rig whose north camera knows its instant to 2 ms, and whose south camera knows it to 0.1 ms.
    private func bench(limits: TimingLimits?) async throws -> RigBench {
        let bench = try await RigBench(folder: folder) { $0.timing = limits }
        for (node, bound) in [("north", Duration.milliseconds(2)), ("south", .microseconds(100))] {
            let phase = FramePhase(midExposure: bench.rig.now, periodNanoseconds: 40_000_000, bound: bound)
            try await bench.hello(node, phase: phase)
        }
        return bench
    }

    @Test("Refuses a shot if a camera is known to exceed the rig's limit, and takes it if the request has a wider one")
    func refusedByLimits() async throws {
        let bench = try await bench(limits: TimingLimits(maxBound: .milliseconds(1), onExcess: .refuse))
        let refusal = try #require(await bench.refusal(bench.order()))
        #expect(refusal.code == .limitsExceeded)
        #expect(refusal.message.contains("north/cam: its bound is 2000 µs") && !refusal.message.contains("south/cam"))
        #expect(!bench.links.asked.value.sent.contains { $0.order.isPrepare })
        #expect(await bench.rig.shotIDs.isEmpty)
        let own = TimingLimits(maxBound: .milliseconds(2), onExcess: .refuse)
        let notices = await bench.rig.trigger(bench.order(limits: own))
        try await carryOut(bench)
        let shot = try #require(try await bench.answer(notices))
        #expect(shot.status == .complete && shot.limits == own && shot.request.limits == own)
        #expect(shot.prediction?.cameras == 2 && shot.prediction?.boundNanoseconds != nil)
        #expect(await bench.refusal(bench.order(limits: TimingLimits()))?.code == .conflict, "with other limits")
        await bench.end()
    }

    @Test(
        "Marks the pictures beyond the rig's limits, unless the request says that there are none",
        arguments: [nil, TimingLimits()])
    func marked(own: TimingLimits?) async throws {
        let limits = TimingLimits(maxBound: .microseconds(50))
        let bench = try await bench(limits: limits)
        let notices = await bench.rig.trigger(bench.order(limits: own))
        try await carryOut(bench)
        let shot = try #require(try await bench.answer(notices))
        #expect(shot.status == .complete && shot.captures.map(\.phase) == [.done, .done], "the files are as requested")
        #expect(shot.captures.map(\.exceeds) == (own == nil ? [[.maxBound], [.maxBound]] : [[], []]))
        #expect(shot.limits == (own == nil ? limits : nil) && shot.request.limits == own)
        let simultaneity = try #require(shot.simultaneity)
        await bench.links.asked.wait { $0.events.contains { $0.source.event.name == .shotSettled } }
        let events = bench.links.asked.value.events.map(\.source.event)
        let settled = try #require(events.first { $0.name == .shotSettled }?.details)
        #expect(settled["spreadNanoseconds"] == "\(simultaneity.spreadNanoseconds)")
        #expect(settled["spreadBoundNanoseconds"] == "\(simultaneity.boundNanoseconds)")
        #expect(settled["earliest"] == "\(simultaneity.earliest)" && settled["latest"] == "\(simultaneity.latest)")
        #expect(settled["exceeding"] == (own == nil ? "2" : nil))
        let accepted = try #require(events.first { $0.name == .shotAccepted }?.details)
        let prediction = try #require(shot.prediction)
        #expect(accepted["predictedSpreadNanoseconds"] == "\(prediction.spreadNanoseconds)")
        #expect(accepted["predictedBoundNanoseconds"] == prediction.boundNanoseconds.map { "\($0)" })
        #expect(accepted["shiftNanoseconds"] == "\(prediction.shiftNanoseconds)")
        await bench.end()
    }

    @Test("A take has no limits") func unlimitedTake() async throws {
        let bench = try await bench(limits: TimingLimits(maxBound: .milliseconds(1), onExcess: .refuse))
        let notices = await bench.rig.trigger(bench.order(settings: PhotoSettings(movie: MovieSettings())))
        await bench.links.wait(forNodes: bothNodes) { $0.isPrepare }
        #expect(await bench.rig.shot(Samples.shot())?.shot.limits == nil)
        _ = notices
        await bench.end()
    }

    @Test("Changes limits from the next request on") func reloaded() async throws {
        let bench = try await bench(limits: nil)
        let strict = TimingLimits(maxBound: .milliseconds(1), onExcess: .refuse)
        bench.rig.limitTriggers(timeout: .seconds(600), maximumAhead: .seconds(30), timing: strict)
        #expect(await bench.refusal(bench.order())?.code == .limitsExceeded)
        await bench.end()
    }

    @Test("Completes a shot once its files are durable, and releases copies after that")
    func wholeShot() async throws {
        let bench = try await bench()
        let notices = await bench.rig.trigger(bench.order())
        await bench.links.wait(forNodes: bothNodes) { $0.isPrepare }
        let journaled = try FolderReader(folder: folder.path + "/library").shot(Samples.shot())
        #expect(journaled?.captures.count == 2, "the shot is on the disk before any node hears of it")
        try await carryOut(bench)
        let shot = try #require(try await bench.answer(notices))
        #expect(shot.status == .complete)
        #expect(shot.captures.map(\.phase) == [.done, .done])
        #expect(try await bench.library.verify(shot.id).count >= 2)
        await bench.links.asked.wait { $0.released.count == 2 }
        for released in bench.links.asked.value.released {
            #expect(released.onDisk == .done, "\(released.key) was released on a promise")
        }
        await bench.links.asked.wait { $0.events.contains { $0.source.event.name.rawValue == "shot.settled" } }
        let names = bench.links.asked.value.events.map(\.source.event.name.rawValue)
        #expect(names.filter { $0.hasPrefix("shot.") } == ["shot.accepted", "shot.settled"])
        let sequences: [UInt64] = bench.links.asked.value.events.map(\.sequence)
        let numbers = Array(1...UInt64(names.count))
        #expect(sequences == numbers)
        await bench.end()
    }

    @Test("Answers a repeated request with its first shot")
    func repeated() async throws {
        let bench = try await bench()
        let first = await bench.rig.trigger(bench.order())
        await bench.links.wait(forNodes: bothNodes) { $0.isPrepare }
        let second = await bench.rig.trigger(bench.order())
        try await carryOut(bench)
        let shot = try #require(try await bench.answer(first))
        #expect(try await bench.answer(second) == shot)
        await bench.links.asked.wait { $0.released.count == 2 }
        let prepared = bench.links.asked.value.sent.count { $0.order.isPrepare }
        let third = try #require(try await bench.answer(await bench.rig.trigger(bench.order())))
        #expect(third.captures == shot.captures)
        #expect(third.time == shot.time)
        #expect(bench.links.asked.value.sent.count { $0.order.isPrepare } == prepared)
        #expect(try await bench.reading.shots(limit: 9).shots.count == 1)
        await bench.end()
    }

    @Test("Makes one shot of two simultaneous requests with one id")
    func repeatedAtOnce() async throws {
        let bench = try await bench()
        let answers = await withTaskGroup(of: AsyncStream<ShotNotice>.self) { group in
            for _ in 0..<6 { group.addTask { await bench.rig.trigger(bench.order()) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        try await carryOut(bench)
        var shots: [Shot?] = []
        for answer in answers { shots.append(try await bench.answer(answer)) }
        #expect(shots.allSatisfy { $0 != nil && $0 == shots[0] })
        #expect(bench.links.asked.value.events.count { $0.source.event.name == .shotAccepted } == 1)
        await bench.end()
    }

    @Test("Refuses an id that was used with other content")
    func conflict() async throws {
        let bench = try await bench()
        let notices = await bench.rig.trigger(bench.order())
        let other = bench.order(requireAll: true)
        #expect(await bench.refusal(other)?.code == .conflict, "while it is under way")
        try await carryOut(bench)
        _ = try await bench.answer(notices)
        await bench.links.asked.wait { $0.released.count == 2 }
        #expect(await bench.refusal(other)?.code == .conflict, "when only the library knows it")
        await bench.end()
    }

    @Test("Says what can be selected when a selection matches nothing")
    func emptySelection() async throws {
        let bench = try await bench()
        let problem = await bench.refusal(bench.order(selection: Selection(labels: ["left"])))
        #expect(problem?.code == .emptySelection)
        #expect(problem?.message.contains("north/cam") == true)
        #expect(problem?.message.contains("south/cam") == true)
        #expect(try await bench.reading.shots(limit: 9).shots.isEmpty)
        await bench.end()
    }

    @Test("Refuses a name that matches no device")
    func unknownNames() async throws {
        let bench = try await bench()
        let north = try NodeName("north")
        let mistyped: [(Selection, String)] = [
            (Selection(nodes: [north, try NodeName("suoth")]), "node 'suoth'"),
            (Selection(devices: [try DeviceID("north/cam"), try DeviceID("south/cma")]), "device 'south/cma'"),
            (Selection(nodes: [north], labels: ["face"]), "device with the label 'face'"),
        ]
        for (selection, name) in mistyped {
            let problem = await bench.refusal(bench.order(selection: selection))
            #expect(problem?.code == .emptySelection)
            #expect(problem?.message.contains("the rig has no \(name); these devices exist") == true)
        }
        await bench.end()
    }

    @Test("Refuses a T that no camera has, and names the limits")
    func limits() async throws {
        let bench = try await bench { $0.maximumAhead = .seconds(30) }
        let past = await bench.refusal(bench.order(time: .relative(nanoseconds: -3_000_000_000)))
        #expect(past?.code == .beforeRing)
        #expect(past?.message.contains("2750") == true, "\(past?.message ?? "")")
        let future = await bench.refusal(bench.order(time: .relative(nanoseconds: 30_500_000_000)))
        #expect(future?.code == .tooFarAhead)
        #expect(future?.message.contains("30 s") == true, "\(future?.message ?? "")")
        for extreme in [Int64.min, .max] {
            #expect(await bench.refusal(bench.order(time: .relative(nanoseconds: extreme))) != nil)
            #expect(await bench.refusal(bench.order(time: .absolute(realtimeNanoseconds: extreme))) != nil)
        }
        await bench.end()
    }

    @Test("Reports a camera whose node is away without delaying the shot")
    func absentNode() async throws {
        let roster = Roster(restoring: [try Samples.device("west/cam").description])
        let bench = try await RigBench(folder: folder, roster: roster)
        let shot = try #require(try await bench.answer(await bench.rig.trigger(bench.order())))
        #expect(shot.status == .failed)
        #expect(shot.captures.map(\.problem?.code) == [.nodeUnreachable])
        #expect(shot.captures[0].problem?.message.contains("west") == true)
        #expect(bench.links.asked.value.sent.isEmpty)
        await bench.end()
    }

    @Test("Takes the other cameras when one fails, and reports its reason")
    func oneRefuses() async throws {
        let bench = try await bench()
        let notices = await bench.rig.trigger(bench.order())
        await bench.links.wait(forNodes: bothNodes) { $0.isPrepare }
        try await bench.refused("north", RigProblem(.notRunning, "north/cam is unplugged"))
        try await bench.armed("south")
        await bench.links.wait(forNodes: [try NodeName("south")]) { $0.isFire }
        try await bench.captured("south", [9])
        try await bench.collect("south", [9])
        let shot = try #require(try await bench.answer(notices))
        #expect(shot.status == .partial)
        #expect(shot.captures.map(\.phase) == [.missed, .done])
        #expect(shot.captures[0].problem == RigProblem(.notRunning, "north/cam is unplugged"))
        await bench.end()
    }

    @Test("Takes no picture under --require-all when a camera is missing")
    func requireAll() async throws {
        let bench = try await bench()
        let notices = await bench.rig.trigger(bench.order(requireAll: true))
        await bench.links.wait(forNodes: bothNodes) { $0.isPrepare }
        try await bench.armed("south")
        try await bench.refused("north", RigProblem(.notRunning, "north/cam is unplugged"))
        let shot = try #require(try await bench.answer(notices))
        #expect(shot.status == .failed)
        #expect(shot.captures.map(\.problem?.code) == [.notRunning, .cancelled])
        await bench.links.wait(forNodes: [try NodeName("south")]) { $0.isCancel }
        #expect(!bench.links.asked.value.sent.contains { $0.order.isFire })
        await bench.end()
    }

    @Test("Waits for the picture of a camera that takes one in ten seconds")
    func slowCamera() async throws {
        let clock = ManualTimeSource()
        let bench = try await RigBench(folder: folder, clock: clock)
        try await bench.hello(
            "south",
            format: VideoFormat(pixelFormat: .mjpeg, width: 640, height: 480, frameInterval: .seconds(10)))
        let notices = await bench.rig.trigger(bench.order(timeout: .seconds(60)))
        await bench.links.wait(forNodes: [try NodeName("south")]) { $0.isPrepare }
        try await bench.armed("south")
        await bench.links.wait(forNodes: [try NodeName("south")]) { $0.isFire }
        clock.advance(by: .seconds(25))
        try await bench.captured("south", [9])
        try await bench.collect("south", [9])
        let shot = try #require(try await bench.answer(notices))
        #expect(shot.captures.map(\.phase) == [.done])
        await bench.end()
    }

    @Test("Ends a shot in time when a node never answers")
    func silentNode() async throws {
        let clock = ManualTimeSource()
        let bench = try await bench(clock) {
            $0.arming = .milliseconds(400)
            $0.grace = .milliseconds(50)
        }
        let notices = await bench.rig.trigger(bench.order())
        await bench.links.wait(forNodes: bothNodes) { $0.isPrepare }
        try await bench.armed("south")
        #expect(!bench.links.asked.value.sent.contains { $0.order.isFire })
        clock.advance(by: .milliseconds(400))
        await bench.links.wait(forNodes: [try NodeName("south")]) { $0.isFire }
        try await bench.captured("south", [9])
        try await bench.collect("south", [9])
        let shot = try #require(try await bench.answer(notices))
        #expect(shot.captures.map(\.phase) == [.missed, .done])
        #expect(shot.captures[0].problem?.code == .nodeUnreachable)
        await bench.end()
    }
}
