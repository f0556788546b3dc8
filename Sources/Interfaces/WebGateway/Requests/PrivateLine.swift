internal import Glibc
internal import PosixSupport

/// A file with a secret in one line, which nobody but its owner can read.
enum PrivateLine {
    private static let limit = 4096

    /// Reads the line. Blocks on the disk.
    static func read(_ path: String) throws(UnusablePrivateLine) -> String {
        do {
            let file = try OpenFile(opening: path)
            let status = try file.status()
            guard status.kind == .file else { throw UnusablePrivateLine(description: "\(path) is not a file") }
            guard status.permissions & 0o077 == 0, [geteuid(), 0].contains(status.owner) else {
                throw UnusablePrivateLine(
                    description:
                        "others than the user of capwebd can read \(path); chown it to that user, and: chmod 600 \(path)"
                )
            }
            var bytes = try file.read(at: 0, count: limit)
            while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
            guard let text = String(validating: bytes, as: UTF8.self), !text.contains(where: \.isNewline) else {
                throw UnusablePrivateLine(description: "\(path) is not one line of text")
            }
            return text
        } catch let error as UnusablePrivateLine {
            throw error
        } catch {
            throw UnusablePrivateLine(description: "\(path): \(error)")
        }
    }
}
