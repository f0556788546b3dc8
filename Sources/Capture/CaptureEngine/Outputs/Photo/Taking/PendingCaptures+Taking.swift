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
        guard let lag = session.stills?.lag ?? session.exposures?.lag,
            let time = session.rigClock.localTime(at: order.time)
        else { return }
        let left = time - session.clock.now()
        guard left < lag || left < .zero else { return }
        throw RigProblem(
            .tooSoon,
            "\(device.id) takes a picture only when it is asked, \(lag.text) before T, and T is \(left.text) ahead; trigger with a longer --lead"
        )
    }

    /// Checks the settings for any T.
    func checkTaking(_ settings: PhotoSettings) throws(RigProblem) {
        guard !session.hasFrames else { return }
        let wish: String? =
            if settings.movie != nil {
                "a movie"
            } else if settings.bracket != nil {
                "a bracket"
            } else if settings.flash != nil {
                "a setting of the flash"
            } else if session.exposures != nil, settings.maxPhotoDimensions != nil {
                "another size"
            } else {
                nil
            }
        guard let wish else { return }
        throw RigProblem(
            .unsupportedSettings,
            "\(device.id): \(wish) is not supported: the camera takes single pictures, as it is set; leave it out of the selection, or do without"
        )
    }

    /// Takes the picture of an armed capture, and returns when it is durable. If it has only one of the two files that were asked for, that
    /// one is stored, and the other one has failed.
    func takePicture(_ armed: PendingCapture, by source: any StillSource) async throws(RigProblem) -> CaptureReport {
        let (order, key) = (armed.order, armed.order.key)
        guard session.rigClock.clockID == order.rigClock, let instant = session.rigClock.localTime(at: order.time)
        else {
            throw RigProblem(
                .unsynchronized, "\(device.id): the rig time line of T has ended with its coordinator's machine")
        }
        await SessionFault.frame.reached()
        let withRaw = armed.resolved.raw == .cameraFile
        let taken = try await picture(of: order, at: instant, withRaw: withRaw, by: source)
        try checkUnderWay(order)
        var capture = armed
        var files = try files(of: taken, order.settings, describing: &capture.resolved)
        let timing = try timing(of: files.frame, order: order)
        list.choose(key)
        await note(key, .frameChosen(timing))
        await SessionFault.chosen.reached()
        if let photo = files.photo { files.stored += try await preview(of: photo, capture, timing) }
        let (kept, found) = (capture.resolved, files)
        let owed = files.photo == nil ? [] : owed(by: capture)
        // Before the library can have it.
        if files.areWhole { takenPictures.note(taken.number, of: key, files: files.ofCamera) }
        let report: CaptureReport
        do throws(RigProblem) {
            report = try await session.spool.attempt { (spool) async throws(SpoolError) in
                try await spool.store(
                    key, resolved: kept, timing: timing, files: found.stored, shortfalls: found.shortfalls, owed: owed,
                    failed: found.failed, reservation: capture.reservation)
            }
        } catch {
            takenPictures.forget(key)
            throw error
        }
        for file in report.files { await note(key, .fileStored(file)) }
        if owed.contains(.photoHEIC) { session.services.deferred?.enqueue(key) }
        return report
    }

    private func picture(
        of order: CaptureOrder, at instant: LocalTime, withRaw: Bool, by source: any StillSource
    ) async throws(RigProblem) -> TakenPicture {
        do throws(CameraError) {
            return try await source.picture(at: instant, withRaw: withRaw)
        } catch {
            // A capture that was given up has its own reason.
            try checkUnderWay(order)
            throw RigProblem(.noFrameNearTime, "\(device.id): \(error.reason)")
        }
    }

    /// Returns the files of a capture from those of the camera, at which nobody has looked yet.
    /// - Throws: `corrupted` if none can be used.
    private func files(
        of taken: TakenPicture, _ settings: PhotoSettings, describing resolved: inout ResolvedPhotoSettings
    ) throws(RigProblem) -> TakenFiles {
        var files = TakenFiles(taken, ready: session.clock.now())
        do throws(RigProblem) {
            if let jpeg = taken.files.photo { try add(jpeg, to: &files, settings, describing: &resolved) }
        } catch {
            guard taken.files.raw != nil else { throw error }
            files.areWhole = false
            files.lack(AssetKind.ofPhoto(settings), error)
        }
        if let raw = taken.files.raw { files.stored.append((.cameraRaw(raw.format), [raw.bytes])) }
        switch taken.files {
        case .photo, .photoAndRaw: break
        case .photoAlone(_, let reason):
            files.lack([.alternatePhoto], RigProblem(.fileLost, "\(device.id): \(reason)"))
        case .rawAlone(_, let reason):
            files.lack(AssetKind.ofPhoto(settings), RigProblem(.fileLost, "\(device.id): \(reason)"))
        }
        return files
    }

    private func add(
        _ jpeg: [UInt8], to files: inout TakenFiles, _ settings: PhotoSettings,
        describing resolved: inout ResolvedPhotoSettings
    ) throws(RigProblem) {
        do throws(JPEGProblem) {
            let structure = try JPEGStructure(parsing: jpeg)
            let size = PixelSize(width: structure.frame.width, height: structure.frame.height)
            resolved.describe(size, try EXIFReader.orientation(in: jpeg), settings)
            files.photo = files.frame.with(jpeg)
            files.photo?.damage = structure.damage?.description
            files.stored.append((.photo, [jpeg]))
            if let damage = structure.damage { files.shortfalls[.photo] = damaged(damage.description) }
        } catch {
            throw RigProblem(
                .corrupted,
                "\(device.id): what the camera sent is not a whole JPEG image: \(error). It is still on the camera's card"
            )
        }
    }

    /// Removes the camera's copies of a picture of which the library has every file.
    func isDurable(_ file: FileKey) {
        guard let number = takenPictures.isDurable(file) else { return }
        session.stills?.isDurable(number)
    }
}

