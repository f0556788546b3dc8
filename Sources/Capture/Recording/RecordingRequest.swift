package import CaptureModel
import ImageMetadata
import Movies
package import PosixSupport
package import Sound
package import Spool

/// A recording that has begun, to be written: what it is made of, and where to.
package struct RecordingRequest: Sendable {
    /// The capture that the movie is part of.
    package var key: CaptureKey
    /// T: the movie's beginning.
    package var start: RigTime
    package var settings: MovieSettings
    /// The rig's wall clock at T, nanoseconds since 1970.
    package var realtimeAtStart: Int64
    package var utcOffsetMinutes: Int
    /// What was announced of its pictures.
    package var resolved: ResolvedPhotoSettings
    /// From frame to frame.
    package var interval: Duration
    package var rigClock: any RigTimeSource
    package var spool: Spool
    package var reservation: SpoolReservation
    /// Bytes that are set aside beyond what is recorded.
    package var headroom: Int64
    /// nil where the movie is silent.
    package var sound: (any ClipSoundSource)?
    /// Where its frames come from.
    package let frames: RecordableFrames
    /// What is on the disk.
    package let progress: Locked<RecordingProgress>
    /// Its files that are whole while it goes on.
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

    /// The movie's file, without sound.
    var format: RecordingFormat {
        let orientation = resolved.orientation.exifValue(isMirrored: resolved.mirrored ?? false)
        let rate = FrameRate(interval: interval)
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

    /// At T, by the rig's wall clock in the zone of the node.
    private var nanosecondsSinceMidnight: Int64 {
        let day: Int64 = 86_400_000_000_000
        let local = realtimeAtStart % day + Int64(utcOffsetMinutes) * 60_000_000_000
        return (local % day + day) % day
    }
}
