import CaptureModel

/// Shots of which photos come.
extension SampleShots {
    static var stills: Shot {
        get throws {
            let settings = PhotoSettings(quality: 90, embedThumbnail: .square, previewSize: 320, flash: .auto)
            var capture = try done("n1/cam1", kinds: [.photo, .preview])
            capture.resolved?.thumbnail = PixelSize(width: 160, height: 160)
            capture.resolved?.preview = PixelSize(width: 320, height: 180)
            capture.resolved?.isFlashUsed = false
            capture.timing?.exposureNanoseconds = nil
            var shot = try finished(
                request: ShotRequest(selection: Selection(), settings: settings), [capture, done("n2/cam1")])
            shot.triggeredBy = Principal(claimed: "anna@studio-1")
            return shot
        }
    }

    static var lateStill: Shot {
        get throws {
            var late = try done("n2/cam1")
            late.files[0].outcome = .late
            let selection = Selection(devices: [try DeviceID("n1/cam1"), try DeviceID("n2/cam1")])
            var shot = try finished(
                request: ShotRequest(selection: selection, requireAll: true), [done("n1/cam1"), late])
            shot.answeredAt = time + .seconds(2)
            shot.triggeredBy = .coordinator
            return shot
        }
    }

    static var missedStill: Shot {
        get throws {
            var missed = try camera("n3/cam1")
            missed.phase = .missed
            missed.problem = problem(.nodeUnreachable)
            missed.files[0].outcome = .missed
            let selection = Selection(nodes: [try NodeName("n1"), try NodeName("n3")], labels: ["set"])
            return try finished(request: ShotRequest(selection: selection), [done("n1/cam1"), missed], as: .partial)
        }
    }

    static var failedStill: Shot {
        get throws {
            var failed = try done("n1/cam1")
            failed.phase = .failed
            failed.problem = problem(.noSpace)
            failed.files[0] = CapturedFile(kind: .photo)
            failed.files[0].outcome = .failed
            failed.files[0].problem = problem(.corrupted)
            return try finished(request: ShotRequest(selection: Selection()), [failed], as: .failed)
        }
    }

    static var bracketShot: Shot {
        get throws {
            let steps = [BracketStep(exposureNanoseconds: 1000), BracketStep(gain: -4), BracketStep()]
            var capture = try done("n1/cam1", kinds: [.photo, .photo2, .photo3])
            capture.resolved?.bracketCount = 3
            let pairs = [TypeAndPosition(type: .wide, position: Position(rawValue: "left")), TypeAndPosition()]
            let request = ShotRequest(
                selection: Selection(choice: .matching(pairs)), settings: PhotoSettings(bracket: steps),
                time: .soon(lead: 500_000_000))
            return try finished(request: request, [capture])
        }
    }

    static var rawShot: Shot {
        get throws {
            var capture = try done("n1/cam1", kinds: [.alternatePhoto])
            capture.resolved?.streamFormat.pixelFormat = .rggb10Packed
            capture.resolved?.isCameraEncoded = false
            capture.resolved?.raw = .samples(
                ResolvedSamples(
                    dimensions: PixelSize(width: 4056, height: 3040), bits: 10,
                    embeddedThumbnail: PixelSize(width: 256, height: 192)))
            var other = try done("n2/cam1")
            other.rawNote = "no RAW: not enabled"
            other.resolved?.rawProblem = problem(.unsupportedSettings)
            let request = ShotRequest(
                selection: Selection(choice: .first([TypeAndPosition(type: .external)], per: .node)),
                settings: PhotoSettings(raw: .withPhotoWhereEnabled), time: .relative(nanoseconds: -200_000_000))
            return try finished(request: request, [capture, other])
        }
    }

    /// A shot with raw files that cameras make themselves, one of which has stayed away.
    static var cameraRawShot: Shot {
        get throws {
            var both = try done("n1/cam1", kinds: [.photo, .cameraRaw(.nef)])
            both.resolved?.raw = .cameraFile
            var half = try done("n2/cam1", kinds: [.photo, .alternatePhoto])
            half.resolved?.raw = .cameraFile
            (half.phase, half.problem) = (.partial, problem(.fileLost))
            half.files[1] = CapturedFile(kind: .alternatePhoto)
            half.files[1].outcome = .failed
            half.files[1].problem = problem(.fileLost)
            let request = ShotRequest(selection: Selection(), settings: PhotoSettings(raw: .withPhoto))
            return try finished(request: request, [both, half], as: .partial)
        }
    }

