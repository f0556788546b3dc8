package import CaptureModel
import ImageMetadata
import Movies
package import PosixSupport
package import Sound
package import Spool

/// A request to write a recording that has begun: its content and its destination.
package struct RecordingRequest: Sendable {
    /// The capture to which the movie belongs.
    package var key: CaptureKey
    /// T, the start of the movie.
    package var start: RigTime
    package var settings: MovieSettings
    /// The rig's wall clock at T, nanoseconds since 1970.
    package var realtimeAtStart: Int64
    package var utcOffsetMinutes: Int
    /// The announced settings of its pictures.
    package var resolved: ResolvedPhotoSettings
    /// Time from frame to frame.
    package var interval: Duration
    package var rigClock: any RigTimeSource
    package var spool: Spool
    package var reservation: SpoolReservation
    /// Bytes reserved in addition to what is recorded.
    package var headroom: Int64
    /// nil if the movie is silent.
    package var sound: (any ClipSoundSource)?
    /// The source of its frames.
    package let frames: RecordableFrames
    /// The recording that is on the disk.
    package let progress: Locked<RecordingProgress>
    /// Its complete files while it continues.
    package let segments = SegmentQueue()

    /// - Parameter byteLimit: Bytes of frames that may wait for the disk.
    package init(
        key: CaptureKey, start: RigTime, settings: MovieSettings, realtimeAtStart: Int64, utcOffsetMinutes: Int,
        resolved: ResolvedPhotoSettings, interval: Duration, rigClock: any RigTimeSource, spool: Spool,
        reservation: SpoolReservation, headroom: Int64, sound: (any ClipSoundSource)?, byteLimit: Int
    ) {
        self.key = key
        self.start = start
        self.settings = settings
        self.realtimeAtStart = realtimeAtStart
        self.utcOffsetMinutes = utcOffsetMinutes
        self.resolved = resolved
        self.interval = interval
        self.rigClock = rigClock
        self.spool = spool
        self.reservation = reservation
        self.headroom = headroom
        self.sound = sound
        frames = RecordableFrames(byteLimit: byteLimit)
        progress = Locked(RecordingProgress(take: key.shot))
    }

    var device: DeviceID { key.device }

    /// The format of the movie's file, without sound.
    var format: RecordingFormat {
        let orientation = resolved.orientation.exifValue(isMirrored: resolved.mirrored ?? false)
        let isSlow = resolved.streamFormat.isSlower(interval)
        let rate = isSlow ? FrameRate(measured: interval) : FrameRate(interval: interval)
        return RecordingFormat(
            width: resolved.width, height: resolved.height, frameRate: rate,
            orientation: EXIFOrientation(rawValue: UInt16(orientation)) ?? .up, reelName: device.description,
            timecodeStart: SMPTETimecode(nanosecondsSinceMidnight: nanosecondsSinceMidnight, rate: rate),
            creationDate: EXIFTimestamp(realtimeNanoseconds: realtimeAtStart, utcOffsetMinutes: utcOffsetMinutes))
    }

    var limits: RecordingLimits {
        RecordingLimits(
            maximumDuration: settings.maxRecordedDurationNanoseconds.map(MovieTime.units(nanoseconds:)),
            maximumByteCount: settings.maxRecordedFileSize,
            segmentDuration: settings.segmentDurationNanoseconds.map(MovieTime.units(nanoseconds:)),
            segmentByteCount: settings.segmentFileSize, segmentCount: SegmentNumber.limit,
            freeByteCount: settings.minFreeDiskSpaceLimit ?? 0)
    }

    /// The time of day at T, by the rig's wall clock in the zone of the node.
    private var nanosecondsSinceMidnight: Int64 {
        let day: Int64 = 86_400_000_000_000
        let local = realtimeAtStart % day + Int64(utcOffsetMinutes) * 60_000_000_000
        return (local % day + day) % day
    }
}

/// How a recording ends.
package struct RecordingEnding: Sendable {
    package var end: RecordedMovie.End
    package var problem: RigProblem?
    package var note: String?

    package init(end: RecordedMovie.End, problem: RigProblem? = nil, note: String? = nil) {
        self.end = end
        self.problem = problem
        self.note = note
    }
}

/// A recording whose files are written, with the way in which its session or its writer ended it.
package struct EndedRecording: Sendable {
    package var ending: RecordingEnding
    package var droppedFrames: Int
    package var silenceNanoseconds: Int64

    package init(ending: RecordingEnding, droppedFrames: Int = 0, silenceNanoseconds: Int64 = 0) {
        self.ending = ending
        self.droppedFrames = droppedFrames
        self.silenceNanoseconds = silenceNanoseconds
    }
}

extension RecordingTally {
    /// Returns the tally with one more file.
    /// - Parameter interval: The frame interval that the camera's format states.
    func adding(_ summary: RecordingSummary, _ segment: SegmentNumber, interval: Duration) -> RecordingTally {
        var tally = self
        // A file without a frame changes nothing. Behind files that were given up, the first frame of all is not known.
        if frameCount == 0 {
            tally.train = segmentCount == 0 ? summary.train : nil
        } else if summary.frameCount > 0 {
            tally.train = summary.train.flatMap {
                train?.followed(by: $0, missing: summary.missingBeforeFirst, interval: interval)
            }
        }
        tally.segmentCount = segment.value
        tally.frameCount += summary.frameCount
        // Nothing is missing before the recording's first frame.
        let missing = summary.missingFrameCount &+ (frameCount > 0 ? summary.missingBeforeFirst : 0)
        tally.missingFrames = tally.missingFrames &+ Int(clamping: missing)
        tally.durationNanoseconds = MovieTime.microseconds(units: summary.start &+ summary.lastTime) &* 1000
        return tally
    }

    /// Returns how a recording with these files continues: as it `ended`, or with another file.
    func continuation(_ ended: EndedRecording?) -> Spool.Continuation {
        guard let ended else { return .more(self) }
        return .end(
            RecordedMovie(
                frameCount: frameCount, missingFrames: missingFrames, droppedFrames: ended.droppedFrames,
                durationNanoseconds: durationNanoseconds, silenceNanoseconds: ended.silenceNanoseconds,
                end: ended.ending.end, problem: ended.ending.problem, note: ended.ending.note,
                segmentCount: segmentCount > 1 ? segmentCount : nil, pace: train?.pace))
    }
}