/// The files of a capture that a camera without frames has made.
private struct TakenFiles {
    /// When it was exposed.
    var frame: StampedFrame<Void>
    /// The JPEG image; nil if there is none.
    var photo: PictureFrame?
    var stored: [Spool.NewFile] = []
    var shortfalls: [AssetKind: RigProblem] = [:]
    private(set) var failed: [FailedFile] = []
    /// Whether everything that the camera has sent can be stored.
    var areWhole = true

    init(_ taken: TakenPicture, ready: LocalTime) {
        frame = StampedFrame(
            sequence: taken.sequence, midExposure: taken.midExposure, stampBound: taken.stampBound, exposure: nil,
            dequeued: taken.dequeued, ready: ready, payload: ())
    }

    /// The kinds of those that are the camera's own.
    var ofCamera: Set<AssetKind> { Set(stored.map(\.kind).filter { $0.isStill || $0.isRaw }) }

    mutating func lack(_ kinds: [AssetKind], _ problem: RigProblem) {
        failed += kinds.map { FailedFile(kind: $0, problem: problem) }
    }
}

extension AssetKind {
    /// The photo, and what is made of it.
    fileprivate static func ofPhoto(_ settings: PhotoSettings) -> [AssetKind] {
        settings.assetKinds(hasRaw: false).filter { $0 == .photo || $0 == .preview || $0 == .photoHEIC }
    }
}

/// The pictures of the present stream of a camera without frames that the library does not have yet. One that is forgotten stays on the
/// camera's card.
final class TakenPictures {
    /// How many there may be: the oldest is forgotten.
    static let limit = 1024

    private struct Entry {
        let number: TakenPicture.Number
        /// Those that the library does not have yet.
        var files: Set<AssetKind>
    }

    private var entries: [CaptureKey: Entry] = [:]

    /// Notes the picture of a capture, with its files.
    func note(_ number: TakenPicture.Number, of key: CaptureKey, files: Set<AssetKind>) {
        entries[key] = Entry(number: number, files: files)
        guard entries.count > Self.limit, let oldest = entries.keys.min() else { return }
        entries[oldest] = nil
    }

    /// Notes that the library has a file.
    /// - Returns: The number of its picture, if the library has all of its files by that; otherwise nil.
    func isDurable(_ file: FileKey) -> TakenPicture.Number? {
        entries[file.capture]?.files.remove(file.kind)
        guard let entry = entries[file.capture], entry.files.isEmpty else { return nil }
        entries[file.capture] = nil
        return entry.number
    }

    func forget(_ key: CaptureKey) { entries[key] = nil }

    /// Forgets all: the pictures of another stream have other numbers.
    func removeAll() { entries = [:] }
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
