internal import CaptureModel
internal import Foundation
internal import RigDocuments

/// The line of JSON in which a coordinator announces that it is ready, and its endpoints.
struct CoordinatorAnnouncement: Decodable, Equatable {
    var ready: Bool
    var control: String
    var client: String
    var feed: String
}

/// The line of JSON in which an agent announces that every device has settled.
struct AgentAnnouncement: Decodable, Equatable {
    var ready: Bool
    var node: String
    var devices: Int
    var running: Int
}

/// The line of JSON in which a gateway announces that it is ready.
struct GatewayAnnouncement: Decodable, Equatable {
    var ready: Bool
    var address: String
}

extension ChildProcess {
    /// Waits for the daemon's announcement; ignores other lines.
    /// - Throws: ``CommandFailure`` with the end of the daemon's log if the daemon ends first or the deadline passes.
    func announcement<Announcement: Decodable & Sendable>(
        _ type: Announcement.Type, within limit: Duration, time: any TimeSource
    ) async throws -> Announcement {
        let why: String
        switch await first(type, within: limit, time: time) {
        case .found(let announcement): return announcement
        // A daemon closes its output only by ending; the closing may be seen slightly before the end.
        case .outputEnded: why = "ended before it was ready"
        case .deadlinePassed: why = "was not ready within \(limit.shortText)"
        }
        try Task.checkCancellation()
        throw CommandFailure(.other, "\(name) \(why); the end of its log \(logPath):\n\(lastLogLines(8))")
    }

    private func first<Announcement: Decodable & Sendable>(
        _ type: Announcement.Type, within limit: Duration, time: any TimeSource
    ) async -> AnnouncementWait<Announcement> {
        await withTaskGroup(of: AnnouncementWait<Announcement>.self) { group in
            group.addTask { [lines] in
                for await line in lines {
                    if let found = try? JSONDecoder().decode(type, from: Data(line.utf8)) { return .found(found) }
                }
                return .outputEnded
            }
            group.addTask {
                try? await time.sleep(for: limit)
                return .deadlinePassed
            }
            defer { group.cancelAll() }
            return await group.next() ?? .deadlinePassed
        }
    }
}

/// The outcome of the wait for an announcement.
private enum AnnouncementWait<Announcement: Sendable>: Sendable {
    case found(Announcement)
    case outputEnded
    case deadlinePassed
}

/// The paths of the daemons' programs.
struct DaemonPrograms: Equatable {
    var coordinator: String
    var agent: String
    /// nil if none is run.
    var gateway: String?

    /// - Parameters:
    ///   - folder: nil: the folder of this program.
    ///   - hasGateway: Whether a gateway is run.
    /// - Throws: ``CommandFailure`` that names the missing program.
    init(folder: String?, hasGateway: Bool) throws {
        let folder = folder.map(AbsolutePath.of) ?? Self.ownFolder
        coordinator = try Self.program("capcoordd", in: folder)
        agent = try Self.program("capagentd", in: folder)
        gateway = hasGateway ? try Self.program("capwebd", in: folder) : nil
    }

    private static var ownFolder: String {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return (own as NSString).deletingLastPathComponent
    }

    private static func program(_ name: String, in folder: String) throws -> String {
        let path = folder + "/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw CommandFailure(
                .other,
                "\(path) is not an executable program; build it (`swift build --product \(name)`), or give its folder "
                    + "with --bin-dir")
        }
        return path
    }
}

/// A new temporary folder of this process.
struct ScratchFolder: Sendable {
    let path: String

    /// - Throws: If no folder can be created in the system's folder for temporary files.
    init(prefix: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(prefix)-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = folder.path(percentEncoded: false)
    }

    func file(_ name: String) -> String {
        path + "/" + name
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// This process's standard input, read only to detect its end.
enum StandardInput {
    /// Ends when standard input ends. The reading thread remains until then, or until the process ends.
    static var end: AsyncStream<Never> {
        AsyncStream { continuation in
            let thread = Thread {
                while let data = try? FileHandle.standardInput.read(upToCount: 4096), !data.isEmpty {}
                continuation.finish()
            }
            thread.name = "stdin"
            thread.start()
        }
    }
}
