import CaptureModel
import CaptureTestSupport
import RigWire
import Testing

extension SeededGenerator {
    mutating func shotID() -> ShotID {
        ShotID(unixMilliseconds: number(0...(1 << 47)), using: &self)
    }

    mutating func digest() throws -> ContentDigest {
        try #require(ContentDigest(bytes: (0..<32).map { _ in UInt8.random(in: 0...255, using: &self) }))
    }

    mutating func fileKey() throws -> FileKey {
        FileKey(capture: CaptureKey(shot: shotID(), device: try deviceID()), kind: try assetKind())
    }

    mutating func assetKind() throws -> AssetKind {
        let segment = try #require(SegmentNumber(Int(number(1...Int64(SegmentNumber.limit)))))
        return pick(
            AssetKind.allCases + AssetKind.ofRecording(segment) + [.cameraRaw(pick(CameraRawFormat.allCases))])
    }

    /// Settings that do not contradict each other.
    mutating func photoSettings() -> PhotoSettings {
        guard number(0...7) > 0 else { return PhotoSettings(movie: movieSettings()) }
        let raw = maybe { $0.pick(RawPhoto.allCases) }
        let bracket = raw == nil ? maybe { $0.list(1...5) { $0.bracketStep() } } : nil
        let livePhoto = maybe { $0.pick(LivePhotoRequest.allCases) }
        return PhotoSettings(
            quality: maybe { Int($0.number(1...100)) }, embedThumbnail: maybe { $0.pick(ThumbnailShape.allCases) },
            previewSize: maybe { Int($0.number(16...4096)) }, flash: maybe { $0.pick(FlashMode.allCases) },
            bracket: bracket, maxPhotoDimensions: maybe { $0.pixelSize() }, livePhoto: livePhoto,
            clipCodec: livePhoto == nil ? nil : maybe { $0.pick(ClipCodec.allCases) },
            motionPhoto: livePhoto == nil || raw == .only ? nil : maybe { Bool.random(using: &$0) },
            raw: raw, rawThumbnail: raw == nil ? nil : maybe { $0.rawThumbnail() },
            codec: raw == .only || bracket != nil ? maybe { _ in .jpeg } : maybe { $0.pick(PhotoCodec.allCases) })
    }

    private mutating func rawThumbnail() -> RawThumbnailFormat {
        number(0...3) == 0
            ? RawThumbnailFormat(codec: .none)
            : RawThumbnailFormat(longerSide: maybe { Int($0.number(16...4096)) })
    }

    mutating func resolvedSettings() -> ResolvedPhotoSettings {
        let larger = maybe { ($0.videoFormat(), $0.number(WireLimits.nonNegative)) }
        return ResolvedPhotoSettings(
            width: Int(number(WireLimits.pixels)), height: Int(number(WireLimits.pixels)), streamFormat: videoFormat(),
            isCameraEncoded: Bool.random(using: &self), orientation: pick(Orientation.allCases),
            mirrored: maybe { _ in true }, thumbnail: maybe { $0.pixelSize() }, preview: maybe { $0.pixelSize() },
            isFlashUsed: maybe { Bool.random(using: &$0) }, bracketCount: maybe { Int($0.number(1...5)) },
            photoFormat: larger?.0, expectedGapNanoseconds: larger?.1, livePhoto: maybe { $0.livePhotoMovie() },
            livePhotoNote: maybe { "a" + $0.sentence() },
            raw: maybe { $0.resolvedRaw() },
            rawProblem: maybe { RigProblem($0.pick(RigProblem.Code.allCases), "a" + $0.sentence()) },
            codec: maybe { $0.pick(PhotoCodec.allCases) },
            movie: maybe { generator in
                ResolvedMovie(hasSound: Bool.random(using: &generator), note: generator.maybe { "a" + $0.sentence() })
            })
    }

    private mutating func resolvedRaw() -> ResolvedRawPhoto {
        guard number(0...3) > 0 else { return .cameraFile }
        return .samples(
            ResolvedSamples(
                dimensions: pixelSize(), bits: Int(number(8...16)), embeddedThumbnail: maybe { $0.pixelSize() }))
    }

