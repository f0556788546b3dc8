import CameraConformance
import CameraKit
import CaptureModel
import CaptureTestSupport
import SystemClock
import Testing
import TimeCode
import TurboJPEG
import VirtualDevices

/// A virtual camera with one flaw.
final class FlawedCamera: Camera {
    let flaw: Flaw
    /// Why further starts fail; nil while they do not.
    let kept = Observed<String?>(nil)
    /// Whether another camera's stream was stopped.
    private let stops: Observed<Int>
    /// Streams started so far.
    private let streams = Observed(0)
    private let camera = VirtualCamera(name: "flawed", configuration: .withPreview)

    /// - Parameter stops: How often a stream was stopped, of this camera and the one beside it.
    init(_ flaw: Flaw, stops: Observed<Int> = Observed(0)) {
        self.flaw = flaw
        self.stops = stops
    }

    func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream {
        if let reason = kept.value { throw error(.failed, reason) }
        if flaw == .keptByStart, Task.isCancelled {
            kept.change { $0 = "a start was cancelled" }
            throw error(.failed, "cancelled")
        }
        do throws(CameraError) {
            // Every start of a camera of its own: nobody is told that it is busy.
            let camera = flaw == .sharedStart ? VirtualCamera(name: "shared") : camera
            let stream = try await camera.start(request, clock: clock)
            streams.change { $0 += 1 }
            if flaw == .startsOnce { kept.change { $0 = "once is enough" } }
            return FlawedStream(stream, of: self, stops: stops)
        } catch {
            throw refusal(error)
        }
    }

    func start(
        _ stream: StreamName, _ request: FormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any CameraStream {
        if flaw == .oneStreamAtATime, stream == .preview { throw error(.busy, "another stream runs") }
        if flaw == .anyStream { return try await camera.start(request, clock: clock) }
        let camera = flaw == .sharedStreams ? VirtualCamera(name: "shared", configuration: .withPreview) : camera
        return try await camera.start(stream, request, clock: clock)
    }

    func streams() async throws(CameraError) -> [StreamOffer] {
        let offers = try await camera.streams()
        return flaw == .otherFirst ? offers.reversed() : offers
    }

    func authorization() async -> AuthorizationStatus {
        flaw == .forbidden ? .denied : await camera.authorization()
    }

    func capabilities() async throws(CameraError) -> DeviceCapabilities {
        var capabilities = try await camera.capabilities()
        switch flaw {
        case .emptyOffer: capabilities.formats = []
        case .otherOffer:
            capabilities.formats[0].sizes = [SizeOffer(widths: .init(8, 8), heights: .init(8, 8), intervals: [])]
        case .silentWhileStreaming where streams.value > 0: throw error(.busy, "it streams")
        default: break
        }
        return capabilities
    }

    private func refusal(_ right: CameraError) -> CameraError {
        switch flaw {
        case .bluntRefusal: return error(right.code, "no")
        case .otherRefusal: return error(.failed, right.reason)
        case .keptByRefusal: kept.change { $0 = "it was asked for too much" }
        default: break
        }
        return right
    }

    func error(_ code: CameraError.Code, _ reason: String) -> CameraError {
        CameraError(code, device: "flawed", operation: "open", reason: reason)
    }
}

extension VirtualCameraConfiguration {
    /// A camera of two streams.
    fileprivate static var withPreview: VirtualCameraConfiguration {
        var configuration = VirtualCameraConfiguration()
        configuration.preview = VirtualPreview()
        return configuration
    }
}

/// A way to break the promises of a camera; one or more for each check.
enum Flaw: CaseIterable, Sendable {
    case otherFormat, halfFrames, lostIntervals, sameSequence, futureStamps, otherInstants, narrowBounds, hiddenLosses,
        forgottenLosses, longQueue, changingLease
    case sharedStart, failureAfterStop, failureOfSecondStop, startsOnce, keptByConsumer, keptByStart, keptByStream
    case bluntRefusal, otherRefusal, keptByRefusal, emptyOffer, otherOffer, silentWhileStreaming, forbidden, anyControl
    case oneStreamAtATime, anyStream, otherFirst, sharedStreams, stopsTheOther

    /// The check that must find it.
    var check: ConformanceCheck {
        switch self {
        case .otherFormat: .agreedFormat
        case .halfFrames: .wholeFrames
        case .lostIntervals: .completePictures
        case .sameSequence, .futureStamps: .orderedFrames
        case .otherInstants, .narrowBounds: .trueInstants
        case .hiddenLosses: .countedLosses
        case .forgottenLosses: .risingLosses
        case .longQueue: .slowConsumer
        case .changingLease: .leaseOutlivesStream
        case .sharedStart: .busyWhileStreaming
        case .failureAfterStop: .stopEndsFrames
        case .failureOfSecondStop: .stopTogether
        case .startsOnce: .restart
        case .keptByConsumer: .cancelledConsumer
        case .keptByStart: .cancelledStart
        case .keptByStream: .droppedStream
        case .bluntRefusal, .otherRefusal: .unsupportedFormat
        case .keptByRefusal: .startAfterRefusal
        case .emptyOffer, .otherOffer: .capabilities
        case .silentWhileStreaming: .capabilitiesWhileStreaming
        case .forbidden: .authorization
        case .anyControl: .controls
        case .oneStreamAtATime, .anyStream, .otherFirst, .sharedStreams: .streams
        case .stopsTheOther: .pair
        }
    }
}

@Suite("Fails each conformance check on a flawed camera")
struct FlawTests {
    @Test("Fails a camera with a flaw", .timeLimit(.minutes(10)), arguments: Flaw.allCases)
    func found(flaw: Flaw) async throws {
        let stops = Observed(0)
        let conformance = CameraConformance(
            request: FormatRequest(pixelFormat: .mjpeg, width: 320, height: 240, framesPerSecond: 100),
            clock: SystemTimeSource(), makeCamera: { FlawedCamera(flaw, stops: stops) },
            makeOther: { FlawedCamera(flaw, stops: stops) }, truth: flaw == .narrowBounds ? nil : Self.truth)
        let failure = await #expect(throws: ConformanceFailure.self) { try await conformance.run(flaw.check) }
        #expect(failure?.check == flaw.check)
    }

    /// When a frame was exposed, as its picture shows.
    private static func truth(_ frame: CameraFrame) throws -> LocalTime {
        var image = LumaImage()
        try JPEGDecoder(maximumPixelCount: 1_000_000).decodeLuma(frame.lease.bytes.span, scale: .full, into: &image)
        let code = try TimeCode.decode(
            luma: image.bytes.span, width: image.width, height: image.height, stride: image.width)
        let now = SystemTimeSource().wallClockPair()
        return now.monotonic + .nanoseconds(code.realtimeNanoseconds - now.realtimeNanoseconds)
    }

    @Test("Breaks every check by some flaw")
    func everyCheckCanFail() {
        #expect(Set(Flaw.allCases.map(\.check)) == Set(ConformanceCheck.allCases))
    }
}
