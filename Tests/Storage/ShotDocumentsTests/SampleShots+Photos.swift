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
            var shot = try settled(
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
            var shot = try settled(
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
            return try settled(request: ShotRequest(selection: selection), [done("n1/cam1"), missed], as: .partial)
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
            return try settled(request: ShotRequest(selection: Selection()), [failed], as: .failed)
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
            return try settled(request: request, [capture])
        }
    }

    static var rawShot: Shot {
        get throws {
            var capture = try done("n1/cam1", kinds: [.alternatePhoto])
            capture.resolved?.streamFormat.pixelFormat = .rggb10Packed
            capture.resolved?.isCameraEncoded = false
            capture.resolved?.raw = ResolvedRawPhoto(
                dimensions: PixelSize(width: 4056, height: 3040), bits: 10,
                embeddedThumbnail: PixelSize(width: 256, height: 192))
            var other = try done("n2/cam1")
            other.rawNote = "no RAW: not enabled"
            other.resolved?.rawProblem = problem(.unsupportedSettings)
            let request = ShotRequest(
                selection: Selection(choice: .first([TypeAndPosition(type: .external)], per: .node)),
                settings: PhotoSettings(raw: .withPhotoWhereEnabled), time: .relative(nanoseconds: -200_000_000))
            return try settled(request: request, [capture, other])
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
            return try settled(request: ShotRequest(selection: Selection(), settings: settings), [capture, other])
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
        return try settled(
            request: ShotRequest(selection: Selection(), settings: settings), [capture],
            as: motionPhoto == true ? .partial : .complete)
    }
}
