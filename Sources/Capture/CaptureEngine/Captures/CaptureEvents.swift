public import CaptureModel

/// A step of one capture, with the capture's id.
public struct CaptureEvent: Hashable, Sendable {
    public var id: CaptureKey
    public var step: LifeCycleStep

    public init(id: CaptureKey, step: LifeCycleStep) {
        self.id = id
        self.step = step
    }
}

/// The life cycle of one capture, from `willBeginCapture` to `didFinishCapture`, after which it ends.
///
/// For one reader. It holds as many events as a life has steps, so a late reader loses none; the capture goes on whether
/// it is read or not.
public struct CaptureEvents: AsyncSequence, Sendable {
    public typealias Element = CaptureEvent
    public typealias Failure = Never

    /// The capture all events are of.
    public let id: CaptureKey
    private let stream: AsyncStream<CaptureEvent>
    let teller: CaptureTeller

    init(id: CaptureKey) {
        self.id = id
        let (stream, continuation) = AsyncStream.makeStream(
            of: CaptureEvent.self, bufferingPolicy: .bufferingOldest(CaptureLifeCycle.stepLimit))
        self.stream = stream
        teller = CaptureTeller(id: id, continuation: continuation)
    }

    public func makeAsyncIterator() -> AsyncStream<CaptureEvent>.AsyncIterator {
        stream.makeAsyncIterator()
    }
}

/// The writing end of ``CaptureEvents``.
struct CaptureTeller: Sendable {
    let id: CaptureKey
    let continuation: AsyncStream<CaptureEvent>.Continuation

    /// Hands a step on; the last one ends the sequence.
    func tell(_ step: LifeCycleStep) {
        continuation.yield(CaptureEvent(id: id, step: step))
        if case .didFinishCapture = step { continuation.finish() }
    }
}
