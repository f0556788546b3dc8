import CaptureModel

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
            return try settled(request: takeRequest, [capture], as: .open)
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
            var shot = try settled(request: takeRequest, [capture, cut], as: .partial)
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
            let pairs = [TypeAndPosition(type: .wide, position: Position(rawValue: "left"))]
            let selection = Selection(
                mediaType: .audio, nodes: [try NodeName("n1")], devices: [try DeviceID("n1/cam1")], labels: ["set"],
                choice: .first(pairs, per: .label))
            let request = ShotRequest(
                selection: selection, settings: everythingAsked, time: .soon(lead: 1), requireAll: true)
            var shot = try settled(request: request, [capture], as: .partial)
            shot.triggeredBy = .unnamed
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
            motionPhoto: false, raw: .withPhoto, codec: .jpeg,
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
                livePhotoNote: "no clip", raw: ResolvedRawPhoto(dimensions: size, bits: 12, embeddedThumbnail: size),
                rawProblem: problem(.unsupportedSettings), codec: .heic,
                movie: ResolvedMovie(hasSound: false, note: "the movie is silent"))
        }
    }
}
