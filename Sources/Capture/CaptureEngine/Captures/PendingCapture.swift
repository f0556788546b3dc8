import CameraKit
import CaptureModel
import Spool

/// A capture from its arming to its end, or until another output continues it: a Live Photo's clip, or a movie.
struct PendingCapture {
    /// The progress of the capture.
    enum Stage {
        /// It waits for the order to choose its frame, and expires.
        case armed
        /// The order has arrived. Its frames are awaited.
        case fired
        /// Its frames are chosen, and its files are being made.
        case chosen
    }

    let order: CaptureOrder
    var resolved: ResolvedPhotoSettings
    /// The camera settings for the capture; nil if they are left unchanged.
    let plan: CapturePlan?
    /// The format switch of the camera for the capture, with its outcome; nil if the still is a frame of the stream.
    var formatSwitch: PhotoFormatSwitch?
    /// The plan for its clip; nil if it has none.
    let clip: ClipPlan?
    let reservation: SpoolReservation
    /// Its exposure, of a camera that exposes at given instants; otherwise nil.
    let picture: ScheduledPicture?
    /// The receiver of this capture's steps, in addition to the session's observer.
    let sender: CaptureEventSender?
    var stage = Stage.armed
    /// Rings when a frame may have arrived, or will not; nil before a task waits for one. For a format switch, a task
    /// may wait before the capture is fired.
    var alarm: Alarm?
    /// The steps that the capture has reached.
    var lifeCycle = CaptureLifeCycle()
    /// When its recording ends, if that is already known.
    var stop: RigTime?
    /// When and why the stream was interrupted after the capture was armed: the first time within the window of its
    /// clip, otherwise the last time.
    private(set) var interruption: Interruption?
    /// Whether its frames were given up, so that it can only end.
    var hasLostFrames = false

    init(
        _ order: CaptureOrder, _ resolved: ResolvedCapture, _ reservation: SpoolReservation, sender: CaptureEventSender?
    ) {
        self.order = order
        self.resolved = resolved.settings
        plan = resolved.plan
        formatSwitch = resolved.formatSwitch
        clip = resolved.clip
        picture = resolved.picture
        self.reservation = reservation
        self.sender = sender
    }

    /// Notes that the stream was interrupted.
    mutating func note(_ interruption: Interruption) {
        if let known = self.interruption, clip?.window.contains(known.began) == true { return }
        self.interruption = interruption
    }

    /// Whether the order to choose the frame has arrived.
    var isFired: Bool { stage != .armed }
    var isChosen: Bool { stage == .chosen }
    /// Whether the capture has the camera for itself.
    var hasCamera: Bool { plan != nil || formatSwitch != nil }
    /// Whether its format switch has not been made yet.
    var awaitsFormatSwitch: Bool { formatSwitch.map { $0.outcome == nil } ?? false }
}

/// The requests that the session accepts in its present state.
extension PendingCaptures {
    func describe(_ condition: inout SessionCondition) {
        condition.readiness = readiness
        condition.livePhotosInProgress += list.clipCount
        condition.abilities.photo = photoAbility
        condition.abilities.record = movies.ability(isArmed: list.isMovieArmed)
        condition.abilities.largerPhoto = largerPhotoAbility
        condition.abilities.raw = rawAbility
        condition.abilities.flash = flashAbility
        condition.largerPhoto = largerPhoto
        condition.hasRaw = hasRaw
    }

    /// Whether a capture has the camera for itself.
    var isCameraTaken: Bool { session.machine.formatSwitch != nil || list.isCameraTaken }

    /// Whether the camera streams, and nothing has its controls.
    var isCameraUntouched: Bool {
        controls.refocusing.underWay == nil && session.isRunning && session.stream?.purpose == .session
            && controls.transactions.active == nil && !isCameraTaken && controls.areAsFound
    }

    private var readiness: CaptureReadiness {
        guard session.isRunning || session.machine.formatSwitch != nil else { return .notRunning }
        guard !isCameraTaken else { return .busy }
        if shortage(newestByteCount) != nil { return .busy }
        if list.isFrameAwaited { return .waitingForCapture }
        return list.isProcessing ? .waitingForProcessing : .ready
    }

    private var photoAbility: SessionAbilities.Ability {
        guard session.isRunning else { return .refused(session.stateDescription) }
        guard session.setup.isEnabled(.photo) else {
            return .refused("photos are supported but not enabled: the connection to that output is disabled")
        }
        if session.stream?.format.pixelFormat.family.isMosaic == true, let obstacle = developer.obstacle {
            return .refused(obstacle)
        }
        if isCameraTaken { return .refused("a capture that cannot overlap with others is under way") }
        if let reopening = controls.reopeningInProgress { return .refused(reopening.message) }
        if let shortage = session.spool.lastUsage?.shortage(of: photoByteCount) { return .refused(shortage) }
        return shortage(newestByteCount).map { .refused($0) } ?? .allowed
    }

