public import CaptureModel

/// The life cycle of one capture: facts in, steps out, each at most once and in order, whatever the order of the facts.
///
/// | fact | planned | begun | capturing | captured | ended |
/// |---|---|---|---|---|---|
/// | armed | willBeginCapture → begun | – | – | – | – |
/// | fired | – | willCapturePhoto → capturing | – | – | – |
/// | frameChosen | – | – | didCapturePhoto → captured | – | – |
/// | previewMade | – | – | – | previewAvailable, once, and before every didFinishProcessingPhoto | – |
/// | fileStored | – | – | – | didFinishProcessingPhoto, once for each kind | – |
/// | movieRecorded | – | – | – | didFinishRecordingLivePhotoMovie, once | – |
/// | movieStored | – | – | – | didFinishProcessingLivePhotoMovie, once, and after movieRecorded | – |
/// | ended | – | didFinishCapture → ended | the same | the same | – |
///
/// `–` means no step and no change.
struct CaptureLifeCycle: Hashable, Sendable {
    /// A fact about the capture.
    enum Fact: Hashable, Sendable {
        case armed(ResolvedPhotoSettings)
        case fired
        case frameChosen(FrameTiming)
        case previewMade(PreviewPhoto)
        case fileStored(SpooledFile)
        case movieRecorded
        case movieStored(LivePhotoMovieFile)
        case ended(RigProblem?)
    }

    private enum Stage: Hashable {
        case planned, begun, capturing, captured, ended
    }

    /// The largest number of steps in a life cycle: the seven that occur once, and one for each kind of file.
    static let stepLimit = 7 + AssetKind.allCases.count

    private var stage = Stage.planned
    private var hasPreview = false
    private var processed: Set<AssetKind> = []
    private var hasMovie = false
    private var hasMovieFile = false

    mutating func handle(_ fact: Fact) -> [LifeCycleStep] {
        switch (fact, stage) {
        case (.armed(let resolved), .planned):
            stage = .begun
            return [.willBeginCapture(resolved)]
        case (.fired, .begun):
            stage = .capturing
            return [.willCapturePhoto]
        case (.frameChosen(let timing), .capturing):
            stage = .captured
            return [.didCapturePhoto(timing)]
        case (.previewMade(let preview), .captured) where !hasPreview && processed.isEmpty:
            hasPreview = true
            return [.previewAvailable(preview)]
        case (.fileStored(let file), .captured):
            return processed.insert(file.kind).inserted ? [.didFinishProcessingPhoto(file)] : []
        case (.movieRecorded, .captured) where !hasMovie:
            hasMovie = true
            return [.didFinishRecordingLivePhotoMovie]
        case (.movieStored(let file), .captured) where hasMovie && !hasMovieFile:
            hasMovieFile = true
            return [.didFinishProcessingLivePhotoMovie(file)]
        case (.ended(let problem), .begun), (.ended(let problem), .capturing), (.ended(let problem), .captured):
            stage = .ended
            return [.didFinishCapture(problem)]
        default:
            return []
        }
    }
}

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
/// For one reader. It holds as many events as a life cycle has steps, so a late reader loses none. The capture
/// continues whether it is read or not.
public struct CaptureEvents: AsyncSequence, Sendable {
    public typealias Element = CaptureEvent
    public typealias Failure = Never

    /// The capture of all events.
    public let id: CaptureKey
    private let stream: AsyncStream<CaptureEvent>
    let sender: CaptureEventSender

    init(id: CaptureKey) {
        self.id = id
        let (stream, continuation) = AsyncStream.makeStream(
            of: CaptureEvent.self, bufferingPolicy: .bufferingOldest(CaptureLifeCycle.stepLimit))
        self.stream = stream
        sender = CaptureEventSender(id: id, continuation: continuation)
    }

    public func makeAsyncIterator() -> AsyncStream<CaptureEvent>.AsyncIterator {
        stream.makeAsyncIterator()
    }
}

/// The writing end of ``CaptureEvents``.
struct CaptureEventSender: Sendable {
    let id: CaptureKey
    let continuation: AsyncStream<CaptureEvent>.Continuation

    /// Sends a step. The last one ends the sequence.
    func send(_ step: LifeCycleStep) {
        continuation.yield(CaptureEvent(id: id, step: step))
        if case .didFinishCapture = step { continuation.finish() }
    }
}

/// The steps of a capture, in AVFoundation's words (`AVCapturePhotoCaptureDelegate`), in their order.
public enum LifeCycleStep: Hashable, Sendable {
    /// The frames are pinned and the settings resolved.
    case willBeginCapture(ResolvedPhotoSettings)
    /// The frame of T is about to be exposed, or to be chosen if T has passed.
    case willCapturePhoto
    /// The frame is chosen.
    case didCapturePhoto(FrameTiming)
    /// A small picture is available, before any file is durable. Only if the settings request one.
    case previewAvailable(PreviewPhoto)
    /// A file of the capture is durable in the spool: the still, or its preview.
    case didFinishProcessingPhoto(SpooledFile)
    /// The last frame of the clip has arrived. Only for a Live Photo.
    case didFinishRecordingLivePhotoMovie
    /// The clip is durable in the spool.
    case didFinishProcessingLivePhotoMovie(LivePhotoMovieFile)
    /// The capture is over; nothing follows. Exactly one per `willBeginCapture`.
    case didFinishCapture(RigProblem?)
}
