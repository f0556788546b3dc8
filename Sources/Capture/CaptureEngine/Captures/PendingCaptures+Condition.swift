import CameraKit
import CaptureModel
import Spool

/// What can be asked for as the session stands.
extension PendingCaptures {
    func describe(_ condition: inout SessionCondition) {
        condition.readiness = readiness
        condition.livePhotosInProgress += pending.values.count { $0.clip != nil }
        condition.abilities.photo = photoAbility
        condition.abilities.record = movies.ability(isArmed: isMovieArmed)
        condition.abilities.largerPhoto = largerPhotoAbility
        condition.abilities.raw = rawAbility
        condition.largerPhoto = largerPhoto
        condition.hasRaw = hasRaw
    }

    /// Whether some capture has the camera for itself.
    var isCameraTaken: Bool {
        session.machine.formatSwitch != nil || pending.values.contains(where: \.hasCamera)
            || claims.values.contains(where: \.hasCamera)
    }

    private var readiness: CaptureReadiness {
        guard session.isRunning || session.machine.formatSwitch != nil else { return .notRunning }
        guard !isCameraTaken else { return .busy }
        if shortage(newestByteCount) != nil { return .busy }
        if pending.values.contains(where: { $0.isFired && !$0.isChosen }) { return .waitingForCapture }
        return pending.values.contains(where: \.isChosen) ? .waitingForProcessing : .ready
    }

    private var photoAbility: SessionAbilities.Ability {
        guard session.isRunning else { return .refused(session.stateDescription) }
        guard session.setup.isEnabled(.photo) else {
            return .refused("photos are supported and not enabled: the connection to that output is not")
        }
        if isCameraTaken { return .refused("a capture that overlaps with none is under way") }
        if let shortage = session.spool.lastUsage?.shortage(of: photoByteCount) { return .refused(shortage) }
        return shortage(newestByteCount).map { .refused($0) } ?? .allowed
    }

    private var largerPhotoAbility: SessionAbilities.Ability {
        guard session.isRunning else { return .refused(session.stateDescription) }
        guard session.setup.input.maxPhotoDimensions != nil else {
            return .refused("not enabled: set `maxPhotoDimensions` in the device's configuration")
        }
        guard session.knowledge.offers != nil else { return .refused("what the device offers is not known yet") }
        guard largerPhoto != nil else {
            return .refused("not supported: the device offers nothing larger within `maxPhotoDimensions`")
        }
        return session.isStreamNeeded ? .refused("captures are under way, and it overlaps with none") : photoAbility
    }

    private var rawAbility: SessionAbilities.Ability {
        guard let format = session.stream?.format, session.isRunning else { return .refused(session.stateDescription) }
        if let reason = rawRefusal(of: format) { return .refused(reason) }
        return photoAbility
    }

    // MARK: Room

    private var newestByteCount: Int { session.ring.newest?.byteCount ?? 0 }

    /// Room that is set aside for a still of the stream.
    var photoByteCount: Int64 {
        Self.photoByteCount(ofFrame: photoSource(newestByteCount, session.stream?.format))
    }

    /// Room for a still made of a frame of `byteCount` bytes: half as much again, and its metadata.
    static func photoByteCount(ofFrame byteCount: Int) -> Int64 { Int64(byteCount) * 3 / 2 + 65_536 }

    /// Bytes of what files are made of: a mosaic's samples, unpacked, or the frame itself.
    func photoSource(_ frameByteCount: Int, _ format: VideoFormat?) -> Int {
        guard let format, format.pixelFormat.family.isMosaic else { return frameByteCount }
        return max(frameByteCount, format.width * format.height * 2)
    }

    /// Bytes of the newest frame, or what it would have with more pixels.
    func frameByteCount(of resolved: ResolvedPhotoSettings) -> Int {
        let stream = PixelSize(width: resolved.streamFormat.width, height: resolved.streamFormat.height)
        let enlargement = Double(resolved.size.pixelCount) / Double(max(stream.pixelCount, 1))
        return Int(Double(newestByteCount) * enlargement)
    }

    /// Which limit one more capture would be beyond, where its frames have so many bytes; nil where there is room. Five frames
    /// of each photo must fit into the ring.
    /// - Parameter key: The capture, where it is claimed already.
    func shortage(_ frameByteCount: Int, of key: CaptureKey? = nil) -> String? {
        let others = pending.count + claims.keys.count { $0 != key }
        guard others < Self.limit else {
            return "\(Self.limit) captures are under way, and more a camera cannot have; wait for one to end"
        }
        return (others + 1) * 5 * frameByteCount <= session.ring.byteLimit ? nil : ringShortage
    }

    private var ringShortage: String {
        "the camera's ring of \(session.ring.byteLimit) bytes has no room for the frames of another shot; wait for one to end, or "
            + "raise `ring.memory`"
    }

    /// Beside that, all that is pinned must fit, of this capture too, where its frames are as large as the mean.
    func checkRoom(_ frameByteCount: Int, of key: CaptureKey) throws(CaptureProblem) {
        let pinned = Int(session.ring.pinnedTime() / max(session.interval, .milliseconds(1)))
        let isRingFull = pinned * session.ring.meanByteCount > session.ring.byteLimit
        guard let shortage = shortage(frameByteCount, of: key) ?? (isRingFull ? ringShortage : nil) else { return }
        throw CaptureProblem(.noMemory, "\(device.id): \(shortage)")
    }
}
