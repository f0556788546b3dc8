/// One camera's part of a shot, with its outcome.
public struct Capture: Hashable, Sendable {
    /// The camera as the roster described it when the shot was accepted.
    public var device: DeviceDescription
    public var phase: Phase
    /// Why the capture was missed or failed.
    public var problem: RigProblem?
    public var resolved: ResolvedPhotoSettings?
    public var timing: FrameTiming?
    /// How long the camera's stream was interrupted for the still; nil if the still is a frame of the stream.
    public var streamGap: StreamGap?
    /// The frames of its clip, once the node has reported them.
    public var clip: ClipTiming?
    /// The result of its recording, once the node has reported it.
    public var movie: RecordedMovie?
    /// A sentence that says why no raw file is expected, if the shot asks for one from cameras that have it enabled.
    public var rawNote: String?
    /// What its node has claimed and the coordinator does not believe; empty if it believes everything.
    public var doubts: [DoubtedClaim] = []
    /// The limits of its shot that its picture exceeds; empty if it keeps them all, or there are none.
    public var exceeds: [TimingLimits.Limit] = []
    /// One entry per expected file, so that an absence is an outcome. All are known from the start, except a clip that
    /// is requested only from cameras that have it enabled. It is added with the resolved settings.
    public var files: [CapturedFile]

    /// The progress of the capture. Only the last four are outcomes.
    public enum Phase: String, Hashable, Codable, Sendable, CaseIterable {
        /// Not armed: the prepare message has not been answered.
        case preparing
        /// The node has pinned the frames of the window.
        case armed
        /// The frame is chosen and is in the node's spool, or is the first of a recording. Its files are being made or collected.
        case captured
        /// Every file is durable in the library.
        case done
        /// Its photo is durable in the library, but a companion file was lost or is less than was requested; the files
        /// say which and why. Or its movie is durable, but ended early. Or its node has claimed of it what cannot be true;
        /// `doubts` say what.
        case partial
        /// There is no frame at T: the camera was not present, was not ready, or did not deliver.
        case missed
        /// There was a frame, but a still of it was lost; the files say which and why.
        case failed
    }

    public init(device: DeviceDescription, kinds: [AssetKind] = [.photo]) {
        self.device = device
        self.phase = .preparing
        self.files = kinds.map { CapturedFile(kind: $0) }
    }

    /// Whether the capture has an outcome.
    public var isSettled: Bool {
        switch phase {
        case .preparing, .armed, .captured: false
        case .done, .partial, .missed, .failed: true
        }
    }
}
