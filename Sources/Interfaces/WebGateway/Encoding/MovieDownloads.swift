internal import CaptureModel
internal import Movies
internal import PosixSupport
internal import RigClient

/// Makes MP4 files of stored movies for download, one at a time.
///
/// A stored movie is read through the coordinator into a file of ``MovieSpace``, compared with its digest, and encoded into another one. Only
/// the latter is kept, by ``EncodedMovie``, and only as long as that is.
actor MovieDownloads {
    /// What a stored movie has become.
    enum Outcome {
        case encoded(EncodedMovie)
        /// It is H.264 already.
        case unchanged
    }

    /// How much larger than the stored movie the new one may be.
    private static let growth: Int64 = 16 << 20
    /// How long encoding may take: this, and ``slowness`` times the movie's duration.
    private static let shortestLimit = Duration.seconds(60)
    private static let slowness = 20

    nonisolated let turns = EncoderTurns()
    /// nil: this machine has no `ffmpeg`.
    private nonisolated let program: ExternalProgram?
    private let space: MovieSpace
    private let executor: ThreadExecutor
    /// Reads what is sent, so that a reader does not wait for an encoding.
    private let readers: ThreadExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// - Parameter program: `ffmpeg` with libx264; nil: nothing can be encoded.
    /// - Throws: If no thread can be created.
    init(_ program: ExternalProgram?, in space: MovieSpace) throws(PosixError) {
        self.program = program
        self.space = space
        executor = try ThreadExecutor(name: "movies")
        readers = try ThreadExecutor(name: "movie-answers")
    }

    /// Whether this machine can encode.
    nonisolated var isPossible: Bool { program != nil }

    /// Checks what can be known before an encoding, without entering the queue.
    /// - Throws: ``MovieEncoderMissing``, `MovieSpace.Shortage`, `EncoderTurns.Full`.
    func check(_ asset: StoredAsset) async throws {
        guard isPossible else { throw MovieEncoderMissing() }
        try space.check(Self.need(of: asset))
        if await turns.isFull { throw EncoderTurns.Full() }
    }

    /// Waits for the turn, reads a stored movie and encodes it. A task that is cancelled leaves the queue, or ends its encoding.
    /// - Parameter client: Reads in the name of the task's session.
    /// - Throws: As ``check(_:)``, which need not be called before; `RigClientError`, `MovieError`, `PosixError`, `CancellationError`.
    func encode(_ asset: StoredAsset, by client: RigClient) async throws -> Outcome {
        guard let program else { throw MovieEncoderMissing() }
        try space.check(Self.need(of: asset))
        return try await turns.take { try await self.encode(asset, by: client, program) }
    }

    private func encode(
        _ asset: StoredAsset, by client: RigClient, _ program: ExternalProgram
    ) async throws -> Outcome {
        let folder = try space.folder()
        let room = try space.take(Self.need(of: asset), free: folder.room().usableBytes)
        let source = try folder.createUnnamed()
        try await client.read(asset) { bytes in
            try Task.checkCancellation()
            try source.write(bytes)
        }
        let summary = try MovieSummary(of: source)
        guard !summary.isH264 else { return .unchanged }
        let result = try folder.createUnnamed()
        let encoder = MovieEncoder(
            program: program, limit: Self.shortestLimit + summary.duration * Self.slowness)
        try await encoder.encodeMP4(source, summary, to: result, byteLimit: asset.byteCount + Self.growth)
        let byteCount = try result.byteCount()
        room.shrink(to: byteCount)
        return .encoded(EncodedMovie(result, byteCount, room, on: readers))
    }

    /// Room for the stored movie and the new one.
    private static func need(of asset: StoredAsset) -> Int64 {
        let (both, overflow) = asset.byteCount.addingReportingOverflow(asset.byteCount)
        return overflow ? .max : both.addingReportingOverflow(growth).overflow ? .max : both + growth
    }
}

/// A movie that was encoded for one reader. Its file is gone with it.
actor EncodedMovie {
    nonisolated let byteCount: Int64
    private let file: OpenFile
    private let room: MovieSpace.Room
    private let executor: ThreadExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    fileprivate init(_ file: OpenFile, _ byteCount: Int64, _ room: MovieSpace.Room, on executor: ThreadExecutor) {
        (self.file, self.byteCount, self.room, self.executor) = (file, byteCount, room, executor)
    }

    /// Up to so many bytes.
    func bytes(at offset: Int64, count: Int) throws(PosixError) -> [UInt8] {
        try file.read(at: offset, count: count)
    }
}
