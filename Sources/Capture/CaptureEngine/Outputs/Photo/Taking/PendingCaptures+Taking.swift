import CameraKit
import CaptureModel
import FaultPoints
import ImageMetadata
import Recording
import Spool

/// Captures of a camera without frames. Its picture of T is taken when the capture is fired, and is stored as the camera has made it, with
/// the camera's own metadata: only so may the camera's copy be removed when the library has the picture.
extension PendingCaptures {
    /// - Throws: `unsupportedSettings` if a camera without frames is asked for what needs them or sets it; `tooSoon` if T is too near.
    func checkTaking(_ order: CaptureOrder) throws(RigProblem) {
        try checkTaking(order.settings)
        guard let source = session.stills, let time = session.rigClock.localTime(at: order.time) else { return }
        let left = time - session.clock.now()
        guard left < source.lag || left < .zero else { return }
        throw RigProblem(
            .tooSoon,
            "\(device.id) takes a picture only when it is asked, \(source.lag.text) before T, and T is \(left.text) ahead; trigger with a longer --lead"
        )
    }

    /// Checks the settings for any T.
    func checkTaking(_ settings: PhotoSettings) throws(RigProblem) {
        guard session.stills != nil else { return }
        let wish: String? =
            if settings.movie != nil {
                "a movie"
            } else if settings.bracket != nil {
                "a bracket"
            } else if settings.flash != nil {
                "a setting of the flash"
            } else {
                nil
            }
        guard let wish else { return }
        throw RigProblem(
            .unsupportedSettings,
            "\(device.id): \(wish) is not supported: the camera takes single pictures, as it is set; leave it out of the selection, or do without"
        )
    }

    /// Takes the picture of an armed capture, and returns when it is durable.
    func takePicture(_ armed: PendingCapture, by source: any StillSource) async throws(RigProblem) -> CaptureReport {
        let (order, key) = (armed.order, armed.order.key)
        guard session.rigClock.clockID == order.rigClock, let instant = session.rigClock.localTime(at: order.time)
        else {
            throw RigProblem(
                .unsynchronized, "\(device.id): the rig time line of T has ended with its coordinator's machine")
        }
        await SessionFault.frame.reached()
        let taken = try await picture(of: order, at: instant, by: source)
        try checkUnderWay(order)
        let (frame, size, orientation) = try checked(taken)
        let timing = try timing(of: frame, order: order)
        list.choose(key)
        await note(key, .frameChosen(timing))
        await SessionFault.chosen.reached()
        var capture = armed
        capture.resolved.describe(size, orientation, order.settings)
        let (kept, jpeg) = (capture.resolved, taken.frame.lease.bytes)
        let small = try await preview(of: frame.with(jpeg), capture, timing)
        let shortfalls = shortfalls(of: [ExposedFrame(frame: frame, timing: timing)])
        let owed = owed(by: capture)
        // Before the library can have it.
        takenPictures.note(taken.number, of: key)
        let report: CaptureReport
        do throws(RigProblem) {
            report = try await session.spool.attempt { (spool) async throws(SpoolError) in
                try await spool.store(
                    key, resolved: kept, timing: timing, files: [(.photo, [jpeg])] + small, shortfalls: shortfalls,
                    owed: owed, reservation: capture.reservation)
            }
        } catch {
            takenPictures.forget(key)
            throw error
        }
        for file in report.files { await note(key, .fileStored(file)) }
        if capture.resolved.codec == .heic { session.services.deferred?.enqueue(key) }
        return report
    }

    private func picture(
        of order: CaptureOrder, at instant: LocalTime, by source: any StillSource
    ) async throws(RigProblem) -> TakenPicture {
        do throws(CameraError) {
            return try await source.picture(at: instant)
        } catch {
            // A capture that was given up has its own reason.
            try checkUnderWay(order)
            throw RigProblem(.noFrameNearTime, "\(device.id): \(error.reason)")
        }
    }

    /// Returns what the picture of a camera is, which nobody has looked at yet.
    private func checked(
        _ taken: TakenPicture
    ) throws(RigProblem) -> (frame: RingFrame, size: PixelSize, orientation: EXIFOrientation?) {
        let (frame, bytes) = (taken.frame, taken.frame.lease.bytes)
        do throws(JPEGProblem) {
            let structure = try JPEGStructure(parsing: bytes)
            let kept = RingFrame(
                sequence: frame.sequence, midExposure: frame.midExposure, stampBound: frame.stampBound,
                exposure: frame.exposure, gain: frame.gain, dequeued: frame.dequeued, ready: session.clock.now(),
                damage: structure.damage?.description, payload: .jpeg(bytes))
            let size = PixelSize(width: structure.frame.width, height: structure.frame.height)
            return (kept, size, try EXIFReader.orientation(in: bytes))
        } catch {
            throw RigProblem(
                .corrupted,
                "\(device.id): what the camera sent is not a whole JPEG image: \(error). It is still on the camera's card"
            )
        }
    }

    /// Removes the camera's copy of a picture that the library has.
    func isDurable(_ key: CaptureKey) {
        guard let number = takenPictures.forget(key) else { return }
        session.stills?.isDurable(number)
    }
}

/// The pictures of the present stream of a camera without frames that the library does not have yet. One that is forgotten stays on the
/// camera's card.
final class TakenPictures {
    /// How many there may be: the oldest is forgotten.
    static let limit = 1024

    private var numbers: [CaptureKey: TakenPicture.Number] = [:]

    /// Notes the picture of a capture.
    func note(_ number: TakenPicture.Number, of key: CaptureKey) {
        numbers[key] = number
        guard numbers.count > Self.limit, let oldest = numbers.keys.min() else { return }
        numbers[oldest] = nil
    }

    /// - Returns: The number of the capture's picture; nil if it is not there.
    @discardableResult
    func forget(_ key: CaptureKey) -> TakenPicture.Number? { numbers.removeValue(forKey: key) }

    /// Forgets all: the pictures of another stream have other numbers.
    func removeAll() { numbers = [:] }
}

extension ResolvedPhotoSettings {
    /// Describes a still that is a camera's own file.
    fileprivate mutating func describe(_ size: PixelSize, _ orientation: EXIFOrientation?, _ settings: PhotoSettings) {
        (width, height) = (size.width, size.height)
        thumbnail = nil
        preview = settings.previewSize.map { ScalePlan(of: size, limit: $0, shape: .whole).size }
        let value = Int(orientation?.rawValue ?? 1)
        for turned in Orientation.allCases {
            if turned.exifValue(isMirrored: false) == value { (self.orientation, mirrored) = (turned, nil) }
            if turned.exifValue(isMirrored: true) == value { (self.orientation, mirrored) = (turned, true) }
        }
    }
}
