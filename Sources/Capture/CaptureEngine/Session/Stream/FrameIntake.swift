import CameraKit
import CaptureModel
import ImageMetadata

/// Converts a driver's frame to a ring frame: checks that it is a picture, completes it so that any reader can open it, and encodes it
/// once if it is not JPEG yet.
///
/// The samples of a sensor's mosaic are kept unchanged. Only a frame that becomes the picture of a capture is
/// developed.
///
/// Not `Sendable`: it belongs to one session and its thread.
struct FrameIntake: ~Copyable {
    /// Why a frame does not reach the ring.
    enum Rejection: Error, Hashable {
        /// The driver's error flag is set.
        case flaggedErroneous
        /// The bytes are not a picture. Carries the reason as a sentence.
        case torn(String)
        /// The picture has another size than the stream's.
        case otherSize(PixelSize)
    }

    /// What was made of a driver's frame.
    struct Accepted {
        var frame: RingFrame
        /// Whether further bytes followed the picture.
        var isTrimmed = false
    }

    /// The format of the stream, with the size of its pictures.
    private(set) var format: VideoFormat
    private var sizes: PictureSizeRule
    private let encoder: PictureEncoder?
    private let clock: any TimeSource

    /// - Parameter quality: Encoder quality, 1 to 100, for streams that are not JPEG.
    init(
        format: VideoFormat, range: SampleRange = .full, quality: Int, clock: any TimeSource
    ) throws(RigProblem) {
        let family = format.pixelFormat.family
        let isEncoded = family != .jpeg && !family.isMosaic
        // What throws comes first: Swift 6.2 fails to compile the end of a half-made value.
        encoder = isEncoded ? try PictureEncoder(format: format, range: range, quality: quality) : nil
        self.format = format
        self.clock = clock
        sizes = PictureSizeRule(agreed: PixelSize(width: format.width, height: format.height))
    }

    mutating func accept(_ frame: CameraFrame) throws(Rejection) -> Accepted {
        guard !frame.isFlaggedErroneous else { throw .flaggedErroneous }
        let content = try content(of: frame)
        let kept = RingFrame(
            sequence: frame.sequence, midExposure: frame.midExposure, stampBound: frame.stampBound,
            stampOrigin: frame.stampOrigin, isCorrected: frame.isCorrected, exposure: frame.exposure,
            gain: frame.gain, dequeued: frame.dequeued, ready: clock.now(), damage: content.damage,
            payload: content.payload)
        return Accepted(frame: kept, isTrimmed: content.isTrimmed)
    }

    private struct Content {
        var payload: FramePayload
        var damage: String?
        var isTrimmed = false
    }

    private mutating func content(of frame: CameraFrame) throws(Rejection) -> Content {
        switch frame.payload {
        case .jpeg(let lease): try picture(of: lease)
        case .planes(let lease): Content(payload: .jpeg(try encoded(lease)))
        case .mosaic(let lease): Content(payload: .mosaic(try samples(of: lease, frame.sensorColor)))
        }
    }

    private func encoded(_ lease: FrameLease) throws(Rejection) -> [UInt8] {
        guard let encoder else { throw .torn("planes of samples are not a frame of \(format)") }
        do {
            return try encoder.encode(lease)
        } catch {
            throw .torn(error.message)
        }
    }

    /// Returns the frame without trailing bytes of the driver, if it is complete.
    private func samples(of lease: FrameLease, _ color: SensorColor?) throws(Rejection) -> RawFrame {
        guard let count = format.pixelFormat.byteCount(width: format.width, height: format.height),
            lease.byteCount >= count
        else { throw .torn("\(lease.byteCount) bytes are not a frame of \(format)") }
        let bytes = lease.bytes
        return RawFrame(
            bytes: bytes.count == count ? bytes : Array(bytes.prefix(count)), format: format, color: color)
    }

    private mutating func picture(of lease: FrameLease) throws(Rejection) -> Content {
        do {
            // The bytes are plain numbers: any view of them is valid for the duration of the calls.
            let structure = try lease.withBytes { try JPEGStructure(parsing: unsafe $0._unsafeView(as: UInt8.self)) }
            try checkSize(structure.frame)
            // A complete image is not assembled, and one that the lease owns is not copied.
            let bytes =
                structure.isComplete
                ? lease.bytes : try lease.withBytes { try structure.completed(unsafe $0._unsafeView(as: UInt8.self)) }
            return Content(
                payload: .jpeg(bytes), damage: structure.damage?.description,
                isTrimmed: structure.trailingByteCount > 0)
        } catch let rejection as Rejection {
            throw rejection
        } catch {
            throw .torn("\(error)")
        }
    }

    private mutating func checkSize(_ frame: JPEGFrame) throws(Rejection) {
        let size = PixelSize(width: frame.width, height: frame.height)
        guard sizes.accepts(size) else { throw .otherSize(size) }
        (format.width, format.height) = (size.width, size.height)
    }
}

/// Which size the pictures of a stream have. All of a stream have one, since clips, movies and previews rely on it.
///
/// Some drivers agree on one size and deliver JPEG images of another, such as the next multiple of 16. Several images in a row of one
/// other size, before any of the agreed one, settle that size. A single one may be left over from the stream before.
struct PictureSizeRule: Hashable, Sendable {
    private enum State: Hashable {
        case open(candidate: PixelSize?, count: Int)
        case settled(PixelSize)
    }

    /// Images in a row that settle another size than the agreed one.
    static let confirmations = 3

    private let agreed: PixelSize
    private var state = State.open(candidate: nil, count: 0)

    init(agreed: PixelSize) {
        self.agreed = agreed
    }

    /// Returns whether an image of this size is a picture of the stream.
    mutating func accepts(_ size: PixelSize) -> Bool {
        switch state {
        case .settled(let known): return size == known
        case .open(let candidate, let count):
            let inRow = size == candidate ? count + 1 : 1
            let isSettled = size == agreed || inRow >= Self.confirmations
            state = isSettled ? .settled(size) : .open(candidate: size, count: inRow)
            return isSettled
        }
    }
}
