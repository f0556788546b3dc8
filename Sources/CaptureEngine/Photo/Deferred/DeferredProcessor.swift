import CaptureModel
import FaultPoints
import Movies
public import PosixSupport
public import Spool

/// Makes what captures owe and what takes long: clips in H.264 and motion photos, one after the other for all sessions of
/// a node, so that encoding leaves the other processors to the cameras.
///
/// What waits lies in the spool (``DeferredWork``) and outlives the process; here is only its order. What cannot be
/// encoded is told: the clip is then stored as it was recorded, and the motion photo is given up.
public actor DeferredProcessor {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: FileExecutor
    private nonisolated let spool: Spool
    private nonisolated let encoder: (any ClipEncoding)?
    private nonisolated let observer: @Sendable (DeferredFile) async -> Void
    private nonisolated let orders: AsyncStream<CaptureKey>
    private nonisolated let order: AsyncStream<CaptureKey>.Continuation

    /// - Parameters:
    ///   - executor: The thread of its disk work; encoding is another process's.
    ///   - encoder: nil where the machine has none.
    ///   - observer: Told of every file, after it is durable; waited for.
    public init(
        spool: Spool, encoder: (any ClipEncoding)?, executor: FileExecutor,
        observer: @escaping @Sendable (DeferredFile) async -> Void
    ) {
        self.spool = spool
        self.encoder = encoder
        self.executor = executor
        self.observer = observer
        // Each order stands for work that has taken room in the spool, which bounds them.
        (orders, order) = AsyncStream.makeStream(of: CaptureKey.self)
    }

    /// Why nothing can be encoded; nil where it can.
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
                case (.motionPhoto, _): try await motionPhoto(work)
                case (_, .h264): try await encodedClip(work)
                case (_, .mjpeg): try spool.useRecordedClip(of: work.key)
                }
            await DeferredFault.made.reached()
            return try await spool.add(file, to: work.key, clip: kind == .pairedVideo ? work.clip : nil)
        } catch {
            guard !Task.isCancelled else { return nil }
            return await spool.giveUp(kind, of: work.key, error)
        }
    }

    /// The clip in H.264; where that fails, as it was recorded.
    private func encodedClip(_ work: DeferredWork) async throws(CaptureProblem) -> SpooledFile {
        let (source, target) = (
            spool.place(of: .clip, work.key), spool.place(of: FileKey(capture: work.key, kind: .pairedVideo))
        )
        do throws(CaptureProblem) {
            try await encode(work) { (encoder) throws(MovieError) in
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
        try await encode(work) { (encoder) throws(MovieError) in
            _ = try await encoder.makeMP4(of: source.name, in: source.folder, to: movie.folder, as: movie.name)
            try MotionPhoto.write(
                still: still.name, in: still.folder, movie: movie.name, in: movie.folder, clip: source.name,
                in: source.folder, to: target.folder, as: target.name)
        }
        return try spool.describe(FileKey(capture: work.key, kind: .motionPhoto))
    }

    /// Encodes where the spool has room for as much as there was before.
    private func encode(
        _ work: DeferredWork, _ body: (any ClipEncoding) async throws(MovieError) -> Void
    ) async throws(CaptureProblem) {
        guard let encoder else { throw CaptureProblem(.encoderFailed, obstacle ?? "") }
        let room = try await spool.reserve(byteCount: work.byteCount)
        do throws(MovieError) {
            try await body(encoder)
            await spool.cancel(room)
        } catch {
            await spool.cancel(room)
            throw CaptureProblem(error, of: work.key.device)
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
