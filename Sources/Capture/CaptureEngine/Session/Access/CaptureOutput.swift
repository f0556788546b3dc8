import CaptureModel

/// A use of a session's frames, with state of its own: photos, Live Photos, movies, live pictures, changes of the scene.
///
/// A session calls its outputs on its own thread, in the order in which it has them; none is `Sendable`, so the compiler keeps
/// other threads off. What an output asks of its session is in ``SessionAccess``. A requirement has an implementation that
/// does nothing where an output has no use for it.
protocol CaptureOutput: AnyObject {
    /// Captures of the output that have no outcome yet, or owe a file.
    var capturesUnderWay: [CaptureKey] { get }
    /// Whether the output still waits for frames, which only the stream as it is can give.
    var needsStream: Bool { get }
    /// When the output has something to do that no frame tells; nil for never.
    var nextInstant: LocalTime? { get }
    /// Puts into a session's condition what the output can be asked for. Those of earlier outputs are there.
    func describe(_ condition: inout SessionCondition)

    /// A stream was opened, whose frames are still to come.
    func streamOpened() async
    /// The ring has a further frame.
    func receive(_ frame: RingFrame, from stream: OpenStream)
    /// The first frame of the session's format has come after an interruption.
    /// - Returns: What is to be told after the session is told to run.
    func streamIsBack(with frame: RingFrame) -> [SessionEvent]
    /// A frame was dealt with, or an instant has come that the output has waited for.
    func update() async
    /// The stream is about to be closed; its controls can still be set.
    func streamWillClose() async
    /// The stream was closed; what the ring has is still there.
    func streamClosed(_ stream: OpenStream)
    /// No frames come from here on: the stream was closed, or nothing ran for a while.
    func interrupted(by interruption: Interruption)
    /// The ring was emptied: what it had has no rig time any more.
    func framesLost(because reason: String) async
    /// The state machine has taken an event.
    func followed(_ event: SessionMachine.Event, from before: SessionMachine.FormatSwitch?)
    /// Another camera has become the session's input.
    func deviceExchanged()
    /// Does what ``SessionAccess/start(_:for:)`` was asked for, in a task of its own.
    /// - Parameter tell: Tells events from where the output's own state is out of reach.
    func perform(_ key: CaptureKey, telling tell: @escaping @Sendable (SessionEvent) async -> Void) async
    /// Nobody serves the session any more: no frame comes, and nothing is performed.
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