    /// Limits that do not ask for more files than a movie may have.
    mutating func movieSettings() -> MovieSettings {
        let segment = maybe { $0.number(1_000_000_000...900_000_000_000) }
        let size = maybe { $0.number(1_000_000...1 << 33) }
        return MovieSettings(
            maxRecordedDurationNanoseconds: maybe { $0.number(1...(segment ?? 900_000_000_000) * 90) },
            maxRecordedFileSize: maybe { $0.number(1...(size ?? 1 << 33) * 90) },
            minFreeDiskSpaceLimit: maybe { $0.number(0...1 << 50) }, segmentDurationNanoseconds: segment,
            segmentFileSize: size)
    }

    mutating func recordedMovie() -> RecordedMovie {
        RecordedMovie(
            frameCount: Int(number(0...1_000_000)), missingFrames: Int(number(0...1000)),
            droppedFrames: Int(number(0...1000)), durationNanoseconds: number(WireLimits.nonNegative),
            silenceNanoseconds: number(WireLimits.nonNegative), end: pick(RecordedMovie.End.allCases),
            problem: maybe { $0.problem() }, note: maybe { "a" + $0.sentence() },
            segmentCount: maybe { Int($0.number(1...Int64(SegmentNumber.limit))) },
            pace: maybe {
                FramePace(
                    intervalCount: Int($0.number(1...1_000_000)), spanNanoseconds: $0.number(WireLimits.nonNegative),
                    boundNanoseconds: $0.number(WireLimits.nonNegative))
            })
    }

    mutating func livePhotoMovie() -> LivePhotoMovie {
        LivePhotoMovie(
            dimensions: pixelSize(), preRollNanoseconds: number(WireLimits.nonNegative),
            postRollNanoseconds: number(WireLimits.nonNegative), hasSound: Bool.random(using: &self),
            codec: maybe { $0.pick(ClipCodec.allCases) }, motionPhoto: maybe { _ in true })
    }

    mutating func clipTiming() -> ClipTiming {
        var offsets: [Int64] = [0]
        for _ in 0..<number(0...200) { offsets.append(offsets[offsets.count - 1] + number(1...1_000_000_000)) }
        return ClipTiming(
            localStart: LocalTime(nanoseconds: number(Int64.min...Int64.max)), start: boundedTime(),
            frameOffsets: offsets, stillFrame: Int(number(0...Int64(offsets.count - 1))),
            durationNanoseconds: number(WireLimits.nonNegative), missingFrames: Int(number(0...1000)),
            silences: maybe { generator in (0..<Int(generator.number(1...32))).map { _ in generator.clipSilence() } },
            settings: (0..<Int(number(0...32))).map { _ in
                ClipSettings(startNanoseconds: number(WireLimits.nonNegative), settings: maybe { $0.frameSettings() })
            })
    }

    mutating func clipSilence() -> ClipSilence {
        ClipSilence(
            startNanoseconds: number(WireLimits.nonNegative), durationNanoseconds: number(WireLimits.nonNegative),
            cause: pick(ClipSilence.Cause.allCases))
    }

    mutating func bracketStep() -> BracketStep {
        BracketStep(
            exposureNanoseconds: maybe { $0.number(BracketStep.exposures) },
            gain: maybe { $0.number(BracketStep.gains) })
    }

    mutating func pixelSize() -> PixelSize {
        PixelSize(width: Int(number(WireLimits.pixels)), height: Int(number(WireLimits.pixels)))
    }

    mutating func boundedTime() -> BoundedRigTime {
        BoundedRigTime(
            time: RigTime(nanoseconds: number(Int64.min...Int64.max)), bound: .nanoseconds(number(0...Int64.max)))
    }

    mutating func timing() -> FrameTiming {
        let instant = boundedTime()
        return FrameTiming(
            sequence: UInt64(number(0...Int64.max)),
            localMidExposure: LocalTime(nanoseconds: number(Int64.min...Int64.max)), midExposure: instant,
            skewNanoseconds: number(Int64.min...Int64.max), exposureNanoseconds: maybe { $0.number(0...Int64.max) },
            dequeued: RigTime(nanoseconds: number(Int64.min...Int64.max)), settings: maybe { $0.frameSettings() },
            stampOrigin: maybe { $0.pick(StampOrigin.allCases) },
            sharedError: maybe { $0.sharedError(within: instant.bound) })
    }

