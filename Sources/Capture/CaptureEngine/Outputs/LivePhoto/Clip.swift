public import CaptureModel
import ImageMetadata
public import Movies
public import PosixSupport
import Recording
import Sound
import Spool

/// The companion clip of a capture, after all its frames have arrived.
public struct Clip: Sendable {
    public let device: DeviceID
    /// The movie to write.
    public internal(set) var movie: LivePhotoClip
    /// When its frames were exposed, for the manifest.
    public private(set) var timing: ClipTiming

    /// Adds the sound of the clip's time, and its gaps.
    mutating func add(_ sound: ClipSound) {
        movie.sound = sound.sound
        timing.silences = sound.silences.isEmpty ? nil : sound.silences
    }
}

extension Clip {
    /// - Parameters:
    ///   - frames: The frames of the window, oldest first, including the still's.
    ///   - interval: How long the last frame is shown.
    ///   - start: Rig time of the first frame's mid-exposure.
    ///   - settings: The settings of the frames.
    /// - Throws: `corrupted` if the still's frame is missing; `unsupportedSettings` if there are more frames than a
    ///   clip may have, because the camera is faster than reported.
    init(
        of capture: ClipInProgress, frames: [PictureFrame], interval: Duration, start: BoundedRigTime,
        settings: [ClipSettings], device: DeviceDescription, hardware: (make: String?, model: String?)
    ) throws(RigProblem) {
        guard let first = frames.first,
            let still = frames.firstIndex(where: { $0.midExposure == capture.stillMidExposure })
        else {
            throw RigProblem(.corrupted, "\(device.id): the frame of the still is no longer in the ring")
        }
        guard frames.count <= LivePhotoMovie.frameLimit else {
            throw RigProblem(
                .unsupportedSettings,
                "\(device.id): its stream delivered \(frames.count) frames in the time of a clip, which has at most \(LivePhotoMovie.frameLimit); set a lower frame rate"
            )
        }
        let offsets = frames.map { ($0.midExposure - first.midExposure).nanoseconds }
        let duration = (offsets.last ?? 0) + interval.nanoseconds
        let (order, resolved) = (capture.order, capture.resolved)
        self.device = device.id
        timing = ClipTiming(
            localStart: first.midExposure, start: start, frameOffsets: offsets, stillFrame: still,
            durationNanoseconds: duration, missingFrames: Self.missing(frames), settings: settings)
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
            model: hardware.model, cameraIdentifier: device.id.description, software: StillComposer.software)
    }

    /// Returns the number of frames that the camera numbered but that did not arrive.
    private static func missing(_ frames: [PictureFrame]) -> Int {
        zip(frames, frames.dropFirst()).reduce(0) { missing, pair in
            let (before, after) = (pair.0.sequence, pair.1.sequence)
            return after > before ? missing + Int(clamping: after - before - 1) : missing
        }
    }
}

extension ClipSettings {
    /// Returns an entry for each change of the settings of consecutive frames; none if no transaction has made any.
    /// - Parameter frames: The settings and mid-exposure of each frame.
    static func list(_ frames: [(settings: FrameSettings?, midExposure: LocalTime)]) -> [ClipSettings] {
        var list: [ClipSettings] = []
        for frame in frames where list.isEmpty || list.last?.settings != frame.settings {
            let start = (frame.midExposure - frames[0].midExposure).nanoseconds
            list.append(ClipSettings(startNanoseconds: start, settings: frame.settings))
        }
        guard list.count > limit else { return list.contains { $0.settings != nil } ? list : [] }
        list[limit - 1].settings = .changing(from: nil, to: nil)
        return Array(list.prefix(limit))
    }
}

extension ClipTiming {
    /// The time from the start of the first frame to the end of the last one, on the node's clock.
    var window: ClosedRange<LocalTime> { localStart...localStart + .nanoseconds(durationNanoseconds) }
}

extension CaptureKey {
    /// Returns 128 bits that are the same whenever this picture of the capture is made again: the shot's id, with the
    /// random half mixed with the device's name and, for files other than the first still, their kind (FNV-1a, 64
    /// bits). A preview counts as the same image.
    func imageIdentifier(_ kind: AssetKind) -> [UInt8] {
        identifier(kind == .photo || kind == .preview ? "" : " \(kind.rawValue)")
    }

