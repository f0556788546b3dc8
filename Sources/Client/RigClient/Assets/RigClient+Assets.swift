internal import CaptureModel
internal import RigProtocol
internal import RigWire

/// Reading stored files, from any machine.
extension RigClient {
    /// Maximum number of bytes of a file that are requested and not handed on yet: four parts.
    static var readWindow: Int64 { 4 * WireLimits.assetPart.upperBound }
    /// How long to wait for a missing part, as a multiple of `patience`. This is enough for a restart of the
    /// coordinator, or for a disk that wakes slowly.
    private static var readLimit: Int { 20 }
    /// How long to wait if the coordinator already reads as much as it may.
    static var busyPause: Duration { .milliseconds(50) }

    /// Reads a stored file from the end of `start` to its end, and compares the complete file with its manifest.
    ///
    /// Holds at most one mebibyte of the file. A broken connection or a restart of the coordinator only delays the
    /// file, which then continues where it was.
    /// - Parameters:
    ///   - start: The bytes that the caller already has.
    ///   - take: Called with the bytes that follow, in order, one call at a time. While it works, only parts that were
    ///     already requested are read.
    /// - Throws: ``RigClientError`` with `altered` if the bytes are not those of the manifest: all of them were handed
    ///   on, and the caller discards them. `refused`: `unknownShot`, `unknownFile`, `fileLost` if the library has lost
    ///   the file, `corrupted`, `inputOutput`. `lostCoordinator` if no byte arrives for a minute. Errors of `take`.
    public nonisolated func read(
        _ asset: StoredAsset, after start: AssetHash = AssetHash(), _ take: ([UInt8]) async throws -> Void
    ) async throws {
        var hash = start
        guard hash.byteCount <= asset.byteCount else {
            throw asset.altered("it has \(asset.byteCount) bytes, and the local part has \(hash.byteCount)")
        }
        try await readParts(of: asset, hash.byteCount..<asset.byteCount) { bytes in
            hash.update(bytes)
            try await take(bytes)
        }
        guard hash.digest == asset.digest else {
            throw asset.altered("the SHA-256 of what was read is \(hash.digest) instead of \(asset.digest)")
        }
    }

    /// The bytes of a part of a stored file; fewer than `count` only at the end of the file. They are not verified.
    public nonisolated func bytes(of asset: StoredAsset, at offset: Int64, count: Int) async throws -> [UInt8] {
        var found: [UInt8] = []
        let (end, overflows) = offset.addingReportingOverflow(Int64(max(count, 0)))
        let range = max(offset, 0)..<max(offset, 0, overflows ? asset.byteCount : min(end, asset.byteCount))
        try await readParts(of: asset, range) { found += $0 }
        return found
    }

    /// Checks that the library has a file that its manifest calls stored, with the expected length.
    /// - Throws: `refused` as ``read(_:after:_:)``.
    public nonisolated func check(_ asset: StoredAsset) async throws {
        _ = try await part(of: asset, at: 0, count: 1)
    }

    /// Keeps a window of parts requested, and hands them on in order.
    private nonisolated func readParts(
        of asset: StoredAsset, _ range: Range<Int64>, _ take: ([UInt8]) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (offset: Int64, bytes: [UInt8]).self) { group in
            var (asked, given) = (range.lowerBound, range.lowerBound)
            var waiting: [Int64: [UInt8]] = [:]
            while given < range.upperBound {
                while asked < range.upperBound, asked - given < Self.readWindow {
                    let (offset, count) = (asked, min(WireLimits.assetPart.upperBound, range.upperBound - asked))
                    group.addTask { (offset, try await self.part(of: asset, at: offset, count: count)) }
                    asked += count
                }
                if let bytes = waiting.removeValue(forKey: given) {
                    try await take(bytes)
                    given += Int64(bytes.count)
                } else if let part = try await group.next() {
                    waiting[part.offset] = part.bytes
                }
            }
        }
    }

    /// Returns one part. Repeats the request if the coordinator is busy, away, or has dropped the answer.
    private func part(of asset: StoredAsset, at offset: Int64, count: Int64) async throws(RigClientError) -> [UInt8] {
        var request = WireReadAsset()
        (request.shotID, request.file, request.offset, request.count) = (asset.shot.wire, asset.file, offset, count)
        let start = time.now()
        while true {
            do throws(RigClientError) {
                let answer = try await ask(.readAsset(request), operation: "read", limit: patience * 4)
                let part: WireAssetPart = try reading(answer, operation: "read") { body throws(WireError) in
                    if case .assetPart(let part) = body { part } else { nil }
                }
                return try asset.bytes(in: part, at: offset, count: count)
            } catch {
                guard error.mayPass else { throw error }
                guard time.now() < start + patience * Self.readLimit else {
                    throw lost(asset, after: time.now() - start)
                }
                if case .refused = error.code { try? await time.sleep(for: Self.busyPause) }
            }
        }
    }

    private func lost(_ asset: StoredAsset, after waited: Duration) -> RigClientError {
        RigClientError(
            .lostCoordinator, operation: "read", endpoint: endpoint,
            cause: "the coordinator at \(endpoint) has sent nothing of \(asset.file) for \(waited.text); "
                + "check that it runs and that its disk answers (`capctl status`), then repeat the command, "
                + "which continues where it was")
    }
}

extension StoredAsset {
    /// The bytes of a requested part.
    /// - Throws: `altered` if the part has other content; `malformedReply` if it is another part.
    func bytes(in part: WireAssetPart, at offset: Int64, count: Int64) throws(RigClientError) -> [UInt8] {
        guard part.byteCount == byteCount, ContentDigest(bytes: part.sha256) == digest else {
            throw altered("the coordinator's file of this name has changed")
        }
        guard part.shotID == shot.wire, part.file == file, part.offset == offset,
            Int64(part.data.count) == min(count, byteCount - offset)
        else {
            throw RigClientError(
                .malformedReply, operation: "read", endpoint: "",
                cause: "the coordinator has sent another part of a file than \(file) from byte \(offset) on; "
                    + "use programs of the same version")
        }
        return Array(part.data)
    }

    fileprivate func altered(_ how: String) -> RigClientError {
        RigClientError(
            .altered, operation: "read", endpoint: "",
            cause: "\(file) of shot \(shot) does not match its manifest: \(how); "
                + "`capctl shots verify \(shot)` makes the coordinator check its file")
    }
}

extension RigClientError {
    /// Whether a repeated request may succeed.
    fileprivate var mayPass: Bool {
        switch code {
        case .noCoordinator, .lostCoordinator: true
        case .refused(let code): code == RigProblem.Code.noMemory.rawValue
        case .nothingSelected, .malformedReply, .altered, .closed, .keyRefused, .wrongCoordinator: false
        }
    }
}