    private var largerPhotoAbility: SessionAbilities.Ability {
        guard session.isRunning else { return .refused(session.stateDescription) }
        guard session.setup.input.maxPhotoDimensions != nil else {
            return .refused("not enabled: set `maxPhotoDimensions` in the device's configuration")
        }
        guard session.knowledge.offers != nil else { return .refused("the device's formats are not known yet") }
        guard largerPhoto != nil else {
            return .refused("not supported: the device offers nothing larger within `maxPhotoDimensions`")
        }
        return session.isStreamNeeded
            ? .refused("captures are under way, and it cannot overlap with them") : photoAbility
    }

    private var rawAbility: SessionAbilities.Ability {
        guard let format = session.stream?.format, session.isRunning else { return .refused(session.stateDescription) }
        if let reason = rawRefusal(of: format) { return .refused(reason) }
        return photoAbility
    }

    private var flashAbility: SessionAbilities.Ability {
        guard session.isRunning else { return .refused(session.stateDescription) }
        guard let light = controls.light else { return .refused("the device's controls are not known yet") }
        guard light.isAllowed else { return light }
        return session.isStreamNeeded
            ? .refused("captures are under way, and it cannot overlap with them") : photoAbility
    }

    // MARK: Room

    private var newestByteCount: Int {
        session.stills?.byteCount.photo ?? scheduledByteCount ?? session.ring.newest?.byteCount ?? 0
    }

    /// Bytes reserved for a still of the stream.
    var photoByteCount: Int64 {
        Self.photoByteCount(ofFrame: photoSource(newestByteCount, session.stream?.format))
    }

    /// Returns the bytes reserved for a still of a frame of `byteCount` bytes: half as much again, and its metadata.
    static func photoByteCount(ofFrame byteCount: Int) -> Int64 { Int64(byteCount) * 3 / 2 + 65_536 }

    /// Returns the bytes from which files are made: a mosaic's samples, unpacked, or the frame itself.
    func photoSource(_ frameByteCount: Int, _ format: VideoFormat?) -> Int {
        guard let format, format.pixelFormat.family.isMosaic else { return frameByteCount }
        return max(frameByteCount, format.width * format.height * 2)
    }

    /// Returns the bytes of the newest frame, scaled to the still's number of pixels; those of a mosaic for which the camera leaves its
    /// stream; of a camera without frames, those of its files.
    func frameByteCount(of resolved: ResolvedPhotoSettings) -> Int {
        if let files = session.stills?.byteCount {
            return files.photo + (resolved.raw == .cameraFile ? files.raw : 0)
        }
        if let photo = resolved.photoFormat, photo.pixelFormat.family.isMosaic,
            let byteCount = photo.pixelFormat.byteCount(width: photo.width, height: photo.height)
        {
            return byteCount
        }
        let stream = PixelSize(width: resolved.streamFormat.width, height: resolved.streamFormat.height)
        let enlargement = Double(resolved.size.pixelCount) / Double(max(stream.pixelCount, 1))
        return Int(Double(newestByteCount) * enlargement)
    }

    /// Returns the limit that one more capture with frames of this size would exceed; nil if there is room. Five frames
    /// of each photo must fit into the ring.
    /// - Parameter key: The capture, if it is already claimed.
    func shortage(_ frameByteCount: Int, of key: CaptureKey? = nil) -> String? {
        let others = list.count(besides: key)
        guard others < Self.limit else {
            return "\(Self.limit) captures are under way, which is the limit of a camera; wait for one to end"
        }
        // A camera without frames keeps one picture for each.
        let frames = session.hasFrames ? 5 : 1
        return (others + 1) * frames * frameByteCount <= session.ring.byteLimit ? nil : ringShortage
    }

    private var ringShortage: String {
        "the camera's ring of \(session.ring.byteLimit) bytes has no room for the frames of another shot; wait for one to end, or "
            + "raise `ring.memory`"
    }

    /// Checks in addition that all pinned frames fit, including this capture's, if its frames have the mean size.
    func checkRoom(_ frameByteCount: Int, of key: CaptureKey) throws(RigProblem) {
        let pinned = Int(session.ring.pinnedTime() / max(session.interval, .milliseconds(1)))
        let isRingFull = pinned * session.ring.meanByteCount > session.ring.byteLimit
        guard let shortage = shortage(frameByteCount, of: key) ?? (isRingFull ? ringShortage : nil) else { return }
        throw RigProblem(.noMemory, "\(device.id): \(shortage)")
    }
}

/// An order in the form in which it can be carried out.
struct ResolvedCapture: Sendable {
    var settings: ResolvedPhotoSettings
    /// The camera settings for the capture; nil if they are left unchanged.
    var plan: CapturePlan?
    /// The format switch of the camera for the capture; nil if the still is a frame of the stream.
    var formatSwitch: PhotoFormatSwitch?
    /// The plan for its clip; nil if it has none.
    var clip: ClipPlan?
    /// Its exposure, of a camera that exposes at given instants; nil before it is armed.
    var picture: ScheduledPicture?

    /// Whether the capture needs the camera for itself.
    var needsCamera: Bool { plan != nil || formatSwitch != nil }
}
