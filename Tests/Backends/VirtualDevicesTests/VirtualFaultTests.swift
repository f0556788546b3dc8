import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing
import TimeCode
import TurboJPEG

@testable import VirtualDevices

@Suite("Virtual camera: faults")
struct VirtualFaultTests {
    private func bench(_ faults: VirtualFault...) async throws -> VirtualBench {
        try await VirtualBench { $0.faults = faults }
    }

    private func startError(_ bench: VirtualBench) async -> CameraError.Code? {
        do {
            let stream = try await bench.camera.start(FormatRequest(), clock: bench.clock)
            await stream.stop()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("Leaves a counted gap for a dropped frame")
    func dropped() async throws {
        var bench = try await bench(VirtualFault(.dropped, fromFrame: 5, count: 2, every: 3))
        let frames = await bench.expose(20)
        #expect(frames.map(\.sequence) == [0, 1, 2, 3, 4, 6, 7] + Array(9..<20))
        #expect(bench.stream.losses.droppedByDevice == 2)
        await bench.stream.stop()
    }

    @Test("Drops by chance at the configured rate, the same in each run")
    func droppedByChance() async throws {
        var runs: [[UInt64]] = []
        for _ in 0..<2 {
            var bench = try await bench(VirtualFault(.dropped, probability: 0.25))
            runs.append(await bench.expose(400).map(\.sequence))
            await bench.stream.stop()
        }
        #expect(runs[0] == runs[1])
        #expect((250...350).contains(runs[0].count))
    }

    @Test("Makes torn frames that fail to decode")
    func torn() async throws {
        var bench = try await bench(VirtualFault(.torn, fromFrame: 1, count: 1))
        let frames = await bench.expose(3)
        let decoder = try JPEGDecoder()
        try decoder.verify(frames[0].lease.bytes.span)
        #expect(throws: TurboJPEGError.self) { try decoder.verify(frames[1].lease.bytes.span) }
        try decoder.verify(frames[2].lease.bytes.span)
        #expect(frames.map(\.sequence) == [0, 1, 2])
        await bench.stream.stop()
    }

    @Test("Makes the pictures of cameras that are not exact")
    func inexact() async throws {
        for kind in [VirtualFault.Kind.damaged, .unended, .trailing, .resized] {
            var bench = try await bench(VirtualFault(kind, fromFrame: 1, count: 1))
            let frames = await bench.expose(3)
            await bench.stream.stop()
            let decoder = try JPEGDecoder()
            for number in [0, 2] { try decoder.verify(frames[number].lease.bytes.span) }
            let (exact, bytes) = (frames[2].lease.bytes, frames[1].lease.bytes)
            switch kind {
            case .damaged: #expect(throws: TurboJPEGError.self) { try decoder.verify(bytes.span) }
            case .unended:
                #expect(bytes.suffix(2) != [0xFF, 0xD9])
                try decoder.verify((bytes + [0xFF, 0xD9]).span)
            case .trailing:
                #expect(bytes.count > exact.count * 5 / 4 && bytes.suffix(2) == [0xFF, 0xD9])
                try decoder.verify(bytes.span)
            default:
                let size = try decoder.verify(bytes)
                let usual = try decoder.verify(exact)
                #expect(size.width == usual.width + 16 && size.height == usual.height + 16)
            }
        }
    }

    @Test("Repeats a frozen picture under fresh stamps")
    func frozen() async throws {
        var bench = try await bench(VirtualFault(.frozen, fromFrame: 3, count: 4))
        let frames = await bench.expose(10)
        let codes = try frames.map { try VirtualBench.code($0).frameNumber }
        #expect(codes == [0, 1, 2, 2, 2, 2, 2, 7, 8, 9])
        #expect(frames.map(\.sequence) == Array(0..<10))
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $1.midExposure - $0.midExposure == .milliseconds(40) })
        await bench.stream.stop()
    }

    @Test("Marks an erroneous frame")
    func erroneous() async throws {
        var bench = try await bench(VirtualFault(.erroneous, fromFrame: 2, count: 1))
        #expect(await bench.expose(5).map(\.isFlaggedErroneous) == [false, false, true, false, false])
        await bench.stream.stop()
    }

