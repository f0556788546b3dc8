import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite struct CaptureLifeCycleTests {
    private let facts: [CaptureLifeCycle.Fact]

    init() throws {
        let format = VideoFormat(pixelFormat: .mjpeg, width: 160, height: 120, frameInterval: .milliseconds(40))
        let resolved = ResolvedPhotoSettings(
            width: 160, height: 120, streamFormat: format, isCameraEncoded: true, orientation: .degrees0)
        let timing = FrameTiming(
            sequence: 4, localMidExposure: LocalTime(nanoseconds: 1),
            midExposure: BoundedRigTime(time: RigTime(nanoseconds: 2), bound: .zero), skewNanoseconds: 0,
            dequeued: RigTime(nanoseconds: 3))
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 1, count: 32)))
        let preview = PreviewPhoto(jpeg: [1], size: PixelSize(width: 20, height: 15), latencyNanoseconds: 5)
        let clip = ClipTiming(
            localStart: LocalTime(nanoseconds: 1), start: BoundedRigTime(time: RigTime(nanoseconds: 2), bound: .zero),
            frameOffsets: [0, 5], stillFrame: 1, durationNanoseconds: 10, missingFrames: 0)
        let movie = LivePhotoMovieFile(
            SpooledFile(kind: .pairedVideo, byteCount: 1, digest: digest), path: "/spool/clip", timing: clip)
        facts =
            [.armed(resolved), .fired, .frameChosen(timing), .previewMade(preview)]
            + AssetKind.allCases.map { .fileStored(SpooledFile(kind: $0, byteCount: 1, digest: digest)) }
            + [.movieRecorded, .movieStored(movie)]
            + [.ended(nil), .ended(CaptureProblem(.cancelled, "why"))]
    }

    /// Photos and movie are two chains, neither of which waits for the other.
    private func isOfMovie(_ step: LifeCycleStep) -> Bool {
        switch step {
        case .didFinishRecordingLivePhotoMovie, .didFinishProcessingLivePhotoMovie: true
        default: false
        }
    }

    /// The place of a step in a life.
    private func rank(_ step: LifeCycleStep) -> Int {
        switch step {
        case .willBeginCapture: 0
        case .willCapturePhoto: 1
        case .didCapturePhoto: 2
        case .previewAvailable: 3
        case .didFinishProcessingPhoto, .didFinishRecordingLivePhotoMovie, .didFinishProcessingLivePhotoMovie: 4
        case .didFinishCapture: 5
        }
    }

    @Test("A life tells a step twice, out of order or after its end, whatever comes in which order", arguments: 0..<400)
    func anyOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var life = CaptureLifeCycle()
        var steps = (0..<60).flatMap { _ in life.handle(facts.randomElement(using: &generator) ?? .fired) }
        steps += life.handle(.ended(nil))
        let photos = steps.filter { !isOfMovie($0) }
        #expect(photos.map(rank) == photos.map(rank).sorted())
        #expect(Set(steps).count == steps.count)
        #expect(steps.count <= CaptureLifeCycle.stepLimit)
        let movie = steps.filter(isOfMovie).map(\.name)
        #expect(["didFinishRecordingMovie", "didFinishProcessingMovie"].starts(with: movie))
        let ends = steps.filter { rank($0) == 5 }
        #expect(ends.count == (steps.isEmpty ? 0 : 1))
        #expect(steps.first.map(rank) ?? 0 == 0)
        #expect(steps.last.map(rank) ?? 5 == 5)
    }

    @Test("A step of a life in which nothing goes wrong is missing")
    func whole() {
        var life = CaptureLifeCycle()
        let steps = facts.dropLast().flatMap { life.handle($0) }
        #expect(steps.count == facts.count - 1)
    }
}
