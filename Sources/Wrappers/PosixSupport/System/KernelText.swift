/// Small files by which the kernel tells something, in `/proc` and `/sys`.
enum KernelText {
    /// The text of a file, up to 4 KiB; nil where it cannot be read. A driver may take some milliseconds to answer.
    static func read(_ path: String) -> String? {
        guard let bytes = try? OpenFile(opening: path).readStream(limit: 4096) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A file of one line.
    static func line(_ path: String) -> String? {
        read(path).map { String($0.prefix { $0 != "\n" }) }
    }
}
