public import CaptureModel
public import FaultPoints
import Movies
public import PosixSupport
import Recording
public import Spool

/// Makes the owed files that take long, one after the other for all sessions of a node, so that encoding leaves the
/// other processors to the cameras.
///
/// | file | made by | on failure |
/// |---|---|---|
/// | ``AssetKind/photoHEIC`` | ``StillEncoding`` | given up; the photo exists |
/// | ``AssetKind/pairedVideo`` | ``ClipEncoding``, or stored as recorded | stored as recorded, with a shortfall |
/// | ``AssetKind/motionPhoto`` | ``ClipEncoding``, joined with the still | given up |
///
/// The waiting work is in the spool (``DeferredWork``) and outlives the process. This type has only its order. Failures
/// are reported.
public actor DeferredProcessor {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private nonisolated let spool: Spool
    private nonisolated let encoder: (any ClipEncoding)?
    private nonisolated let stills: (any StillEncoding)?
    private nonisolated let observer: @Sendable (DeferredFile) async -> Void
    private nonisolated let orders: AsyncStream<CaptureKey>
    private nonisolated let order: AsyncStream<CaptureKey>.Continuation

    /// - Parameters:
    ///   - executor: The thread of its disk work. Encoding runs in other processes.
    ///   - encoder: Encoder of clips; nil if the machine has none.
    ///   - stills: Encoder of stills; nil if the machine has none.
    ///   - observer: Called for every file after it is durable, and awaited.
    public init(
        spool: Spool, encoder: (any ClipEncoding)?, stills: (any StillEncoding)? = nil, executor: ThreadExecutor,
        observer: @escaping @Sendable (DeferredFile) async -> Void
    ) {
        self.spool = spool
        self.encoder = encoder
        self.stills = stills
        self.executor = executor
        self.observer = observer
        // Each order represents work that has room reserved in the spool, which bounds them.
        (orders, order) = AsyncStream.makeStream(of: CaptureKey.self)
    }

    /// Limit on the attempts at a file that did not end in order, such as one whose making takes the machine down.
    static let attemptLimit = 3

    /// Why no still can be encoded; nil if it can.
    nonisolated var stillObstacle: String? {
        stills == nil
            ? "it is encoded by the program \(HEICEncoder.programName), which is not in the agent's PATH; install it (apt install libheif-examples) and restart the agent"
            : nil
    }

    /// Why no clip can be encoded; nil if it can.
    nonisolated var obstacle: String? {
        encoder == nil
            ? "not supported: H.264 is encoded by the program \(MovieEncoder.programName), which is not in the agent's PATH; install it (apt install ffmpeg) and restart the agent"
            : nil
    }

    /// Enqueues the work that the spool keeps for a capture.
    nonisolated func enqueue(_ key: CaptureKey) { order.yield(key) }

    /// Does the work that an earlier run left, then new work, until the task is cancelled. The next run finds what is
    /// not done then.
    public func run() async {
        for work in await spool.deferredWork() { await perform(work) }
        for await key in orders {
            guard let work = await spool.deferredWork(of: key) else { continue }
            await perform(work)
        }
    }

    private func perform(_ work: DeferredWork) async {
        for kind in work.kinds {
            guard !Task.isCancelled, let report = await spool.report(of: work.key) else { return }
            guard report.owed.contains(kind), let made = await make(kind, work) else { continue }
            await DeferredFault.added.reached()
            await observer(DeferredFile(report: made, kind: kind))
        }
    }

    /// - Returns: The capture with the file, or with the reason why there is none; nil if it is no longer needed.
    private func make(_ kind: AssetKind, _ work: DeferredWork) async -> CaptureReport? {
        do throws(RigProblem) {
            await DeferredFault.making.reached()
            let file =
                switch (kind, work.clipCodec) {
                case (.photoHEIC, _): try await still(work)
                case (.motionPhoto, _): try await motionPhoto(work)
                case (_, .h264): try await encodedClip(work)
                case (_, .mjpeg), (_, nil): try recordedClip(work)
                }
            await DeferredFault.made.reached()
            return try await spool.attempt { (spool) async throws(SpoolError) in
                try await spool.add(file, to: work.key, clip: kind == .pairedVideo ? work.clip : nil)
            }
        } catch {
            guard !Task.isCancelled else {
                await spool.undoAttempt(kind, of: work.key)
                return nil
            }
            return await spool.giveUp(kind, of: work.key, error)
        }
    }

    /// Makes the still in HEIC.
    private func still(_ work: DeferredWork) async throws(RigProblem) -> SpooledFile {
        let key = FileKey(capture: work.key, kind: .photoHEIC)
        let (source, target) = (spool.place(of: .still, work.key), spool.place(of: key))
        let scratch = spool.place(of: .scratchStill, work.key)
        try await attempt(key, byteCount: work.byteCount) { () throws(RigProblem) in
            guard let stills else { throw RigProblem(.encoderFailed, stillObstacle ?? "") }
            try await stills.encodeHEIC(
                source.name, in: source.folder, through: scratch.name, to: target.folder, as: target.name)
        }
        return try made(key)
    }

    /// Describes a file that was written into its place.
    private func made(_ key: FileKey) throws(RigProblem) -> SpooledFile {
        try spool.attempt { (spool) throws(SpoolError) in try spool.describe(key) }
    }

    /// Uses the clip as it was recorded.
    /// - Parameter shortfall: Why it differs from what was requested.
    private func recordedClip(
        _ work: DeferredWork, shortfall: RigProblem? = nil
    ) throws(RigProblem) -> SpooledFile {
        try spool.attempt { (spool) throws(SpoolError) in
            try spool.useRecordedClip(of: work.key, shortfall: shortfall)
        }
    }

    /// Makes the clip in H.264; if that fails, uses it as recorded.
    private func encodedClip(_ work: DeferredWork) async throws(RigProblem) -> SpooledFile {
        let (source, target) = (
            spool.place(of: .clip, work.key), spool.place(of: FileKey(capture: work.key, kind: .pairedVideo))
        )
        do throws(RigProblem) {
            try await encode(.pairedVideo, work) { (encoder) throws(MovieError) in
                _ = try await encoder.encodeLivePhoto(
                    source.name, in: source.folder, to: target.folder, as: target.name)
            }
            return try made(FileKey(capture: work.key, kind: .pairedVideo))
        } catch {
            guard !Task.isCancelled else { throw error }
            let shortfall = RigProblem(
                error.code, "\(work.key.device): its clip is stored as it was recorded, not in H.264: \(error.message)")
            return try recordedClip(work, shortfall: shortfall)
        }
    }

    private func motionPhoto(_ work: DeferredWork) async throws(RigProblem) -> SpooledFile {
        let (source, still, movie) = (
            spool.place(of: .clip, work.key), spool.place(of: .still, work.key), spool.place(of: .scratch, work.key)
        )
        let target = spool.place(of: FileKey(capture: work.key, kind: .motionPhoto))
        try await encode(.motionPhoto, work) { (encoder) throws(MovieError) in
            _ = try await encoder.makeMP4(of: source.name, in: source.folder, to: movie.folder, as: movie.name)
            try MotionPhoto.write(
                still: still.name, in: still.folder, movie: movie.name, in: movie.folder, clip: source.name,
                in: source.folder, to: target.folder, as: target.name)
        }
        return try made(FileKey(capture: work.key, kind: .motionPhoto))
    }

    private func encode(
        _ kind: AssetKind, _ work: DeferredWork, _ body: (any ClipEncoding) async throws(MovieError) -> Void
    ) async throws(RigProblem) {
        let key = FileKey(capture: work.key, kind: kind)
        try await attempt(key, byteCount: work.byteCount) { () throws(RigProblem) in
            guard let encoder else { throw RigProblem(.encoderFailed, obstacle ?? "") }
            do throws(MovieError) {
                try await body(encoder)
            } catch {
                throw RigProblem(error, of: work.key.device)
            }
        }
    }

    /// Encodes if the spool has room for a second copy, and if earlier attempts have not been cut off too often.
    private func attempt(
        _ key: FileKey, byteCount: Int64, _ body: () async throws(RigProblem) -> Void
    ) async throws(RigProblem) {
        let room = try await spool.attempt { (spool) async throws(SpoolError) in
            try await spool.reserve(byteCount: byteCount)
        }
        do throws(RigProblem) {
            let before = try await spool.attempt { (spool) async throws(SpoolError) in
                try await spool.beginAttempt(key.kind, of: key.capture)
            }
            guard before < Self.attemptLimit else {
                throw RigProblem(
                    .encoderFailed,
                    "\(key.capture.device): its \(key.kind.rawValue) was begun \(before) times, and each time the agent ended before it was finished"
                )
            }
            defer { spool.removeScratch(of: key.capture) }
            try await body()
            await spool.cancel(room)
        } catch {
            await spool.cancel(room)
            throw error
        }
    }
}