    static var shotBeyondTheStream: Shot {
        get throws {
            var capture = try done("n1/cam1", kinds: [.photo, .photoHEIC])
            capture.resolved?.photoFormat = format
            capture.resolved?.expectedGapNanoseconds = 700_000_000
            capture.resolved?.codec = .heic
            capture.streamGap = StreamGap(localStart: LocalTime(nanoseconds: 7), start: time, nanoseconds: 650_000_000)
            var other = try done("n2/cam1", kinds: [.photo, .photoHEIC])
            other.streamGap = StreamGap(localStart: LocalTime(nanoseconds: 7))
            let settings = PhotoSettings(maxPhotoDimensions: PixelSize(width: 4056, height: 3040), codec: .heic)
            return try finished(request: ShotRequest(selection: Selection(), settings: settings), [capture, other])
        }
    }

    static func live(motionPhoto: Bool?) throws -> Shot {
        let kinds: [AssetKind] = motionPhoto == true ? [.photo, .pairedVideo, .motionPhoto] : [.photo, .pairedVideo]
        var capture = try done("n1/cam1", kinds: kinds)
        capture.resolved?.livePhoto = LivePhotoMovie(
            dimensions: PixelSize(width: 640, height: 360), hasSound: true, codec: motionPhoto == true ? .h264 : nil,
            motionPhoto: motionPhoto)
        capture.resolved?.livePhotoNote = "the clip is silent: no microphone belongs to this camera"
        let silence = ClipSilence(startNanoseconds: 0, durationNanoseconds: 3_000_000_000, cause: .notOpen)
        capture.clip = ClipTiming(
            localStart: LocalTime(nanoseconds: 1),
            start: BoundedRigTime(time: time - .seconds(1), bound: .microseconds(9)),
            frameOffsets: [0, 33_366_667, 66_733_334], stillFrame: 1, durationNanoseconds: 100_100_001,
            missingFrames: 2, silences: motionPhoto == true ? nil : [silence])
        capture.phase = motionPhoto == true ? .partial : .done
        if motionPhoto == true { capture.files[1].shortfall = problem(.encoderFailed) }
        let settings = PhotoSettings(
            livePhoto: .whereEnabled, clipCodec: motionPhoto == true ? .h264 : nil, motionPhoto: motionPhoto)
        return try finished(
            request: ShotRequest(selection: Selection(), settings: settings), [capture],
            as: motionPhoto == true ? .partial : .complete)
    }
}

/// Takes, and a shot in which no member is absent.
extension SampleShots {
    private static var takeRequest: ShotRequest {
        ShotRequest(
            selection: Selection(),
            settings: PhotoSettings(movie: MovieSettings(segmentDurationNanoseconds: 1_000_000_000)),
            time: .absolute(realtimeNanoseconds: 1_795_256_144_250_000_000))
    }

    static var recordingTake: Shot {
        get throws {
            var capture = try camera("n1/cam1", kinds: AssetKind.ofMovie)
            capture.phase = .captured
            capture.resolved = resolved
            capture.resolved?.movie = ResolvedMovie(hasSound: true)
            capture.timing = timing
            return try finished(request: takeRequest, [capture], as: .open)
        }
    }

    static var settledTake: Shot {
        get throws {
            guard let second = SegmentNumber(2), let last = SegmentNumber(SegmentNumber.limit) else {
                throw Malformed()
            }
            let kinds = [SegmentNumber.first, second, last].flatMap(AssetKind.ofRecording)
            var capture = try done("n1/cam1", kinds: kinds)
            capture.resolved?.movie = ResolvedMovie(hasSound: false, note: "no microphone belongs to this camera")
            capture.movie = RecordedMovie(
                frameCount: 90, missingFrames: 3, droppedFrames: 1, durationNanoseconds: 3_000_000_000, end: .stopped,
                segmentCount: 3)
            var cut = try done("n2/cam1", kinds: AssetKind.ofMovie)
            cut.phase = .partial
            cut.movie = RecordedMovie(
                frameCount: 10, durationNanoseconds: 300_000_000, silenceNanoseconds: 20, end: .diskNearlyFull,
                problem: problem(.noSpace), note: "the disk is slow")
            var shot = try finished(request: takeRequest, [capture, cut], as: .partial)
            shot.take = Take(
                stopTime: time + .seconds(3),
                marks: [
                    TakeMark(id: .max, time: time + .seconds(1), text: "slate / 1"),
                    TakeMark(id: 0, time: time, text: "ä"),
                ])
            return shot
        }
    }

