import CaptureEngine
import CaptureModel
import ImageMetadata
import Spool
import Testing
import TimeCode
import TurboJPEG
import VirtualDevices

@Suite(.timeLimit(.minutes(10))) struct PreviewTests {
    @Test("Delivers a preview of T before the still is saved, with its figures")
    func preview() async throws {
        let stage = try Stage { ($0.width, $0.height) = (640, 360) }
        try await stage.run {
            await stage.start()
            let order = stage.order(
                stage.now + .milliseconds(100),
                settings: PhotoSettings(embedThumbnail: .square, previewSize: PhotoSettings.defaultPreviewSize))
            let resolved = try await stage.session.arm(order).get()
            #expect(resolved.preview == PixelSize(width: 320, height: 180))
            #expect(resolved.thumbnail == PixelSize(width: 90, height: 90))
            let firing = Task { await stage.session.fire(order.key) }
            await stage.pass(.milliseconds(240))
            let report = try #require(await firing.value.report)
            let steps = stage.recorder.steps(of: order.key)
            #expect(
                steps.map(\.name) == [
                    "willBegin", "willCapture", "didCapture", "preview", "didFinishProcessing", "didFinishProcessing",
                    "didFinish",
                ])
            #expect(report.files.map(\.kind) == [.photo, .preview])
            let preview = try #require(steps.compactMap(\.preview).first)
            let stored = try await stage.bytes(of: .preview, report)
            #expect(preview.jpeg == stored)
            let header = try JPEGDecoder().verify(preview.jpeg)
            #expect(PixelSize(width: header.width, height: header.height) == preview.size)
            #expect(preview.size == resolved.preview)
            // The frame of T was delivered 8 ms after mid-exposure; how long it took to encode is the machine's.
            let skew = Duration.nanoseconds(report.timing.skewNanoseconds)
            let latency = Duration.nanoseconds(preview.latencyNanoseconds)
            #expect(latency >= skew + Stage.latency && latency <= stage.now - order.time)
            #expect(await stage.spool.usage().reservedBytes == 0)
            let still = try await stage.still(report)
            #expect(try timeCode(of: still).frameNumber == UInt32(report.timing.sequence))
        }
    }

    @Test("Delivers a preview only where requested, without changing the still")
    func withoutPreview() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let plain = stage.order(stage.now - .milliseconds(60), shot: 1)
            let small = stage.order(stage.now - .milliseconds(60), shot: 2, settings: PhotoSettings(previewSize: 80))
            var stills: [[UInt8]] = []
            for order in [plain, small] {
                _ = try await stage.session.arm(order).get()
                let report = try #require(await stage.session.fire(order.key).report)
                #expect(report.files.map(\.kind) == order.settings.assetKinds)
                stills.append(try JPEGRewriter.pixelBytes(of: try await stage.still(report)))
            }
            #expect(stills[0] == stills[1])
            #expect(stage.recorder.steps(of: plain.key).compactMap(\.preview).isEmpty)
        }
    }

    @Test("Applies the mirroring of the trigger's instant")
    func mirrored() async throws {
        let stage = try Stage(isMirrored: true)
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now - .milliseconds(60))
            let resolved = try await stage.session.arm(order).get()
            #expect(resolved.mirrored == true)
        }
    }
}

extension LifeCycleStep {
    fileprivate var preview: PreviewPhoto? {
        if case .previewAvailable(let preview) = self { preview } else { nil }
    }
}
