internal import Glibc

/// Programs that listen on TCP ports, as `/proc` shows them to this user.
public enum TCPListener {
    /// Returns the process that listens on a port; nil if none does, or if this user may not see which.
    public static func holder(ofPort port: UInt16) -> RunningProcess? {
        let inodes = Set(
            ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { path in
                let bytes = try? OpenFile(opening: path).readStream(limit: 1 << 24)
                return Self.inodes(ofPort: port, in: String(decoding: bytes ?? [], as: UTF8.self))
            })
        guard !inodes.isEmpty else { return nil }
        let links = Set(inodes.map { "socket:[\($0)]" })
        return RunningProcess.all().first { process in
            let folder = "/proc/\(process.id)/fd"
            let names = (try? Folder(opening: folder).names()) ?? []
            return names.contains { SymbolicLink.target("\(folder)/\($0)").map(links.contains) ?? false }
        }
    }

    /// Returns the inodes of the sockets that listen on a port, from the text of `/proc/net/tcp` (proc_net_tcp.rst).
    static func inodes(ofPort port: UInt16, in text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            // 0A: TCP_LISTEN
            guard words.count > 9, words[3] == "0A", let colon = words[1].lastIndex(of: ":"),
                UInt16(words[1][words[1].index(after: colon)...], radix: 16) == port
            else { return nil }
            return String(words[9])
        }
    }
}

/// A symbolic link.
public enum SymbolicLink {
    /// Returns what a link says; nil for anything but a link.
    public static func target(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink(path, &buffer, buffer.count)
        return count >= 0 ? String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
}

extension PosixError {
    /// Whether an address cannot be bound since another socket has it.
    public var isTaken: Bool { code == EADDRINUSE }
}
