/// A process of this machine, as `/proc` shows it to this user.
public struct RunningProcess: Hashable, Sendable {
    public var id: Int32
    /// The kernel's name of it, at most 15 bytes, such as `chronyd`.
    public var name: String

    public init(id: Int32, name: String) {
        self.id = id
        self.name = name
    }

    /// Returns the process of that number; nil if none runs, or if this user may not see it. One that has ended, and whose parent has not
    /// waited for it, does not run.
    public init?(id: Int32) {
        guard Self.hasEnded(id) == false, let name = KernelText.line("/proc/\(id)/comm") else { return nil }
        self.init(id: id, name: name)
    }

    /// Whether it is a zombie, or dead, by its state in `proc_pid_stat(5)`. The state follows the name, which may contain parentheses.
    private static func hasEnded(_ id: Int32) -> Bool? {
        guard let line = KernelText.line("/proc/\(id)/stat"), let end = line.lastIndex(of: ")") else { return nil }
        return line[end...].dropFirst(2).first.map { "ZXx".contains($0) }
    }

    /// Returns all processes that this user may see, in no order.
    public static func all() -> [RunningProcess] {
        let names = (try? Folder(opening: "/proc").names()) ?? []
        return names.compactMap { Int32($0) }.compactMap { RunningProcess(id: $0) }
    }

    /// The most descriptors that it may have open (the hard limit `Max open files` of `/proc/PID/limits`); nil if it is unknown.
    public var descriptorLimit: Int? {
        guard let text = KernelText.read("/proc/\(id)/limits") else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        return line?.split(separator: " ").dropFirst(4).first.flatMap { Int($0) }
    }

    /// Its command line, the program first, at most 4 KiB; nil if this user may not see it.
    public var arguments: [String]? {
        KernelText.read("/proc/\(id)/cmdline")?.split(separator: "\0").map(String.init)
    }

    /// Its further groups (`Groups:` of `/proc/PID/status`); nil if they are unknown.
    public var groups: [UInt32]? {
        guard let text = KernelText.read("/proc/\(id)/status") else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("Groups:") }
        return line?.split { $0 == " " || $0 == "\t" }.dropFirst().compactMap { UInt32($0) }
    }

    /// Whether its program was replaced or removed since it was started; nil if this user may not know.
    public var isProgramReplaced: Bool? { SymbolicLink.target("/proc/\(id)/exe")?.hasSuffix(" (deleted)") }
}

extension FolderLock {
    /// Returns the process that a lock file names, if it runs. Takes no lock, and looks at no lock of another.
    public static func namedHolder(ofFolder path: String, name: String = ".lock") -> RunningProcess? {
        guard let bytes = try? Folder(opening: path).read(name, limit: 64) else { return nil }
        let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return Int32(text).flatMap { RunningProcess(id: $0) }
    }
}

/// A number that the kernel lets administrators set, below `/proc/sys`.
public enum KernelSetting {
    /// Returns the numbers of a setting; nil if the kernel has none of that name.
    /// - Parameter name: As `sysctl` writes it, such as `net.core.somaxconn`.
    public static func numbers(_ name: String) -> [Int]? {
        KernelText.line("/proc/sys/" + name.split(separator: ".").joined(separator: "/")).map { line in
            line.split { $0 == " " || $0 == "\t" }.compactMap { Int($0) }
        }
    }
}
