internal import Glibc

/// A mounted file system, as `/proc/self/mountinfo` lists it (proc_pid_mountinfo(5)).
public struct Mount: Hashable, Sendable {
    /// The folder on which it is mounted.
    public var point: String
    /// The kernel's name of its type, such as `ext4`, `vfat` or `fuseblk`.
    public var type: String

    public init(point: String, type: String) {
        self.point = point
        self.type = type
    }

    /// Reads the list's text. Lines of another form are left out.
    public static func list(_ text: String) -> [Mount] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let end = words.firstIndex(of: "-"), end + 1 < words.count, words.count > 4 else { return nil }
            return Mount(point: unescaped(words[4]), type: String(words[end + 1]))
        }
    }

    /// Returns the mount of a file or folder: of those on its way, the one that was mounted last on the longest path.
    /// - Parameter path: Absolute, without symbolic links.
    public static func holding(_ path: String, in mounts: [Mount]) -> Mount? {
        let above = mounts.filter { path == $0.point || path.hasPrefix($0.point == "/" ? "/" : $0.point + "/") }
        guard let longest = above.map(\.point.utf8.count).max() else { return nil }
        return above.last { $0.point.utf8.count == longest }
    }

    /// Returns the mount of an existing file or folder of this machine; nil if the kernel does not tell.
    public static func holding(_ path: String) -> Mount? {
        guard let bytes = try? OpenFile(opening: "/proc/self/mountinfo").readStream(limit: 1 << 22),
            let resolved = unsafe realpath(path, nil)
        else { return nil }
        defer { unsafe free(resolved) }
        return unsafe holding(String(cString: resolved), in: list(String(decoding: bytes, as: UTF8.self)))
    }

    /// The kernel writes spaces, tabs, line feeds and backslashes as `\` and three octal digits.
    private static func unescaped(_ word: Substring) -> String {
        var (bytes, rest) = ([UInt8](), Array(word.utf8)[...])
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(3), as: UTF8.self)
            if byte == UInt8(ascii: "\\"), digits.utf8.count == 3, let value = UInt8(digits, radix: 8) {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
