public import CaptureModel
import ImageMetadata
public import Movies
import Sound

/// The companion clip of a capture, whose frames have all come.
public struct Clip: Sendable {
    public let device: DeviceID
    /// What is written.
    public internal(set) var movie: LivePhotoClip
    /// When its frames were exposed, for the manifest.
    public private(set) var timing: ClipTiming

    /// Takes the sound of its time, and what is missing of it.
    mutating func take(_ sound: ClipSound) {
        movie.sound = sound.sound
        timing.silences = sound.silences.isEmpty ? nil : sound.silences
    }
}

extension Clip {
    /// - Parameters:
    ///   - frames: Those of the window, oldest first; the still's is one of them.
    ///   - interval: How long the last one is shown.
    ///   - start: Rig time of the first frame's mid-exposure.
    /// - Throws: `corrupted` where the still's frame is not among them; `unsupportedSettings` where they are more than a clip
    ///   has, of a camera that is faster than it has said.
    init(
        of capture: ClipInProgress, frames: [PictureFrame], interval: Duration, start: BoundedRigTime,
        device: DeviceDescription, hardware: (make: String?, model: String?)
    ) throws(CaptureProblem) {
        guard let first = frames.first,
            let still = frames.firstIndex(where: { $0.midExposure == capture.stillMidExposure })
        else {
            throw CaptureProblem(.corrupted, "\(device.id): the frame of the still is not in the ring any more")
        }
        guard frames.count <= LivePhotoMovie.frameLimit else {
            throw CaptureProblem(
                .unsupportedSettings,
                "\(device.id): its stream gave \(frames.count) frames in the time of a clip, which has at most \(LivePhotoMovie.frameLimit); set a lower frame rate"
            )
        }
        let offsets = frames.map { ($0.midExposure - first.midExposure).nanoseconds }
        let duration = (offsets.last ?? 0) + interval.nanoseconds
        let (order, resolved) = (capture.order, capture.resolved)
        self.device = device.id
        timing = ClipTiming(
            localStart: first.midExposure, start: start, frameOffsets: offsets, stillFrame: still,
            durationNanoseconds: duration, missingFrames: Self.missing(frames))
        let orientation = resolved.orientation.exifValue(isMirrored: resolved.mirrored ?? false)
        movie = LivePhotoClip(
            frames: zip(frames, offsets).map {
                LivePhotoClip.Frame(jpeg: $0.jpeg, presentationTime: MovieTime.units(nanoseconds: $1))
            },
            stillIndex: still, duration: MovieTime.units(nanoseconds: duration),
            contentIdentifier: order.key.contentIdentifier,
            creationDate: EXIFTimestamp(
                realtimeNanoseconds: order.realtimeAtTime &+ (start.time - order.time).nanoseconds,
                utcOffsetMinutes: order.utcOffsetMinutes),
            orientation: EXIFOrientation(rawValue: UInt16(orientation)) ?? .up, make: hardware.make,
            model: hardware.model, software: StillComposer.software)
    }

    /// Frames that the camera numbered and that did not come.
    private static func missing(_ frames: [PictureFrame]) -> Int {
        zip(frames, frames.dropFirst()).reduce(0) { missing, pair in
            let (before, after) = (pair.0.sequence, pair.1.sequence)
            return after > before ? missing + Int(clamping: after - before - 1) : missing
        }
    }
}

extension ClipTiming {
    /// From the first frame until the last one is over, on the node's clock.
    var window: ClosedRange<LocalTime> { localStart...localStart + .nanoseconds(durationNanoseconds) }
}
