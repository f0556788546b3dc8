public import CaptureModel
internal import Glibc
internal import PosixSupport

/// Asks the kernel about the disk of a folder, and writes to it to see what it can do.
public struct DiskProbe: Sendable {
    private let time: any TimeSource

    /// - Parameter time: Measures how long writing takes.
    public init(time: any TimeSource) {
        self.time = time
    }

    /// Returns the facts with what this machine says. Blocks while some megabytes are written and removed again, if the folder exists.
    public func examined(_ facts: DiskFacts) -> DiskFacts {
        var facts = facts
        facts.existing = Self.existing(facts.path)
        facts.refusal = Folder.refusal(toAddTo: facts.existing, listing: true)
        facts.mount = Mount.holding(facts.existing)
        guard let folder = try? Folder(opening: facts.existing) else { return facts }
        facts.room = try? folder.room()
        if facts.existing == facts.path, facts.refusal == nil { tryOut(folder, &facts) }
        return facts
    }

    private func tryOut(_ folder: Folder, _ facts: inout DiskFacts) {
        guard let room = facts.room, room.usableBytes > Self.sampleBytes * 4 else { return }
        do throws(UnsuitableFileSystem) {
            try folder.checkPublishing(of: "the \(facts.contents)", remedy: "set \(facts.setting)")
        } catch {
            facts.unsuitable = error
        }
        facts.ignoresPermissions = folder.ignoresPermissions()
        facts.speed = try? speed(of: folder)
    }

    private static let sampleBytes: Int64 = 4 << 20
    /// The best of so many counts, since others may use the disk at the same time.
    private static let rounds = 3

    private func speed(of folder: Folder) throws(PosixError) -> DiskSpeed {
        var (whole, sync) = (Duration.seconds(3600), Duration.seconds(3600))
        for _ in 0..<Self.rounds {
            sync = min(sync, try duration(of: [0], in: folder))
            whole = min(whole, try duration(of: [UInt8](repeating: 0x5A, count: Int(Self.sampleBytes)), in: folder))
        }
        let perSecond = Double(Self.sampleBytes) / max(whole.seconds, 1e-6)
        return DiskSpeed(bytesPerSecond: Int64(clampingRounded: perSecond), sync: sync)
    }

    private func duration(of bytes: [UInt8], in folder: Folder) throws(PosixError) -> Duration {
        let start = time.now()
        let file = try folder.createUnnamed()
        try file.write(bytes)
        try file.sync()
        return time.now() - start
    }

    /// The folder, or the nearest above it that exists.
    private static func existing(_ path: String) -> String {
        var path = path
        while unsafe access(path, F_OK) != 0, let slash = path.lastIndex(of: "/") {
            path = String(path[..<slash])
        }
        return path.isEmpty ? "/" : path
    }
}