    /// No optional member of it is nil, and no list empty, in any part of it.
    static var shotWithEverything: Shot {
        get throws {
            var capture = try done("n1/cam1", kinds: [.photo])
            (capture.device.mirrored, capture.device.make) = (true, "Caprig")
            (capture.device.model, capture.device.serial) = ("Virtual camera", "0001")
            (capture.problem, capture.rawNote) = (problem(.agentRestarted), "no RAW: not enabled")
            (capture.files[0].problem, capture.files[0].shortfall) = (problem(.fileLost), problem(.encoderFailed))
            capture.resolved = try everythingResolved
            capture.streamGap = try shotBeyondTheStream.captures[0].streamGap
            capture.clip = try live(motionPhoto: nil).captures[0].clip
            capture.movie = try settledTake.captures[1].movie
            capture.movie?.segmentCount = 2
            capture.movie?.pace = FramePace(intervalCount: 9, spanNanoseconds: 300_001_000, boundNanoseconds: 500_000)
            guard let before = SettingsID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"),
                let after = SettingsID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e70")
            else { throw Malformed() }
            capture.timing?.settings = .inForce(after)
            capture.timing?.stampOrigin = .startOfExposure
            capture.timing?.sharedError = SharedError(MeasurementID(after.uuid), bound: .microseconds(100))
            capture.doubts = [
                DoubtedClaim(.dequeued, .wrong, "it was received before its mid-exposure"),
                DoubtedClaim(.settings, .unverified, "its transaction is too old"),
            ]
            capture.clip?.settings = [
                ClipSettings(startNanoseconds: 0, settings: .changing(from: before, to: after)),
                ClipSettings(startNanoseconds: 66_733_334, settings: .inForce(after)),
            ]
            let pairs = [TypeAndPosition(type: .wide, position: Position(rawValue: "left"))]
            let selection = Selection(
                mediaType: .audio, nodes: [try NodeName("n1")], devices: [try DeviceID("n1/cam1")], labels: ["set"],
                choice: .first(pairs, per: .label))
            let request = ShotRequest(
                selection: selection, settings: everythingAsked, time: .soon(lead: 1, exact: true), requireAll: true,
                limits: TimingLimits(maxSkew: .milliseconds(1), maxBound: .microseconds(100), onExcess: .refuse))
            capture.exceeds = [.maxSkew, .maxBound]
            var shot = try finished(request: request, [capture], as: .partial)
            shot.limits = request.limits
            shot.prediction = SpreadPrediction(
                spread: .microseconds(900), bound: .microseconds(1250), cameras: 2, shift: .milliseconds(12))
            shot.simultaneity = Simultaneity(
                spread: .microseconds(870), bound: .microseconds(240), earliest: capture.device.id,
                latest: try DeviceID("n2/cam1"))
            shot.triggeredBy = .unnamed
            shot.leftOut = [LeftOutCamera(device: try DeviceID("n2/cam1"), reason: "the session was stopped")]
            shot.take = try settledTake.take
            shot.answeredAt = time + .seconds(2)
            return shot
        }
    }

    private static var everythingAsked: PhotoSettings {
        PhotoSettings(
            quality: 100, embedThumbnail: .whole, previewSize: 16, flash: .on,
            bracket: [BracketStep(exposureNanoseconds: 1000, gain: 1)],
            maxPhotoDimensions: PixelSize(width: 1, height: 65_535), livePhoto: .required, clipCodec: .mjpeg,
            motionPhoto: false, raw: .withPhoto,
            rawThumbnail: RawThumbnailFormat(codec: .jpeg, longerSide: 16), codec: .jpeg,
            movie: MovieSettings(
                maxRecordedDurationNanoseconds: 1, maxRecordedFileSize: 2, minFreeDiskSpaceLimit: 3,
                segmentDurationNanoseconds: 1_000_000_000, segmentFileSize: 1_000_000))
    }

    private static var everythingResolved: ResolvedPhotoSettings {
        get throws {
            let size = PixelSize(width: 640, height: 360)
            return ResolvedPhotoSettings(
                width: 640, height: 360, streamFormat: format, isCameraEncoded: false, orientation: .degrees270,
                mirrored: true, thumbnail: size, preview: size, isFlashUsed: true, bracketCount: 1, photoFormat: format,
                expectedGapNanoseconds: 1,
                livePhoto: LivePhotoMovie(dimensions: size, hasSound: false, codec: .mjpeg, motionPhoto: false),
                livePhotoNote: "no clip",
                raw: .samples(ResolvedSamples(dimensions: size, bits: 12, embeddedThumbnail: size)),
                rawProblem: problem(.unsupportedSettings), codec: .heic,
                movie: ResolvedMovie(hasSound: false, note: "the movie is silent"))
        }
    }
}