    mutating func frameSettings() -> FrameSettings {
        number(0...1) == 0
            ? .inForce(settingsID()) : .changing(from: maybe { $0.settingsID() }, to: maybe { $0.settingsID() })
    }

    mutating func spooledFile() throws -> SpooledFile {
        SpooledFile(
            kind: try assetKind(), byteCount: number(1...WireLimits.fileByteCount), digest: try digest(),
            shortfall: maybe { $0.problem() })
    }

    mutating func captureReport() throws -> CaptureReport {
        var report = CaptureReport(
            key: CaptureKey(shot: shotID(), device: try deviceID()), resolved: resolvedSettings(), timing: timing(),
            files: [try spooledFile()], clip: maybe { $0.clipTiming() }, streamGap: maybe { $0.streamGap() },
            movie: maybe { $0.recordedMovie() })
        let other = AssetKind.allCases.filter { $0 != report.files[0].kind }
        switch number(0...3) {
        case 0: report.owed = [pick(other)]
        case 1: report.failed = [FailedFile(kind: pick(other), problem: problem())]
        case 2: (report.files, report.owed) = ([], [pick(other)])
        default: break
        }
        return report
    }

    mutating func streamGap() -> StreamGap {
        StreamGap(
            localStart: LocalTime(nanoseconds: number(Int64.min...Int64.max)),
            start: maybe { RigTime(nanoseconds: $0.number(Int64.min...Int64.max)) },
            nanoseconds: maybe { $0.number(WireLimits.nonNegative) })
    }

    mutating func problem() -> RigProblem {
        RigProblem(pick(RigProblem.Code.allCases), sentence())
    }
}

/// Legal values of every kind, for round trips.
extension SeededGenerator {
    static let lower = "abcdefghijklmnopqrstuvwxyz0123456789"

    mutating func name<Subject>() throws -> Name<Subject> {
        try Name(text(Self.lower, 1...1) + text(Self.lower + "-_", 0...23))
    }

    mutating func deviceID() throws -> DeviceID {
        DeviceID(node: try name(), device: try name())
    }

    mutating func word() -> String { text(Self.lower + "ÄöABC:/-_.", 1...32) }

    mutating func sentence() -> String { text(Self.lower + " ,.:'\n\tÜ€😀", 0...60) }

    mutating func videoFormat() -> VideoFormat {
        VideoFormat(
            pixelFormat: pick(PixelFormat.allCases), width: Int(number(WireLimits.pixels)),
            height: Int(number(WireLimits.pixels)), frameInterval: .nanoseconds(number(WireLimits.frameInterval)))
    }

    mutating func description() throws -> DeviceDescription {
        DeviceDescription(
            id: try deviceID(), mediaType: pick(MediaType.allCases), type: DeviceType(rawValue: word()),
            position: Position(rawValue: word()), labels: list(0...5) { $0.word() }, purpose: sentence(),
            orientation: pick(Orientation.allCases), mirrored: maybe { _ in true }, driver: word(),
            make: maybe { $0.sentence() },
            model: maybe { $0.sentence() }, serial: maybe { $0.sentence() })
    }

    mutating func counters() -> FrameCounters {
        var counters = FrameCounters()
        counters.delivered = UInt64(number(0...Int64.max))
        counters.droppedByDevice = UInt64(number(0...Int64.max))
        counters.flaggedErroneous = UInt64(number(0...Int64.max))
        counters.torn = UInt64(number(0...Int64.max))
        counters.droppedByNode = UInt64(number(0...Int64.max))
        counters.stalls = UInt64(number(0...Int64.max))
        counters.trimmed = UInt64(number(0...Int64.max))
        counters.damaged = UInt64(number(0...Int64.max))
        return counters
    }

