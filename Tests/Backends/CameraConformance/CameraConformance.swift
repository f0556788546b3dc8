public import CameraKit
public import CaptureModel

/// What every camera owes its users, whatever its make: one suite for tests and for the device lab.
///
/// Every check makes a camera of its own, plugged in and free, and leaves it free. A camera that does not answer makes a
/// check wait: whoever runs it sets the limit.
public struct CameraConformance: Sendable {
    /// Makes an object for the camera; called once or more for a check.
    public var makeCamera: @Sendable () throws -> any Camera
    /// The same for another device of the same make; nil where there is none.
    public var makeOther: (@Sendable () throws -> any Camera)?
    /// A format it supports, at five or more frames a second.
    public var request: FormatRequest
    public var clock: any TimeSource

    public init(
        request: FormatRequest, clock: any TimeSource, makeCamera: @escaping @Sendable () throws -> any Camera,
        makeOther: (@Sendable () throws -> any Camera)? = nil
    ) {
        self.request = request
        self.clock = clock
        self.makeCamera = makeCamera
        self.makeOther = makeOther
    }

    /// The checks that can be run with what is there.
    public var checks: [ConformanceCheck] {
        ConformanceCheck.allCases.filter { makeOther != nil || !$0.needsOther }
    }

    /// Runs one check to its end.
    /// - Throws: ``ConformanceFailure`` with what was seen.
    public func run(_ check: ConformanceCheck) async throws(ConformanceFailure) {
        do {
            try await perform(check)
        } catch let finding as Finding {
            throw ConformanceFailure(check, finding.text)
        } catch {
            throw ConformanceFailure(check, "\(error)")
        }
    }

    private func perform(_ check: ConformanceCheck) async throws {
        switch check {
        case .agreedFormat: try await agreedFormat()
        case .wholeFrames: try await wholeFrames()
        case .orderedFrames: try await orderedFrames()
        case .countedLosses: try await countedLosses()
        case .risingLosses: try await risingLosses()
        case .slowConsumer: try await slowConsumer()
        case .leaseOutlivesStream: try await leaseOutlivesStream()
        case .busyWhileStreaming: try await busyWhileStreaming()
        case .stopEndsFrames: try await stopEndsFrames()
        case .stopTogether: try await stopTogether()
        case .restart: try await restart()
        case .cancelledConsumer: try await cancelledConsumer()
        case .cancelledStart: try await cancelledStart()
        case .droppedStream: try await droppedStream()
        case .unsupportedFormat: try await unsupportedFormat()
        case .startAfterRefusal: try await startAfterRefusal()
        case .capabilities: try await capabilities()
        case .capabilitiesWhileStreaming: try await capabilitiesWhileStreaming()
        case .authorization: try await authorization()
        case .controls: try await controls()
        case .streams: try await streams()
        case .pair: try await pair()
        }
    }
}

extension CameraConformance {
    func start(_ camera: any Camera) async throws -> any CameraStream {
        try await camera.start(request, clock: clock)
    }

    /// A stream of a camera of its own.
    func start() async throws -> any CameraStream {
        try await start(try makeCamera())
    }

    /// So many frames.
    func take(_ count: Int, of stream: any CameraStream) async throws -> [CameraFrame] {
        var taken: [CameraFrame] = []
        for await frame in stream.frames {
            taken.append(frame)
            if taken.count == count { return taken }
        }
        let why = stream.failure.map { ": \($0)" } ?? ""
        throw Finding("the stream ended after \(taken.count) of \(count) frames\(why)")
    }

    /// The camera can be started, delivers and stops.
    func requireFree(_ camera: any Camera) async throws {
        let stream = try await start(camera)
        _ = try await take(2, of: stream)
        await stream.stop()
    }
}
