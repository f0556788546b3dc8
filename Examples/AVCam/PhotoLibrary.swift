import CaptureEngine
import CaptureModel
import PosixSupport
import Recording
import Spool

/// A folder in the place of the photo library: files come out of the session's spool, which lets go of its own copy only
/// when the file is durable here. It works on a thread of its own, where it may wait for the disk.
actor PhotoLibrary {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private nonisolated let executor: ThreadExecutor
    private let folder: Folder
    private let spool: Spool
    private let finisher: MovieFinisher

    init(folder path: String, spool: Spool, finisher: MovieFinisher) throws {
        executor = try ThreadExecutor(name: "library")
        folder = try Folder.make(path)
        self.spool = spool
        self.finisher = finisher
    }

    /// - Returns: The path of the file.
    func save(_ file: SpooledFile, of capture: CaptureKey) async throws -> String {
        let key = FileKey(capture: capture, kind: file.kind)
        let name = "\(capture.shot)-\(file.kind.fileName)"
        let target = try folder.open(name + ".part", for: .writing)
        var offset: Int64 = 0
        while offset < file.byteCount {
            let bytes = try await spool.read(key, offset: offset, count: 1 << 20)
            guard !bytes.isEmpty else { break }
            try target.write(bytes)
            offset += Int64(bytes.count)
        }
        try target.sync()
        try folder.rename(name + ".part", to: name)
        try folder.sync()
        try await spool.release(key, digest: file.digest)
        return folder.path(of: name)
    }

    /// Lets go of a file that nobody wants.
    func discard(_ file: SpooledFile, of capture: CaptureKey) async throws {
        try await spool.release(FileKey(capture: capture, kind: file.kind), digest: file.digest)
    }

    /// Writes a small file of the example's own, whole or not at all.
    func write(_ bytes: [UInt8], as name: String) throws -> String {
        try folder.publish([bytes], as: name)
        return folder.path(of: name)
    }

    /// Forgets what of a capture failed, once that is told.
    func forgetFailures(of capture: CaptureKey) async throws {
        for failure in await spool.report(of: capture)?.failed ?? [] {
            try await spool.forgetFailure(FileKey(capture: capture, kind: failure.kind))
        }
    }

    /// Saves what a run that was killed has left in its spool; movies that it was recording are finished first.
    func saveLeftovers() async throws {
        for key in await finisher.leftovers(in: spool) { _ = await finisher.recover(key, in: spool) }
        for report in await spool.inventory() {
            for file in report.files { tell("left by an earlier run: \(try await save(file, of: report.key))") }
            for failure in report.failed { tell("lost by an earlier run: \(failure.problem)") }
            try await forgetFailures(of: report.key)
        }
    }
}
