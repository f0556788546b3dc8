import CaptureModel
import FaultPoints
import Movies
public import PosixSupport
public import Spool

/// Makes what captures owe and what takes long, one file after the other for all sessions of a node, so that encoding
/// leaves the other processors to the cameras.
///
/// | file | made by | where that fails |
/// |---|---|---|
/// | ``AssetKind/photoHEIC`` | ``StillEncoding`` | given up; the photo is there |
/// | ``AssetKind/pairedVideo`` | ``ClipEncoding``, or as it was recorded | as it was recorded, with a shortfall |
/// | ``AssetKind/motionPhoto`` | ``ClipEncoding``, joined with the still | given up |
///
/// What waits lies in the spool (``DeferredWork``) and outlives the process; here is only its order. What cannot be
/// encoded is told: the clip is then stored as it was recorded, and the motion photo is given up.
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
    ///   - executor: The thread of its disk work; encoding is another process's.
    ///   - encoder: Of clips; nil where the machine has none.
    ///   - stills: Encoder of stills; nil where the machine has none.
    ///   - observer: Told of every file, after it is durable; waited for.
    public init(
        spool: Spool, encoder: (any ClipEncoding)?, stills: (any StillEncoding)? = nil, executor: ThreadExecutor,
        observer: @escaping @Sendable (DeferredFile) async -> Void
    ) {
        self.spool = spool
        self.encoder = encoder
        self.stills = stills
        self.executor = executor
        self.observer = observer
        // Each order stands for work that has taken room in the spool, which bounds them.
        (orders, order) = AsyncStream.makeStream(of: CaptureKey.self)
    }

    /// How often a file is begun that was never ended in order: such as one whose making takes the machine down.
    static let attemptLimit = 3

    /// Why no still can be encoded; nil where it can.
    nonisolated var stillObstacle: String? {
        stills == nil
            ? "it is encoded by the program \(HEICEncoder.programName), which is not in the agent's PATH; install it and restart the agent"
            : nil
    }

    /// Why no clip can be encoded; nil where it can.
    nonisolated var obstacle: String? {
        encoder == nil
            ? "not supported: H.264 is encoded by the program \(MovieEncoder.programName), which is not in the agent's PATH; install it and restart the agent"
            : nil
    }

    /// Has the work that the spool keeps for a capture done.
    nonisolated func take(_ key: CaptureKey) { order.yield(key) }

    /// Does what an earlier life left, then what comes, until the task is cancelled; what is not done then, the next life
    /// finds.
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

    /// - Returns: The capture with the file, or with why there is none; nil where nobody wants it any more.
    private func make(_ kind: AssetKind, _ work: DeferredWork) async -> CaptureReport? {
        do throws(CaptureProblem) {
            await DeferredFault.making.reached()
            let file =
                switch (kind, work.clipCodec) {
                case (.photoHEIC, _): try await still(work)
                case (.motionPhoto, _): try await motionPhoto(work)
                case (_, .h264): try await encodedClip(work)
                case (_, .mjpeg), (_, nil): try spool.useRecordedClip(of: work.key)
                }
            await DeferredFault.made.reached()
            return try await spool.add(file, to: work.key, clip: kind == .pairedVideo ? work.clip : nil)
        } catch {
            guard !Task.isCancelled else {
                await spool.takeBackAttempt(kind, of: work.key)
                return nil
            }
            return await spool.giveUp(kind, of: work.key, error)
        }
    }

    /// The still in HEIC.
    private func still(_ work: DeferredWork) async throws(CaptureProblem) -> SpooledFile {
        let key = FileKey(capture: work.key, kind: .photoHEIC)
        let (source, target) = (spool.place(of: .still, work.key), spool.place(of: key))
        let scratch = spool.place(of: .scratchStill, work.key)
        try await attempt(key, byteCount: work.byteCount) { () throws(CaptureProblem) in
            guard let stills else { throw CaptureProblem(.encoderFailed, stillObstacle ?? "") }
            try await stills.encodeHEIC(
                source.name, in: source.folder, through: scratch.name, to: target.folder, as: target.name)
        }
        return try spool.describe(key)
    }

    /// The clip in H.264; where that fails, as it was recorded.
    private func encodedClip(_ work: DeferredWork) async throws(CaptureProblem) -> SpooledFile {
        let (source, target) = (
            spool.place(of: .clip, work.key), spool.place(of: FileKey(capture: work.key, kind: .pairedVideo))
        )
        do throws(CaptureProblem) {
            try await encode(.pairedVideo, work) { (encoder) throws(MovieError) in
                _ = try await encoder.encodeLivePhoto(
                    source.name, in: source.folder, to: target.folder, as: target.name)
            }
            return try spool.describe(FileKey(capture: work.key, kind: .pairedVideo))
        } catch {
            guard !Task.isCancelled else { throw error }
            let shortfall = CaptureProblem(
                error.code, "\(work.key.device): its clip is stored as it was recorded, not in H.264: \(error.message)")
            return try spool.useRecordedClip(of: work.key, shortfall: shortfall)
        }
    }

    private func motionPhoto(_ work: DeferredWork) async throws(CaptureProblem) -> SpooledFile {
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
        return try spool.describe(FileKey(capture: work.key, kind: .motionPhoto))
    }

    private func encode(
        _ kind: AssetKind, _ work: DeferredWork, _ body: (any ClipEncoding) async throws(MovieError) -> Void
    ) async throws(CaptureProblem) {
        let key = FileKey(capture: work.key, kind: kind)
        try await attempt(key, byteCount: work.byteCount) { () throws(CaptureProblem) in
            guard let encoder else { throw CaptureProblem(.encoderFailed, obstacle ?? "") }
            do throws(MovieError) {
                try await body(encoder)
            } catch {
                throw CaptureProblem(error, of: work.key.device)
            }
        }
    }

    /// Encodes where the spool has room for as much as there was before, and where that has not failed to end too often.
    private func attempt(
        _ key: FileKey, byteCount: Int64, _ body: () async throws(CaptureProblem) -> Void
    ) async throws(CaptureProblem) {
        let room = try await spool.reserve(byteCount: byteCount)
        do throws(CaptureProblem) {
            let before = try await spool.beginAttempt(key.kind, of: key.capture)
            guard before < Self.attemptLimit else {
                throw CaptureProblem(
                    .encoderFailed,
                    "\(key.capture.device): its \(key.kind.rawValue) was begun \(before) times, and each time the agent ended before it was made"
                )
            }
            try await body()
            await spool.cancel(room)
        } catch {
            await spool.cancel(room)
            throw error
        }
    }
}

extension CaptureProblem {
    /// - Parameter device: Whose movie it is.
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
