/// A reader of bytes that somebody else has made: a peer, a file, a camera, a person.
///
/// A fuzzer calls ``run(_:)`` with bytes of its own; the replay test calls it with every file of the corpus. Each target
/// reads the bytes as the product does and checks what must hold of the result. A trap is a finding too.
enum FuzzTarget: String, CaseIterable {
    case agentConfiguration = "agent-configuration"
    case agentMessage = "agent-message"
    case cameraFile = "camera-file"
    case captureManifest = "capture-manifest"
    case clientReply = "client-reply"
    case clientRequest = "client-request"
    case clock
    case collect
    case collectQueue = "collect-queue"
    case commandLine = "command-line"
    case contexts
    case coordinatorConfiguration = "coordinator-configuration"
    case coordinatorMessage = "coordinator-message"
    case crashedRecording = "crashed-recording"
    case deviceEvent = "device-event"
    case eventJournal = "event-journal"
    case feed
    case frame
    case frameSidecar = "frame-sidecar"
    case heif
    case hold
    case jpeg
    case jpegPixels = "jpeg-pixels"
    case keyFile = "key-file"
    case motionPhoto = "motion-photo"
    case movie
    case recording
    case requestDocument = "request-document"
    case roster
    case settings
    case settingsFile = "settings-file"
    case settingsProfile = "settings-profile"
    case settingsTransactions = "settings-transactions"
    case shotManifest = "shot-manifest"
    case timeCode = "time-code"
    case v4l2Frame = "v4l2-frame"

    /// - Throws: ``FuzzFinding``; what the reader refuses is not a finding.
    func run(_ bytes: [UInt8]) throws {
        switch self {
        case .agentConfiguration: try ConfigurationFuzz.agent(bytes)
        case .agentMessage: try AgentMessageFuzz.run(bytes)
        case .cameraFile: try SettingsFuzz.cameraFile(bytes)
        case .captureManifest: try CaptureManifestFuzz.run(bytes)
        case .clientReply: try ClientReplyFuzz.run(bytes)
        case .clientRequest: try ClientRequestFuzz.run(bytes)
        case .clock: try ClockFuzz.run(bytes)
        case .collect: try CollectFuzz.run(bytes)
        case .collectQueue: try CollectQueueFuzz.run(bytes)
        case .commandLine: try CommandLineFuzz.run(bytes)
        case .contexts: try ContextsFuzz.run(bytes)
        case .coordinatorConfiguration: try ConfigurationFuzz.coordinator(bytes)
        case .coordinatorMessage: try CoordinatorMessageFuzz.run(bytes)
        case .crashedRecording: try CrashedRecordingFuzz.run(bytes)
        case .deviceEvent: try DeviceEventFuzz.run(bytes)
        case .eventJournal: try EventJournalFuzz.run(bytes)
        case .feed: try FeedFuzz.run(bytes)
        case .frame: try FrameFuzz.run(bytes)
        case .frameSidecar: try FrameSidecarFuzz.run(bytes)
        case .heif: try HEIFFuzz.run(bytes)
        case .hold: try HoldFuzz.run(bytes)
        case .jpeg: try JPEGFuzz.run(bytes)
        case .jpegPixels: try JPEGPixelsFuzz.run(bytes)
        case .keyFile: try KeyFileFuzz.run(bytes)
        case .motionPhoto: try MotionPhotoFuzz.run(bytes)
        case .movie: try MovieFuzz.run(bytes)
        case .recording: try RecordingFuzz.run(bytes)
        case .requestDocument: try RequestDocumentFuzz.run(bytes)
        case .roster: try RosterFuzz.run(bytes)
        case .settings: try SettingsFuzz.text(bytes)
        case .settingsFile: try SettingsFuzz.file(bytes)
        case .settingsProfile: try ProfileFuzz.run(bytes)
        case .settingsTransactions: try SettingsTransactionsFuzz.run(bytes)
        case .shotManifest: try ShotManifestFuzz.run(bytes)
        case .timeCode: try TimeCodeFuzz.run(bytes)
        case .v4l2Frame: try V4L2FrameFuzz.run(bytes)
        }
    }
}
