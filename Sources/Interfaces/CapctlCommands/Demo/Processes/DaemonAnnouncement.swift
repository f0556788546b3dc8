internal import CaptureModel
internal import Foundation

/// The line of JSON in which a coordinator says that it is ready, and where.
struct CoordinatorAnnouncement: Decodable, Equatable {
    var ready: Bool
    var control: String
    var client: String
    var feed: String
}

/// The line of JSON in which an agent says that every device has settled.
struct AgentAnnouncement: Decodable, Equatable {
    var ready: Bool
    var node: String
    var devices: Int
    var running: Int
}

extension ChildProcess {
    /// Waits for the daemon's announcement; other lines are passed over.
    /// - Throws: ``CommandFailure`` with the end of the daemon's log when it ends first or the deadline passes.
    func announcement<Announcement: Decodable & Sendable>(
        _ type: Announcement.Type, within limit: Duration, time: any TimeSource
    ) async throws -> Announcement {
        let why: String
        switch await first(type, within: limit, time: time) {
        case .found(let announcement): return announcement
        // A daemon closes its output only by ending, which may be seen a moment before the end itself.
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

/// How the wait for an announcement ends.
private enum AnnouncementWait<Announcement: Sendable>: Sendable {
    case found(Announcement)
    case outputEnded
    case deadlinePassed
}
