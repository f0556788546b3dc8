import CaptureModel
import CaptureTestSupport
import Movies
import PosixSupport
import Sound
import Spool

@testable import CaptureEngine

/// Keeps what a session tells, in order, and lets a test wait for it.
final class SessionRecorder: Sendable {
    private let told = Observed<[SessionEvent]>([])

    var events: [SessionEvent] { told.value }

    /// The states the device went through.
    var states: [DeviceCondition.State] {
        events.compactMap { event in
            if case .conditionChanged(_, let condition) = event { condition.state } else { nil }
        }
    }

    /// The changes of the scene that were told.
    var sceneChanges: [SceneChange] {
        events.compactMap { event in
            if case .sceneChanged(_, let change) = event { change } else { nil }
        }
    }

    func record(_ event: SessionEvent) {
        told.change { $0.append(event) }
    }

    /// What the session told of itself, once it has told so much.
    func notices(_ count: Int) async -> [SessionNotice] {
        await told.wait { Self.notices(in: $0).count >= count }
        return Self.notices(in: events)
    }

    private static func notices(in events: [SessionEvent]) -> [SessionNotice] {
        events.compactMap { event in
            if case .session(_, let notice) = event { notice } else { nil }
        }
    }

    /// How long the stream was away for captures, and for which.
    var gaps: [(key: CaptureKey, gap: StreamGap)] {
        events.compactMap { event in
            if case .streamGap(let key, let gap) = event { (key, gap) } else { nil }
        }
    }

    /// What a capture has come to be, each time a file that it owed was there or had failed.
    func growth(of key: CaptureKey) -> [CaptureReport] {
        events.compactMap { event in
            if case .captureGrew(let report) = event, report.key == key { report } else { nil }
        }
    }

    /// The life cycle of one capture.
    func steps(of key: CaptureKey) -> [LifeCycleStep] {
        Self.steps(of: key, in: events)
    }

    /// Returns when the capture has reached a step that fulfils the condition.
    func wait(for key: CaptureKey, _ isMeant: @escaping @Sendable (LifeCycleStep) -> Bool) async {
        await told.wait { Self.steps(of: key, in: $0).contains(where: isMeant) }
    }

    private static func steps(of key: CaptureKey, in events: [SessionEvent]) -> [LifeCycleStep] {
        events.compactMap { event in
            if case .lifeCycle(key, let step) = event { step } else { nil }
        }
    }
}

extension LifeCycleStep {
    /// The step without its details.
    var name: String {
        switch self {
        case .willBeginCapture: "willBegin"
        case .willCapturePhoto: "willCapture"
        case .didCapturePhoto: "didCapture"
        case .previewAvailable: "preview"
        case .didFinishProcessingPhoto: "didFinishProcessing"
        case .didFinishRecordingLivePhotoMovie: "didFinishRecordingMovie"
        case .didFinishProcessingLivePhotoMovie: "didFinishProcessingMovie"
        case .didFinishCapture(nil): "didFinish"
        case .didFinishCapture(let problem?): "didFinish(\(problem.code.rawValue))"
        }
    }
}

extension CaptureEvents {
    /// Every step up to the end of the capture.
    func steps() async -> [LifeCycleStep] {
        var steps: [LifeCycleStep] = []
        for await event in self { steps.append(event.step) }
        return steps
    }
}

extension Spool {
    /// Returns behind whatever the spool's thread has been given to do.
    func pass() {}
}

/// What tests look at inside a session's outputs.
extension CaptureSession {
    /// Returns behind whatever the session's thread has been given to do.
    func pass() {}

    /// Whether a task arms the camera and waits for a frame.
    var isWaitingToArm: Bool { captures.list.isWaitingToArm }
    var sceneWatch: SceneWatch? { scene.watch }
    var livePhotosInProgress: Int { core.sessionCondition.livePhotosInProgress }
}

/// Keeps the clips that it is given, and writes a file for each; or fails.
final class ClipRecorder: ClipWriting {
    let obstacle: String?
    let written = Observed<[Clip]>([])
    let problem = Locked<RigProblem?>(nil)

    /// - Parameter obstacle: Why the machine cannot write any.
    init(obstacle: String? = nil) {
        self.obstacle = obstacle
    }

    func write(_ clip: Clip, to folder: Folder, as name: String) throws(RigProblem) {
        do throws(PosixError) {
            try folder.write(clip.movie.frames.map(\.jpeg), to: name)
        } catch {
            throw RigProblem(.inputOutput, "\(error)")
        }
        if let problem = problem.withLock({ $0 }) { throw problem }
        written.change { $0.append(clip) }
    }
}

/// A microphone that has the same sound for every window.
final class Tone: ClipSoundSource {
    static let sound = MovieSound(samples: [1, 0, 2, 0], sampleRate: 48_000, channelCount: 1)
    let asked = Observed<[ClosedRange<LocalTime>]>([])
    let trouble = Locked<String?>(nil)

    let heard = Observed(ClipSound(sound: Tone.sound, silences: []))
    /// While it is set, who asks waits until it is let go.
    let isHeld = Observed(false)
    let waiting = Observed(0)
    let release = Observed(false)

    func silence() async -> String? {
        if isHeld.value {
            waiting.change { $0 += 1 }
            await release.wait { $0 }
        }
        return trouble.withLock { $0 }
    }

    func bytesPerSecond() async -> Int { 96_000 }

    func clipSound(in window: ClosedRange<LocalTime>) async -> ClipSound {
        asked.change { $0.append(window) }
        return heard.value
    }
}
