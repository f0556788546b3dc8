import Foundation

/// Processes of this machine that carry a mark in their environment, as all descendants of one that was given it do.
struct ProcessTable {
    static let variable = "CAPRIG_TEST_MARK"
    let mark = UUID().uuidString

    /// What to add to the environment of the program whose descendants are meant.
    var environment: [String: String] { [Self.variable: mark] }

    /// Ids of the processes that run.
    func running() throws -> [Int32] {
        let wanted = Data("\(Self.variable)=\(mark)\0".utf8)
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init).filter { id in
            guard let handle = FileHandle(forReadingAtPath: "/proc/\(id)/environ") else { return false }
            defer { try? handle.close() }
            return ((try? handle.readToEnd()) ?? Data()).range(of: wanted) != nil
        }
    }

    /// Waits until none runs. They are not children of this process, so the system does not tell when they end.
    func waitUntilNoneRuns(within limit: Duration) async throws {
        try await within(limit, "processes \(try running()) to end") {
            while try !running().isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        }
    }
}
