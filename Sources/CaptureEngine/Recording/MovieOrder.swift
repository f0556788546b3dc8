import CameraKit
import CaptureModel
import ImageMetadata
import Movies
import Sound
import Spool

/// What a recording is made of, and where to.
struct MovieOrder: Sendable {
    var order: CaptureOrder
    var resolved: ResolvedPhotoSettings
    var device: DeviceDescription
    /// From frame to frame.
    var interval: Duration
    var rigClock: any RigTimeSource
    var spool: Spool
    var reservation: SpoolReservation
    /// Bytes that are set aside beyond what is recorded.
    var headroom: Int64
    /// nil where the movie is silent.
    var sound: (any ClipSoundSource)?

    /// The movie's file, without sound.
    var format: RecordingFormat {
        let orientation = resolved.orientation.exifValue(isMirrored: resolved.mirrored ?? false)
        let rate = FrameRate(interval: interval)
        return RecordingFormat(
            width: resolved.width, height: resolved.height, frameRate: rate,
            orientation: EXIFOrientation(rawValue: UInt16(orientation)) ?? .up, reelName: device.id.description,
            timecodeStart: SMPTETimecode(nanosecondsSinceMidnight: nanosecondsSinceMidnight, rate: rate),
            creationDate: EXIFTimestamp(
                realtimeNanoseconds: order.realtimeAtTime, utcOffsetMinutes: order.utcOffsetMinutes))
    }

    var limits: RecordingLimits {
        let movie = order.settings.movie
        return RecordingLimits(
            maximumDuration: movie?.maxRecordedDurationNanoseconds.map(MovieTime.units(nanoseconds:)),
            maximumByteCount: movie?.maxRecordedFileSize,
            segmentDuration: movie?.segmentDurationNanoseconds.map(MovieTime.units(nanoseconds:)),
            segmentByteCount: movie?.segmentFileSize, segmentCount: SegmentNumber.limit,
            freeByteCount: movie?.minFreeDiskSpaceLimit ?? 0)
    }

    /// At T, by the rig's wall clock in the zone of the node.
    private var nanosecondsSinceMidnight: Int64 {
        let day: Int64 = 86_400_000_000_000
        let local = order.realtimeAtTime % day + Int64(order.utcOffsetMinutes) * 60_000_000_000
        return (local % day + day) % day
    }
}
