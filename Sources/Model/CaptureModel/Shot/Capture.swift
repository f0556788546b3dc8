/// One camera's part of a shot, with its outcome.
public struct Capture: Hashable, Sendable {
    /// The camera as the roster knew it when the shot was taken on.
    public var device: DeviceDescription
    public var phase: Phase
    /// Why the capture was missed or failed.
    public var problem: CaptureProblem?
    public var resolved: ResolvedPhotoSettings?
    public var timing: FrameTiming?
    /// How long the camera's stream was away for the still; nil where it is a frame of the stream.
    public var streamGap: StreamGap?
    /// The frames of its clip, once the node has told of them.
    public var clip: ClipTiming?
    /// What has become of its recording, once the node has told.
    public var movie: RecordedMovie?
    /// Why no raw file is expected of it, where the shot asks for one of cameras that have it enabled; a sentence.
    public var rawNote: String?
    /// One entry per expected file, so that an absence is an outcome; known in full from the start, but for a clip that is
    /// only asked for where it is enabled, which joins them with the resolved settings.
    public var files: [CapturedFile]

    /// How far the capture has come. Only the last four are outcomes.
    public enum Phase: String, Hashable, Codable, Sendable, CaseIterable {
        /// Not armed: prepare has not been answered.
        case preparing
        /// The node has pinned the frames of the window.
        case armed
        /// The frame is chosen and lies in the node's spool, or is the first of a recording; its files are being made or collected.
        case captured
        /// Every file is durable in the library.
        case done
        /// Its photo is durable in the library, and a file that goes with it was lost or is less than what was asked for; the
        /// files say which and why. Or its movie is, and ended before its time.
        case partial
        /// There is no frame of T: the camera was not there, not ready, or did not deliver.
        case missed
        /// There was a frame, and a still of it was lost; the files say which and why.
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
