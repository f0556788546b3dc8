import CaptureEngine
import CaptureModel
import Foundation
import PosixSupport
import Recording
import Spool

/// Prints each step of a capture and saves its files, as AVCam's `PhotoCaptureProcessor` does. There is one for each
/// capture.
struct PhotoCaptureDelegate: Sendable {
    /// The prefix of every line, since captures overlap.
    let name: String
    let model: CameraModel
    /// Whether the Live Photo counts as in progress, which ends with the movie, or with the capture if there is no
    /// movie.
    private let isLive = Locked(false)

    init(name: String, model: CameraModel) {
        (self.name, self.model) = (name, model)
    }

    /// Returns after the last step.
    /// - Throws: The reason why the capture is incomplete; files that exist are saved.
    func follow(_ events: CaptureEvents) async throws {
        for await event in events { try await take(event) }
    }

    func take(_ event: CaptureEvent) async throws {
        switch event.step {
        case .willBeginCapture(let resolved): await willBegin(resolved)
        case .willCapturePhoto: note("willCapturePhoto")
        case .didCapturePhoto(let timing): note("didCapturePhoto frame \(timing.sequence)")
        case .previewAvailable(let preview): note("previewAvailable \(preview.size)")
        case .didFinishProcessingPhoto(let file):
            let path = try await model.library.save(file, of: event.id)
            note("didFinishProcessingPhoto \(file.kind.rawValue) \(path)")
        case .didFinishRecordingLivePhotoMovie: await didFinishRecording()
        case .didFinishProcessingLivePhotoMovie(let movie): try await didFinishProcessing(movie, of: event.id)
        case .didFinishCapture(let problem):
            note("didFinishCapture" + (problem.map { ": \($0)" } ?? ""))
            if isLive.withLock({ $0 }) { await tellLiveCount(isLive: false) }
            try await model.library.forgetFailures(of: event.id)
            if let problem { throw problem }
        }
    }

    private func willBegin(_ resolved: ResolvedPhotoSettings) async {
        let movie = resolved.livePhoto.map { ", movie \($0.dimensions)" } ?? ""
        let raw = resolved.raw?.samples.map { ", raw of \($0.bits) bits" } ?? ""
        note("willBeginCapture \(resolved.width)x\(resolved.height)\(movie)\(raw)")
        if let reason = resolved.livePhotoNote { note("note: \(reason)") }
        if resolved.livePhoto != nil { await tellLiveCount(isLive: true) }
    }

    private func didFinishRecording() async {
        note("didFinishRecordingLivePhotoMovie")
        await tellLiveCount(isLive: false)
    }

    private func didFinishProcessing(_ movie: LivePhotoMovieFile, of capture: CaptureKey) async throws {
        let path = try await model.library.save(movie.file, of: capture)
        let (length, display) = (movie.durationNanoseconds / 1_000_000, movie.photoDisplayNanoseconds / 1_000_000)
        note("didFinishProcessingLivePhotoMovie \(length) ms, the photo at \(display) ms, \(path)")
    }

    /// Prints the number of Live Photos in progress: AVCam shows LIVE while there are any.
    private func tellLiveCount(isLive: Bool) async {
        self.isLive.withLock { $0 = isLive }
        note("LIVE \(await model.session.condition.session?.livePhotosInProgress ?? 0)")
    }

    private func note(_ line: String) { tell("\(name): \(line)") }
}

