internal import CaptureModel
internal import StorageKit

/// The files of which somebody waits for the small pictures, first come, first served. Those who wait are bounded by whoever lets them wait.
struct WantedPictures: Sendable {
    typealias Waiter = CheckedContinuation<Void, any Error>

    private var files: [PicturedFile] = []
    private var waiters: [FileKey: [Waiter]] = [:]
    /// Why no picture can be made at this time.
    private var refusal: StorageError?

    /// - Returns: Why the pictures cannot be made, so that nobody waits; nil if `waiter` waits.
    mutating func add(_ file: PicturedFile, _ waiter: Waiter) -> StorageError? {
        if let refusal { return refusal }
        if waiters[file.key] == nil { files.append(file) }
        waiters[file.key, default: []].append(waiter)
        return nil
    }

    /// Returns the file to work on next, which stays wanted until ``end(_:)``.
    var first: PicturedFile? { files.first }

    /// Ends the wait for a file.
    /// - Returns: Those who have waited for it.
    mutating func end(_ file: PicturedFile) -> [Waiter] {
        files.removeAll { $0.key == file.key }
        return waiters.removeValue(forKey: file.key) ?? []
    }

    /// Ends every wait, and lets nobody wait until ``accept()``.
    mutating func refuse(_ reason: StorageError) -> [Waiter] {
        defer { (files, waiters, refusal) = ([], [:], reason) }
        return waiters.values.flatMap(\.self)
    }

    mutating func accept() { refusal = nil }
}
