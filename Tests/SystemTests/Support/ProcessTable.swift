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

/// What a process takes of the machine, as `/proc` tells it.
struct ProcessFigures: CustomStringConvertible {
    /// Resident memory, and the most it ever was.
    var mebibytes: Int
    var peakMebibytes: Int
    var descriptors: Int

    init(of process: Int32) throws {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        mebibytes = try Self.kibibytes("VmRSS:", in: status) / 1024
        peakMebibytes = try Self.kibibytes("VmHWM:", in: status) / 1024
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }

    private static func kibibytes(_ key: String, in status: String) throws -> Int {
        let line = status.split(separator: "\n").first { $0.hasPrefix(key) }
        guard let number = line?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap({ Int($0) })
        else { throw SystemTestError("/proc says no \(key)") }
        return number
    }

    var description: String { "\(mebibytes) MiB (at most \(peakMebibytes)), \(descriptors) descriptors" }
}
