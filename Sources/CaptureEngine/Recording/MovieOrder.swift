import CaptureDevices
import CaptureModel
import ImageMetadata
import Movies
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
        let rate = 1_000_000_000 / Double(max(interval.nanoseconds, 1))
        let framesPerSecond = Int(min(max(rate.rounded(), 1), 1000))
        return RecordingFormat(
            width: resolved.width, height: resolved.height, framesPerSecond: framesPerSecond,
            orientation: EXIFOrientation(rawValue: UInt16(orientation)) ?? .up, reelName: device.id.description,
            timecodeStart: timecodeStart(framesPerSecond),
            creationDate: EXIFTimestamp(
                realtimeNanoseconds: order.realtimeAtTime, utcOffsetMinutes: order.utcOffsetMinutes))
    }

    var limits: RecordingLimits {
        let movie = order.settings.movie
        return RecordingLimits(
            maximumDuration: movie?.maxRecordedDurationNanoseconds.map(MovieTime.units(nanoseconds:)),
            maximumByteCount: movie?.maxRecordedFileSize, freeByteCount: movie?.minFreeDiskSpaceLimit ?? 0)
    }

    /// Frames since midnight at T, by the rig's wall clock.
    private func timecodeStart(_ framesPerSecond: Int) -> Int64 {
        let day: Int64 = 86_400_000_000_000
        let local = order.realtimeAtTime % day + Int64(order.utcOffsetMinutes) * 60_000_000_000
        let sinceMidnight = (local % day + day) % day
        let (seconds, rest) = sinceMidnight.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * Int64(framesPerSecond) + rest * Int64(framesPerSecond) / 1_000_000_000
    }
}
