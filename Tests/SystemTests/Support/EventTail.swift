import Foundation

/// `capctl events`, running: what happens on the rig, as it happens.
final class EventTail: Sendable {
    private let program: RunningProgram

    /// Follows the rig from the oldest event that its coordinator holds.
    init(of rig: TestRig) throws {
        program = try rig.capctl.start(["events", "--replay", "--format", "json"])
    }

    /// The next event that `matches` accepts; those before it are passed over.
    @discardableResult
    func next(
        within limit: Duration = .seconds(20), where matches: @Sendable @escaping (EventLine) -> Bool
    ) async throws -> EventLine {
        let line = try await program.nextLine(within: limit) { line in Self.event(line).map(matches) ?? false }
        guard let event = Self.event(line) else { throw SystemTestError("no event: \(line)") }
        return event
    }

    /// Waits for this many events of this name.
    func wait(for name: String, count: Int = 1) async throws {
        for _ in 0..<count { try await next { $0.name == name } }
    }

    private static func event(_ line: String) -> EventLine? {
        try? JSONDecoder().decode(EventLine.self, from: Data(line.utf8))
    }
}
