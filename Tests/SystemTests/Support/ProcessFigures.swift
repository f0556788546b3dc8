import Foundation

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
