import CaptureModel

/// A shot of each kind. What each is written as lies in `Manifests/`, under the name of its case.
enum SampleShots: String, CaseIterable, CustomStringConvertible {
    case open, still, late, missed, failed, bracket, raw, largerStill, livePhoto, motionPhoto, recording, take,
        everything

    struct Malformed: Error {}

    var description: String { rawValue }

    func shot() throws -> Shot {
        switch self {
        case .open: try Self.settled(request: ShotRequest(selection: Selection()), [Self.camera("n1/cam1")], as: .open)
        case .still: try Self.stills
        case .late: try Self.lateStill
        case .missed: try Self.missedStill
        case .failed: try Self.failedStill
        case .bracket: try Self.bracketShot
        case .raw: try Self.rawShot
        case .largerStill: try Self.shotBeyondTheStream
        case .livePhoto: try Self.live(motionPhoto: nil)
        case .motionPhoto: try Self.live(motionPhoto: true)
        case .recording: try Self.recordingTake
        case .take: try Self.settledTake
        case .everything: try Self.shotWithEverything
        }
    }

    static let time = RigTime(nanoseconds: 9_007_199_254_740_993)

    static func problem(_ code: CaptureProblem.Code) -> CaptureProblem {
        CaptureProblem(code, "n1/cam1 says \"no\" / öäü\n")
    }

    static let format = VideoFormat(
        pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .nanoseconds(33_366_667))

    static let timing = FrameTiming(
        sequence: .max, localMidExposure: LocalTime(nanoseconds: .min),
        midExposure: BoundedRigTime(time: time + .milliseconds(1), bound: .microseconds(120)),
        skewNanoseconds: -1_234_567, exposureNanoseconds: 10_000_000, dequeued: RigTime(nanoseconds: .max))

    static var resolved: ResolvedPhotoSettings {
        ResolvedPhotoSettings(
            width: 640, height: 360, streamFormat: format, isCameraEncoded: true, orientation: .degrees0)
    }

    /// A camera of which nothing is known yet.
    static func camera(_ id: String, kinds: [AssetKind] = [.photo]) throws -> Capture {
        Capture(
            device: DeviceDescription(
                id: try DeviceID(id), type: .wide, position: Position(rawValue: "left"), labels: ["set", "A"],
                purpose: "overview / door", driver: "virtual"),
            kinds: kinds)
    }

    /// A camera whose files are in the library.
    static func done(_ id: String, kinds: [AssetKind] = [.photo]) throws -> Capture {
        var capture = try camera(id, kinds: kinds)
        capture.phase = .done
        capture.resolved = resolved
        capture.timing = timing
        for index in capture.files.indices { try store(&capture.files[index], of: capture.device.id) }
        return capture
    }

    static func store(_ file: inout CapturedFile, of device: DeviceID) throws {
        guard let digest = ContentDigest(bytes: (0..<32).map { UInt8($0 * 8) }) else { throw Malformed() }
        file.outcome = .done
        file.path = "\(device.folderName)/\(file.kind.fileName)"
        file.byteCount = 9_007_199_254_740_995
        file.digest = digest
        file.storedAt = time + .milliseconds(210)
    }

    static func settled(request: ShotRequest, _ captures: [Capture], as status: Shot.Status = .complete) throws -> Shot
    {
        guard let id = ShotID("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50"), let epoch = Epoch(rawValue: 0xAB) else {
            throw Malformed()
        }
        var shot = Shot(
            id: id, time: time, rigClock: RigClockID(rawValue: "40fa173e.4026532185.0.0"),
            wallClock: WallClockPair(monotonic: time - .seconds(1), realtimeNanoseconds: 1_795_256_143_250_000_000),
            coordinatorEpoch: epoch, request: request, captures: captures)
        shot.status = status
        shot.revision = 3
        if status != .open { shot.settledAt = time + .milliseconds(250) }
        return shot
    }
}
