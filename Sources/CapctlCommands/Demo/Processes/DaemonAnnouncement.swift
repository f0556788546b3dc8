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
        _ type: Announcement.Type, within limit: Duration
    ) async throws -> Announcement {
        let found = await first(type, within: limit)
        if let found { return found }
        try Task.checkCancellation()
        let why = hasEnded ? "ended before it was ready" : "was not ready within \(limit.shortText)"
        throw CommandFailure(.other, "\(name) \(why); the end of its log \(logPath):\n\(lastLogLines(8))")
    }

    /// The first line that is such an announcement; nil when there is none by the deadline.
    private func first<Announcement: Decodable & Sendable>(
        _ type: Announcement.Type, within limit: Duration
    ) async -> Announcement? {
        await withTaskGroup(of: Announcement?.self) { group in
            group.addTask { [lines] in
                for await line in lines {
                    if let found = try? JSONDecoder().decode(type, from: Data(line.utf8)) { return found }
                }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