    mutating func condition() -> DeviceCondition {
        DeviceCondition(
            state: pick(DeviceCondition.State.allCases), reason: maybe { $0.sentence() },
            format: maybe { $0.videoFormat() }, counters: counters(),
            phase: maybe {
                FramePhase(
                    midExposure: RigTime(nanoseconds: $0.number(Int64.min...Int64.max)),
                    periodNanoseconds: $0.number(WireLimits.frameInterval),
                    bound: $0.maybe { .nanoseconds($0.number(WireLimits.nonNegative)) },
                    periodBound: $0.maybe { .nanoseconds($0.number(WireLimits.nonNegative)) })
            }, stamps: maybe { $0.stamps() }, session: maybe { $0.sessionCondition() })
    }

    mutating func sessionCondition() -> SessionCondition {
        SessionCondition(
            phase: pick(SessionCondition.Phase.allCases), interruption: maybe { $0.pick(InterruptionReason.allCases) },
            authorization: pick(AuthorizationStatus.allCases), attempt: maybe { Int($0.number(1...1000)) },
            failedStep: maybe { $0.word() }, demands: list(0...3) { SessionDemand(rawValue: $0.word()) },
            isHeld: number(0...1) == 1, readiness: pick(CaptureReadiness.allCases),
            abilities: SessionAbilities(
                photo: ability(), live: ability(), record: ability(), switchInput: ability(),
                largerPhoto: ability(), raw: ability(), flash: ability()),
            cost: maybe { $0.cost() },
            largerPhoto: maybe {
                LargerPhoto(dimensions: $0.pixelSize(), leadNanoseconds: $0.number(WireLimits.nonNegative))
            }, livePhotosInProgress: Int(number(0...64)), recording: maybe { $0.recordingProgress() },
            alignment: maybe { $0.alignment() }, hasRaw: number(0...1) == 1)
    }

    private mutating func alignment() -> CameraAlignment {
        CameraAlignment(
            state: pick(CameraAlignment.State.allCases), reason: maybe { $0.sentence() },
            lateness: maybe { .nanoseconds($0.number(-1_000_000_000...1_000_000_000)) },
            bound: maybe { .nanoseconds($0.number(WireLimits.nonNegative)) },
            corrections: Int(number(WireLimits.nonNegative)), restarts: Int(number(WireLimits.nonNegative)))
    }

    private mutating func recordingProgress() -> RecordingProgress {
        RecordingProgress(
            take: shotID(), frameCount: Int(number(0...1_000_000)), byteCount: number(WireLimits.nonNegative),
            durationNanoseconds: number(WireLimits.nonNegative),
            segmentNumber: Int(number(1...Int64(SegmentNumber.limit))))
    }

    private mutating func ability() -> SessionAbilities.Ability {
        number(0...1) == 1 ? .allowed : .refused(sentence())
    }

    private mutating func cost() -> SessionCost {
        SessionCost(
            streamBytesPerSecond: number(0...Int64.max), ringBytes: number(0...Int64.max),
            ringLimitBytes: number(0...Int64.max), encodePermille: Int(number(0...100_000)),
            bus: maybe {
                SessionCost.USBBus(number: Int($0.number(1...99)), limitBytesPerSecond: $0.number(0...1_000_000))
            })
    }

    mutating func deviceStatus() throws -> DeviceStatus {
        DeviceStatus(device: try description(), condition: condition())
    }
}

extension SeededGenerator {
    mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
        // One in eight is an end of the range, where conversions go wrong.
        switch UInt8.random(in: 0..<8, using: &self) {
        case 0: Bool.random(using: &self) ? range.lowerBound : range.upperBound
        default: Int64.random(in: range, using: &self)
        }
    }

    mutating func text(_ alphabet: String, _ count: ClosedRange<Int>) -> String {
        let characters = Array(alphabet)
        return String((0..<Int.random(in: count, using: &self)).map { _ in pick(characters) })
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    mutating func maybe<Value>(_ make: (inout SeededGenerator) throws -> Value) rethrows -> Value? {
        Bool.random(using: &self) ? try make(&self) : nil
    }

    mutating func list<Value>(_ count: ClosedRange<Int>, _ make: (inout SeededGenerator) throws -> Value) rethrows
        -> [Value]
    {
        var values: [Value] = []
        for _ in 0..<Int.random(in: count, using: &self) {
            values.append(try make(&self))
        }
        return values
    }
}
