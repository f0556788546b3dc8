internal import Foundation
import Glibc

/// What this process holds of the system, by which a test finds what a module leaves behind.
///
/// A test that compares must run alone in its process.
public struct Holdings: Sendable {
    /// What the caches of an allocator explain, bytes.
    public static let usualGrowth = 64 << 20

    /// Resident memory, bytes.
    private let memory: Int
    private let descriptors: Int
    /// The processes that this one has started, with those that have ended and for which it has not waited.
    private let children: Int
    private let folder: String?

    /// What is held at present.
    ///
    /// - Parameter folder: Programs with this in their command must have ended too, whoever started them.
    public init(programsIn folder: String? = nil) throws {
        self.folder = folder
        (memory, descriptors, children) = (try Self.memory(), try Self.descriptors(), try Self.children().count)
    }

    /// Returns when no more is held than at first. A time limit of the suite ends a wait without an end.
    public func awaitNoMore() async throws {
        while try !isNoMore() { try await Self.pace() }
    }

    /// By how many bytes resident memory has grown.
    public func growth() throws -> Int { try Self.memory() - memory }

    /// Returns when no program runs that has this in its command.
    public static func awaitNoProgram(in folder: String) async throws {
        while try !programs(in: folder).isEmpty { try await pace() }
    }

    /// Leaves the processor to those who are to end.
    private static func pace() async throws { try await Task.sleep(for: .milliseconds(10)) }

    private func isNoMore() throws -> Bool {
        guard try Self.descriptors() <= descriptors, try Self.children().count <= children else { return false }
        return try folder.map { try Self.programs(in: $0).isEmpty } ?? true
    }

    private static func memory() throws -> Int {
        let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard words.count > 1, let pages = Int(words[1]) else { throw CocoaError(.fileReadCorruptFile) }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    private static func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private static func processes() throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
    }

    private static func children() throws -> [Int32] {
        try processes().filter { id in
            // Of a process that has just ended there is nothing to read.
            guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
                let name = text.lastIndex(of: ")")
            else { return false }
            // After the name come the state and the parent.
            return text[name...].split(separator: " ").dropFirst(2).first.flatMap { Int32($0) } == getpid()
        }
    }

    private static func programs(in folder: String) throws -> [Int32] {
        try processes().filter { id in
            let command = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") ?? Data()
            return command.range(of: Data(folder.utf8)) != nil
        }
    }
}
