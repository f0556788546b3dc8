import CaptureModel

/// A use of a session's frames, with separate state: photos, Live Photos, movies, live pictures, scene changes.
///
/// A session calls its outputs on its own thread, in a fixed order. They are not `Sendable`, so the compiler keeps
/// other threads out. ``SessionAccess`` has what an output may request from its session. Requirements have default
/// implementations that do nothing.
protocol CaptureOutput: AnyObject {
    /// Captures of the output that have no outcome yet, or owe a file.
    var capturesUnderWay: [CaptureKey] { get }
    /// Whether the output still waits for frames of the present stream.
    var needsStream: Bool { get }
    /// The next instant at which the output has work without a frame; nil for never.
    var nextInstant: LocalTime? { get }
    /// Adds to a session's condition the requests that the output accepts. Those of earlier outputs are already there.
    func describe(_ condition: inout SessionCondition)

    /// Notes that a stream was opened. Its frames have not arrived yet.
    func streamOpened() async
    /// Processes a frame that the ring has received.
    func receive(_ frame: RingFrame, from stream: OpenStream)
    /// Notes that the first frame of the session's format has arrived after an interruption.
    /// - Returns: The events to report after the session is reported to run.
    func streamIsBack(with frame: RingFrame) -> [SessionEvent]
    /// Does the work that is due after a frame was processed, or at an instant for which the output has waited.
    func update() async
    /// Prepares for the close of the stream. Its controls can still be set.
    func streamWillClose() async
    /// Notes that the stream was closed. The ring still has its frames.
    func streamClosed(_ stream: OpenStream)
    /// Notes that no frames arrive: the stream was closed, or nothing ran for a while.
    func interrupted(by interruption: Interruption)
    /// Notes that the ring was emptied: its frames no longer have a rig time.
    func framesLost(because reason: String) async
    /// Notes that the state machine has handled an event.
    func followed(_ event: SessionMachine.Event, from before: SessionMachine.FormatSwitch?)
    /// Notes that another camera has become the session's input.
    func deviceExchanged()
    /// Does the work requested with ``SessionAccess/start(_:for:)``, in a separate task.
    /// - Parameter tell: Reports events from code that cannot access the output's state.
    func perform(_ key: CaptureKey, telling tell: @escaping @Sendable (SessionEvent) async -> Void) async
    /// Notes that the session is no longer served: no frame arrives, and no work is performed.
    func sessionEnded() async
}

extension CaptureOutput {
    var capturesUnderWay: [CaptureKey] { [] }
    var needsStream: Bool { false }
    var nextInstant: LocalTime? { nil }
    func describe(_ condition: inout SessionCondition) {}
    func streamOpened() async {}
    func receive(_ frame: RingFrame, from stream: OpenStream) {}
    func streamIsBack(with frame: RingFrame) -> [SessionEvent] { [] }
    func update() async {}
    func streamWillClose() async {}
    func streamClosed(_ stream: OpenStream) {}
    func interrupted(by interruption: Interruption) {}
    func framesLost(because reason: String) async {}
    func followed(_ event: SessionMachine.Event, from before: SessionMachine.FormatSwitch?) {}
    func deviceExchanged() {}
    func perform(_ key: CaptureKey, telling tell: @escaping @Sendable (SessionEvent) async -> Void) async {}
    func sessionEnded() async {}
}

/// Work requested by outputs, until the session performs it. Bounded by the captures in progress.
struct OutputWork: Sendable {
    struct Item: Sendable {
        let key: CaptureKey
        let output: ObjectIdentifier
    }

    /// For one reader.
    let items: AsyncStream<Item>
    private let continuation: AsyncStream<Item>.Continuation

    init() {
        (items, continuation) = AsyncStream.makeStream(of: Item.self)
    }

    func add(_ key: CaptureKey, _ output: ObjectIdentifier) {
        continuation.yield(Item(key: key, output: output))
    }
}