    /// The identifier that pairs the photo with its clip, the same whenever either is made again: a UUID of version 8
    /// (RFC 9562), in upper case as Apple writes it.
    var contentIdentifier: String {
        var bytes = identifier(" content")
        bytes[6] = 0x80 | bytes[6] & 0x0f
        bytes[8] = 0x80 | bytes[8] & 0x3f
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        return [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
            .map { $0.joined() }.joined(separator: "-")
    }

    private func identifier(_ place: String) -> [UInt8] {
        let mixed = (device.description + place).utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0100_0000_01b3
        }
        var bytes = shot.bytes
        for index in 8..<16 {
            bytes[index] ^= UInt8(truncatingIfNeeded: mixed >> (8 * UInt64(index - 8)))
        }
        return bytes
    }
}

/// The plan for the clip of a capture.
struct ClipPlan: Sendable {
    /// The time of its frames, by their mid-exposure.
    var window: ClosedRange<LocalTime>
    /// Reserved room in the spool; nil before it is reserved.
    var reservation: SpoolReservation?
}

/// A capture whose photo is stored, and whose clip is being recorded or made.
struct ClipInProgress {
    /// The progress of the clip.
    enum Stage {
        /// Its frames are arriving. The alarm rings when the last one may have arrived, or will not.
        case recording(Alarm)
        /// Some of its frames will not arrive, for this reason.
        case interrupted(String)
        /// All its frames have arrived.
        case recorded
    }

    let order: CaptureOrder
    let resolved: ResolvedPhotoSettings
    let plan: ClipPlan
    /// Mid-exposure of the photo's frame.
    let stillMidExposure: LocalTime
    var stage: Stage
    var lifeCycle: CaptureLifeCycle
    let sender: CaptureEventSender?

    /// Whether its frames have all arrived.
    var isRecorded: Bool { if case .recorded = stage { true } else { false } }
}

/// Makes the clips of a node's sessions, one after the other, on a separate thread. Neither a camera nor the spool's
/// other work waits for a movie to be written.
///
/// The waiting work is bounded by the captures that the sessions have in progress. Its frames count as those of their
/// rings.
public actor ClipMaker {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private nonisolated let writer: any ClipWriting

    /// - Parameter executor: The thread on which clips are made.
    public init(executor: ThreadExecutor, writer: any ClipWriting = MovieClipWriter()) {
        self.executor = executor
        self.writer = writer
    }

    /// Why no clip can be made on this machine, and what mends it; nil if one can.
    nonisolated var obstacle: String? { writer.obstacle }

    /// Writes a clip into the spool as the source of other files.
    /// - Throws: Why there is none. Nothing of it is left then.
    func record(_ clip: Clip, of key: CaptureKey, in spool: Spool) throws(RigProblem) {
        let place = spool.place(of: .clip, key)
        try writer.write(clip, to: place.folder, as: place.name)
    }

    /// Writes a clip into the spool in the place of the owed file of its capture.
    /// - Throws: Why there is none. Nothing of it is left then.
    func make(_ clip: Clip, of key: CaptureKey, in spool: Spool) throws(RigProblem) -> SpooledFile {
        let file = FileKey(capture: key, kind: .pairedVideo)
        return try spool.make(file, failing: { RigProblem($0) }) { (folder, name) throws(RigProblem) in
            try writer.write(clip, to: folder, as: name)
        }
    }
}

/// Writes clips as QuickTime movies that pair with their still, as Apple's Live Photos do.
public struct MovieClipWriter: ClipWriting {
    public let obstacle: String?

    /// Looks for the library of movies. Blocks on the disk.
    public init() { obstacle = MovieSupport.obstacle() }

    public func write(_ clip: Clip, to folder: Folder, as name: String) throws(RigProblem) {
        do throws(MovieError) {
            try clip.movie.write(to: folder, as: name)
        } catch {
            let code: RigProblem.Code =
                error.isOutOfSpace ? .noSpace : error.code == .invalidInput ? .corrupted : .inputOutput
            throw RigProblem(code, "\(clip.device): its clip could not be made: \(error)")
        }
    }
}
