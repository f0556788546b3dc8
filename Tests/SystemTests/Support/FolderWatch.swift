import Foundation

/// Tells of every change of a folder's entries (inotify), from its making on.
final class FolderWatch: Sendable {
    /// What happened to an entry.
    struct Change: Sendable {
        var name: String
        var kind: Kind
    }

    enum Kind: Sendable {
        /// Made, or moved in.
        case came
        /// Removed, or moved away.
        case went
    }

    private let changes: AsyncStream<Change>
    private let handle: FileHandle
    private let path: String

    init(_ path: String) throws {
        self.path = path
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard descriptor >= 0,
            unsafe inotify_add_watch(descriptor, path, Self.cameMask | Self.wentMask) >= 0
        else { throw SystemTestError("\(path) cannot be watched: errno \(errno)") }
        let (stream, continuation) = AsyncStream.makeStream(of: Change.self)
        changes = stream
        handle.readabilityHandler = { handle in
            for change in Self.changes(in: [UInt8](handle.availableData)) { continuation.yield(change) }
        }
    }

    deinit {
        handle.readabilityHandler = nil
    }

    /// Waits for the change number `count` of this kind, counted from the watch's making or the last wait.
    func wait(for kind: Kind, count: Int = 1, within limit: Duration) async throws {
        try await within(limit, "\(count) changes in \(path)") { [changes] in
            var seen = 0
            for await change in changes where change.kind == kind {
                seen += 1
                if seen == count { return }
            }
        }
    }

    /// Waits until nothing is in the folder.
    func waitUntilEmpty(within limit: Duration) async throws {
        try await within(limit, "\(path) to be empty") { [changes, path] in
            if try FileManager.default.contentsOfDirectory(atPath: path).isEmpty { return }
            for await _ in changes where try FileManager.default.contentsOfDirectory(atPath: path).isEmpty { return }
        }
    }

    private static let cameMask = UInt32(IN_CREATE | IN_MOVED_TO)
    private static let wentMask = UInt32(IN_DELETE | IN_MOVED_FROM)

    /// struct inotify_event: watch, mask, cookie, length of the name, the name padded with NUL.
    private static func changes(in buffer: [UInt8]) -> [Change] {
        var found: [Change] = []
        var at = 0
        while at + 16 <= buffer.count {
            let mask = word(buffer, at + 4)
            let length = Int(word(buffer, at + 12))
            let name = String(decoding: buffer[(at + 16)..<(at + 16 + length)].prefix { $0 != 0 }, as: UTF8.self)
            if mask & (cameMask | wentMask) != 0 {
                found.append(Change(name: name, kind: mask & cameMask != 0 ? .came : .went))
            }
            at += 16 + length
        }
        return found
    }

    private static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << (8 * UInt32($1)) }
    }
}
