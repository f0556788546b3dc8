import CaptureModel
import Spool
import Testing
import VirtualDevices

@testable import CaptureEngine

/// The three levels, and captures that overlap.
@Suite(.timeLimit(.minutes(1))) struct LargerPhotoRefusalTests {
    private func refusal(_ stage: Stage, _ width: Int, _ height: Int) async -> CaptureProblem? {
        let settings = PhotoSettings(maxPhotoDimensions: PixelSize(width: width, height: height))
        let order = stage.order(stage.now + .seconds(3), shot: Int64(width), settings: settings)
        let problem = await stage.session.arm(order).failure
        if problem != nil { #expect(stage.recorder.steps(of: order.key).isEmpty) }
        return problem
    }

    @Test("A larger still that is not enabled is refused without the level, or its ability says otherwise")
    func notEnabled() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let problem = await refusal(stage, 320, 240)
            #expect(problem?.code == .unsupportedSettings)
            #expect(problem?.message.contains("supported up to") == true)
            #expect(problem?.message.contains("not enabled") == true)
            let session = try #require(await stage.session.condition.session)
            #expect(session.abilities.largerPhoto.reason?.contains("not enabled") == true)
            #expect(session.largerPhoto == nil && session.abilities.photo.isAllowed)
            #expect(await refusal(stage, 160, 120) == nil, "a frame of the stream is as large")
        }
    }

    @Test(
        "A larger still is refused without the level that is missing",
        arguments: [
            (800, 600, "not enabled"), (640, 481, "not enabled"), (100, 100, "beyond"), (200, 100, "beyond"),
        ])
    func outOfRange(_ width: Int, _ height: Int, _ reason: String) async throws {
        let stage = try Stage.larger()
        try await stage.run {
            await stage.start()
            let problem = await refusal(stage, width, height)
            #expect(problem?.code == .unsupportedSettings)
            #expect(problem?.message.contains(reason) == true, "\(problem?.message ?? "armed")")
        }
    }

    @Test("A camera of one size promises a larger still")
    func notSupported() async throws {
        let size = SizeOffer(widths: PixelRange(160, 160), heights: PixelRange(120, 120), intervals: [])
        let stage = try Stage(maxPhotoDimensions: .largest, offers: [FormatOffer(pixelFormat: .mjpeg, sizes: [size])])
        try await stage.run {
            await stage.start()
            let problem = await refusal(stage, 320, 240)
            #expect(problem?.code == .unsupportedSettings)
            #expect(problem?.message.contains("not supported") == true)
            let ability = await stage.session.abilities.largerPhoto
            #expect(ability.reason?.contains("not supported") == true)
        }
    }

    @Test("A larger still is promised that the ring has no room for")
    func noRoom() async throws {
        let stage = try Stage(policy: SessionPolicy(ringByteLimit: 200_000), maxPhotoDimensions: .largest)
        try await stage.run {
            await stage.start()
            #expect(await refusal(stage, 4096, 3072)?.code == .noMemory)
            #expect(await stage.spool.usage().reservedBytes == 0)
        }
    }

    @Test("A larger still overlaps with another capture, or the refusal does not say so")
    func alone() async throws {
        let stage = try Stage.larger()
        try await stage.run {
            await stage.start()
            #expect(await stage.session.abilities.largerPhoto.isAllowed)
            let plain = stage.order(stage.now + .seconds(2), shot: 1)
            _ = try await stage.session.arm(plain).get()
            #expect(await stage.session.abilities.largerPhoto.isAllowed == false)
            let larger = stage.larger(in: .seconds(2), shot: 2)
            #expect(await stage.session.arm(larger).failure?.code == .conflict)
            await stage.session.cancel(plain.key)
            let resolved = try await stage.session.arm(larger).get()
            #expect(try await stage.session.arm(larger).get() == resolved, "a repeat has the same answer")
            #expect(await stage.session.readiness == .busy)
            #expect(await stage.session.arm(plain).failure?.code == .conflict)
            #expect(await stage.session.arm(stage.larger(in: .seconds(2), shot: 3)).failure?.code == .conflict)
            await stage.pass(until: .starting)
            #expect(await stage.session.arm(plain).failure?.code == .conflict, "in the gap")
            #expect(try await stage.session.arm(larger).get() == resolved)
            #expect(await stage.session.readiness == .busy)
            #expect(await stage.session.abilities.photo.isAllowed == false)
            #expect(await stage.fire(larger).report != nil)
            _ = try await stage.session.arm(stage.order(stage.now + .milliseconds(100), shot: 4)).get()
        }
    }
}
