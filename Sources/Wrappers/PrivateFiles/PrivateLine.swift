internal import Glibc
internal import PosixSupport

/// A file with a secret in one line, which nobody but its owner can read.
public enum PrivateLine {
    private static let limit = 4096

    /// Reads the line. Blocks on the disk.
    public static func read(_ path: String) throws(UnusablePrivateLine) -> String {
        let bytes: [UInt8]
        do {
            bytes = try contents(of: path)
        } catch let error as UnusablePrivateLine {
            throw error
        } catch {
            throw UnusablePrivateLine(description: "\(path): \(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self), !text.contains(where: \.isNewline) else {
            throw UnusablePrivateLine(description: "\(path) is not one line of text")
        }
        return text
    }

    /// Reads the user and the password of a line `USER:PASSWORD`. Blocks on the disk.
    public static func login(_ path: String) throws(UnusablePrivateLine) -> (user: String, password: String) {
        let parts = try read(path).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw UnusablePrivateLine(description: "\(path) does not contain one line USER:PASSWORD")
        }
        return (String(parts[0]), String(parts[1]))
    }

    private static func contents(of path: String) throws -> [UInt8] {
        let file = try OpenFile(opening: path)
        let status = try file.status()
        guard status.kind == .file else { throw UnusablePrivateLine(description: "\(path) is not a file") }
        guard status.permissions & 0o077 == 0, [geteuid(), 0].contains(status.owner) else {
            throw UnusablePrivateLine(
                description:
                    "others than this program's user can read \(path); chown it to that user, and: chmod 600 \(path)")
        }
        var bytes = try file.read(at: 0, count: limit)
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
        return bytes
    }
}