    @Test("Stops delivering while it is stalled, and recovers")
    func stalled() async throws {
        var bench = try await bench(VirtualFault(.stalled, afterSeconds: 0.4, forSeconds: 2))
        let frames = await bench.expose(100)
        #expect(frames.first?.sequence == 0 && frames.last?.sequence == 99)
        let pause = zip(frames, frames.dropFirst()).map { $1.dequeued - $0.dequeued }.max()
        #expect(pause == .milliseconds(2040))
        #expect(bench.stream.losses.droppedByDevice == 50)
        await bench.stream.stop()
    }

    @Test("Disappears when it is unplugged, and returns")
    func unplugged() async throws {
        var bench = try await bench(VirtualFault(.unplugged, fromFrame: 3, forSeconds: 5))
        #expect(await bench.expose(3).count == 3)
        #expect(await bench.exposeToTheEnd().isEmpty)
        #expect(bench.stream.failure?.code == .absent)
        #expect(await startError(bench) == .absent)
        bench.clock.advance(by: .seconds(4.9))
        #expect(await startError(bench) == .absent)
        bench.clock.advance(by: .seconds(0.2))
        var again = try await VirtualBench(camera: bench.camera, clock: bench.clock)
        #expect(await again.expose(10).count == 10, "a scheduled unplug strikes once")
        await again.stream.stop()
    }

    @Test("Unplugs and plugs in by hand")
    func unpluggedLive() async throws {
        var bench = try await bench()
        _ = await bench.expose(2)
        try bench.camera.faults.inject(VirtualFault(.unplugged))
        _ = await bench.exposeToTheEnd()
        #expect(bench.stream.failure?.code == .absent)
        bench.clock.advance(by: .seconds(3600))
        #expect(await startError(bench) == .absent)
        bench.camera.faults.clear(.unplugged)
        #expect(await startError(bench) == nil)
    }

    @Test("Refuses to open when it is busy or forbidden, with the right code")
    func busyAndDenied() async throws {
        let camera = VirtualBench.camera {
            $0.faults = [VirtualFault(.denied, count: 1), VirtualFault(.busy, count: 2)]
        }
        let clock = ManualTimeSource()
        var codes: [CameraError.Code?] = []
        for _ in 0..<4 {
            do throws(CameraError) {
                await (try camera.start(FormatRequest(), clock: clock)).stop()
                codes.append(nil)
            } catch {
                codes.append(error.code)
            }
        }
        #expect(codes == [.denied, .busy, .busy, nil])
        #expect(camera.faults.pending.isEmpty)
    }

    @Test("Delays a slow start")
    func slowStart() async throws {
        var bench = try await bench(VirtualFault(.slowStart, count: 1, delaySeconds: 3))
        #expect(await bench.expose(1).first?.midExposure.nanoseconds == 1_003_040_000_000)
        await bench.stream.stop()
        var again = try await VirtualBench(camera: bench.camera, clock: bench.clock)
        let restarted = bench.clock.now()
        let first = try #require(await again.expose(1).first)
        #expect(first.midExposure - restarted < .milliseconds(100))
        await again.stream.stop()
    }

    @Test("Applies and clears a fault while it runs")
    func injectAndClear() async throws {
        var bench = try await bench()
        _ = await bench.expose(2)
        try bench.camera.faults.inject(VirtualFault(.erroneous))
        #expect(await bench.expose(3).map(\.isFlaggedErroneous) == [true, true, true])
        bench.camera.faults.clear()
        #expect(await bench.expose(2).map(\.isFlaggedErroneous) == [false, false])
        await bench.stream.stop()
    }

    @Test("Refuses faults without sense")
    func nonsense() async throws {
        let nonsense = [
            VirtualFault(.dropped, every: 0), VirtualFault(.dropped, every: -1), VirtualFault(.torn, probability: .nan),
            VirtualFault(.stalled, afterSeconds: .infinity),
            VirtualFault(.stalled, forSeconds: -.greatestFiniteMagnitude),
            VirtualFault(.torn, count: 0), VirtualFault(.unplugged, count: 1), VirtualFault(.busy, every: 2),
            VirtualFault(.slowStart, delaySeconds: 1e300), VirtualFault(.frozen, delaySeconds: 1),
        ]
        for fault in nonsense {
            #expect(throws: CameraError.self) { try VirtualBench.camera().faults.inject(fault) }
            let camera = VirtualBench.camera { $0.faults = [fault] }
            await #expect(throws: CameraError.self) {
                try await camera.start(FormatRequest(), clock: ManualTimeSource())
            }
        }
    }
}