extension RigProblem {
    /// - Parameter device: The device of the movie.
    init(_ error: MovieError, of device: DeviceID) {
        let code: Code =
            switch error.code {
            case .encoder, .codec: .encoderFailed
            case .cancelled: .cancelled
            case .invalidInput, .malformed, .empty: .corrupted
            case .inputOutput: error.isOutOfSpace ? .noSpace : .inputOutput
            }
        self.init(code, "\(device): \(error)")
    }
}

/// The points at which deferred work waits.
public enum DeferredFault: String, TaskFaultPoint {
    /// A file is about to be made.
    case making = "deferred.wait.making"
    /// A file is durable, but its capture does not name it.
    case made = "deferred.wait.made"
    /// A file is part of its capture, but nobody has been informed.
    case added = "deferred.wait.added"
}

/// A file of a capture that was made, or given up, long after the capture.
public struct DeferredFile: Sendable {
    /// The capture with the file, or with the reason why there is none.
    public var report: CaptureReport
    public var kind: AssetKind

    /// The file; nil if there is none.
    public var file: SpooledFile? { report.files.first { $0.kind == kind } }
    /// Why there is none, or why it is less than requested.
    public var problem: RigProblem? {
        file?.shortfall ?? report.failed.first { $0.kind == kind }?.problem
    }
}
