import CaptureModel
import ShotDocuments
import ShotLogic
import StorageKit

import class PosixSupport.Locked

/// Reads the library: for the rig itself, and for clients, who have their answer by a deadline though the disk does not answer.
final class LibraryReader: Sendable {
    /// Limit on concurrent look-ups for clients. Beyond it, they are refused.
    static let limit = 256

    private let library: ShotLibrary
    private let copies: CopyComparisons?
    private let clock: any TimeSource
    private let underWay = Locked(0)

    /// - Parameter copies: nil if no copies of the library are known.
    init(_ library: ShotLibrary, copies: (any ShotCopies)? = nil, clock: any TimeSource) {
        self.library = library
        self.copies = copies.map { CopyComparisons($0, clock: clock) }
        self.clock = clock
    }

    // MARK: For clients

    /// The number of look-ups for clients in progress. One counts until the disk has answered, whether its client still waits or not.
    var lookupCount: Int { underWay.withLock(\.self) }

    /// Returns the library's answer to a question.
    /// - Throws: `noMemory` if too many look-ups are in progress; `late` if the disk has not answered by the deadline.
    func ask<Answer: Sendable>(
        by deadline: LocalTime, _ late: RigProblem,
        _ question: @escaping @Sendable (ShotLibrary) async throws(StorageError) -> Answer
    ) async throws(RigProblem) -> Answer {
        try beginLookup()
        let (results, result) = AsyncStream.makeStream(
            of: Result<Answer, RigProblem>.self, bufferingPolicy: .bufferingOldest(1))
        // Unstructured, because a disk that hangs cannot be interrupted. Bounded by ``limit``.
        Task { [library, underWay] in
            let answer: Result<Answer, RigProblem>
            do throws(StorageError) {
                answer = .success(try await question(library))
            } catch {
                answer = .failure(RigProblem(error))
            }
            // Before the client has its answer: its next look-up has room again.
            underWay.withLock { $0 -= 1 }
            result.yield(answer)
        }
        // Unstructured, because a task group would wait for the disk.
        let alarm = Task { [clock] in
            if (try? await clock.sleep(until: deadline)) != nil { result.yield(.failure(late)) }
        }
        defer { alarm.cancel() }
        for await first in results { return try first.get() }
        throw RigProblem(.cancelled, "the coordinator is ending; try again once it runs")
    }

    private func beginLookup() throws(RigProblem) {
        let hasRoom = underWay.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
        guard hasRoom else {
            throw RigProblem(
                .noMemory, "\(Self.limit) other requests already wait for the library's disk; try again in a moment")
        }
    }

    // MARK: For the rig

    /// As ``ShotLibrary/manifest(_:)``.
    func manifest(_ id: ShotID) async throws(StorageError) -> StoredManifest? { try await library.manifest(id) }

    /// As ``ShotLibrary/deletion(of:)``.
    func deletion(of id: ShotID) async throws(StorageError) -> ShotDeletion? { try await library.deletion(of: id) }

    /// As ``ShotLibrary/finishDeletions()``.
    func finishDeletions() async -> [ShotID: Result<ShotDeletion, StorageError>] { await library.finishDeletions() }

    /// As ``ShotLibrary/delete(_:)``.
    func delete(_ deletion: ShotDeletion) async throws(StorageError) { try await library.delete(deletion) }

    /// Returns why no complete copy of a shot is known outside of the library, as a sentence; nil if one is.
    func shortfallOfCopies(of shot: Shot) async -> String? {
        guard let copies else { return "the configuration names no other copy of the library (`library.copy`)" }
        return await copies.shortfall(of: shot)
    }

    /// As ``ShotLibrary/openShots()``.
    func openShots() async throws(StorageError) -> ShotListing { try await library.openShots() }

    /// Whether no shot of the library expects a capture. A manifest that cannot be read does not make the capture an orphan.
    func isOrphan(_ key: CaptureKey) async -> Bool {
        guard let shot = try? await library.shot(key.shot) else { return await !library.contains(key.shot) }
        return !shot.captures.contains { $0.device.id == key.device }
    }
}