/// A folder in place of the photo library. Files are copied from the session's spool, which removes its copy only when
/// the file is durable here. It has a separate thread, where it may wait for the disk.
///
/// A program that only saves photos needs less than one that shows them, as with PhotoKit: the folder's permissions say
/// which of them this process may do.
actor PhotoLibrary {
    /// What is wanted of the library, after `PHAccessLevel`.
    enum AccessLevel: String, CaseIterable {
        /// Adding files: `-wx` of the folder. Files that others have added stay unseen.
        case addOnly
        /// Adding files, and listing those that are there: `rwx`.
        case readWrite
    }

    /// Returns whether this process has an access level, after `PHPhotoLibrary.authorizationStatus(for:)`. Opens and changes
    /// nothing. A folder that does not exist yet is made by this process, with both.
    static func authorizationStatus(for level: AccessLevel, of folder: String) -> AuthorizationStatus {
        switch Folder.refusal(toAddTo: folder, listing: level == .readWrite)?.code {
        case nil: .authorized
        case .some(ENOENT): .notDetermined
        default: .denied
        }
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private nonisolated let executor: ThreadExecutor
    private let folder: Folder
    private let level: AccessLevel
    private let spool: Spool
    private let finisher: MovieFinisher

    /// - Throws: Why this process may not even add files to the folder.
    static func requireAccess(to folder: String) throws {
        guard let refusal = Folder.refusal(toAddTo: folder, listing: false), refusal.code != ENOENT else { return }
        throw refusal
    }

    /// - Throws: If this process may not add files to the folder.
    init(folder path: String, spool: Spool, finisher: MovieFinisher) throws {
        executor = try ThreadExecutor(name: "library")
        level = Self.authorizationStatus(for: .readWrite, of: path) == .denied ? .addOnly : .readWrite
        try Self.requireAccess(to: path)
        folder = try level == .addOnly ? Folder(addingTo: path) : Folder.make(path)
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
        try makeDurable(target)
        try await spool.release(key, digest: file.digest)
        return folder.path(of: name)
    }

    /// Returns once the name of a file is on the disk. The names of a folder that may not be read become durable only with
    /// everything else on the file system.
    private func makeDurable(_ file: OpenFile) throws {
        switch level {
        case .readWrite: try folder.sync()
        case .addOnly: try file.syncFileSystem()
        }
    }

    /// The photos in the library, in order; nil if this process may not see them.
    func photos() throws -> [String]? {
        guard level == .readWrite else { return nil }
        return try folder.names().filter { $0.hasSuffix("-photo.jpg") }.sorted()
    }

    /// Removes a file that is not wanted.
    func discard(_ file: SpooledFile, of capture: CaptureKey) async throws {
        try await spool.release(FileKey(capture: capture, kind: file.kind), digest: file.digest)
    }

    /// Writes a small file of the example, completely or not at all.
    func write(_ bytes: [UInt8], as name: String) throws -> String {
        let target = try folder.open(name + ".part", for: .writing)
        try target.write(bytes)
        try target.sync()
        try folder.rename(name + ".part", to: name)
        try makeDurable(target)
        return folder.path(of: name)
    }

    /// Removes the failures of a capture from the spool after they were reported.
    func forgetFailures(of capture: CaptureKey) async throws {
        for failure in await spool.report(of: capture)?.failed ?? [] {
            try await spool.forgetFailure(FileKey(capture: capture, kind: failure.kind))
        }
    }

    /// Saves what a killed run has left in its spool; unfinished movies are finished first.
    func saveLeftovers() async throws {
        for key in await finisher.leftovers(in: spool) { _ = await finisher.recover(key, in: spool) }
        for report in await spool.inventory() {
            for file in report.files { tell("left by an earlier run: \(try await save(file, of: report.key))") }
            for failure in report.failed { tell("lost by an earlier run: \(failure.problem)") }
            try await forgetFailures(of: report.key)
        }
    }
}

/// Prints what a session reports, as it happens; corresponds to an observer of AVFoundation's notifications.
struct SessionDiary: Sendable {
    private let notices: AsyncStream<SessionNotice>
    private let continuation: AsyncStream<SessionNotice>.Continuation

    init() {
        (notices, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    /// Called by the session, which waits until it returns.
    func note(_ event: SessionEvent) {
        guard case .session(let device, let notice) = event else { return }
        switch notice {
        case .didStartRunning: tell("\(device): didStartRunning")
        case .didStopRunning: tell("\(device): didStopRunning")
        case .wasInterrupted(let reason, let why): tell("\(device): wasInterrupted \(reason.rawValue): \(why)")
        case .interruptionEnded(let reason): tell("\(device): interruptionEnded \(reason.rawValue)")
        case .runtimeError(let why, let attempt?): tell("\(device): runtimeError: \(why); restart \(attempt)")
        case .runtimeError(let why, nil): tell("\(device): runtimeError: \(why); no further restart")
        }
        continuation.yield(notice)
    }

    /// Returns when the session has reported something that `isMeant` accepts, counted from the previous call.
    func wait(for isMeant: (SessionNotice) -> Bool) async {
        for await notice in notices where isMeant(notice) { return }
    }
}

/// Prints a line at once, also into a pipe.
func tell(_ line: String) {
    print(line)
    fflush(nil)
}
