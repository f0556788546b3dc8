/// One camera's part of a shot, with its outcome.
public struct Capture: Hashable, Codable, Sendable {
    /// The camera as the roster knew it when the shot was taken on.
    public var device: DeviceDescription
    public var phase: Phase
    /// Why the capture was missed or failed.
    public var problem: CaptureProblem?
    public var resolved: ResolvedPhotoSettings?
    public var timing: FrameTiming?
    /// How long the camera's stream was away for the still; nil where it is a frame of the stream.
    public var streamGap: StreamGap?
    /// One entry per expected file; known in full from the start, so that an absence is an outcome.
    public var files: [CapturedFile]

    /// How far the capture has come. Only the last three are outcomes.
    public enum Phase: String, Hashable, Codable, Sendable, CaseIterable {
        /// Not armed: prepare has not been answered.
        case preparing
        /// The node has pinned the frames of the window.
        case armed
        /// The frame is chosen and lies in the node's spool; its files are being collected.
        case captured
        /// Every file is durable in the library.
        case done
        /// There is no frame of T: the camera was not there, not ready, or did not deliver.
        case missed
        /// There was a frame, and a file of it was lost; the files say which and why.
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
        case .done, .missed, .failed: true
        }
    }
}

/// One file of a capture, with its outcome.
public struct CapturedFile: Hashable, Codable, Sendable {
    public var kind: AssetKind
    public var outcome: Outcome
    public var problem: CaptureProblem?
    /// Path inside the shot's folder, once stored.
    public var path: String?
    public var byteCount: Int64?
    public var digest: ContentDigest?
    /// Rig time at which the file was durable in the library.
    public var storedAt: RigTime?

    public enum Outcome: String, Hashable, Codable, Sendable, CaseIterable {
        /// No outcome yet.
        case pending
        /// Durable in the library before the shot was answered.
        case done
        /// Durable in the library after the shot had been answered without it.
        case late
        /// There is no such file, because there is no frame.
        case missed
        /// The file was made and lost; the problem says why.
        case failed
    }

    public init(kind: AssetKind) {
        self.kind = kind
        self.outcome = .pending
    }
}
