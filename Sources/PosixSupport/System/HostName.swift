internal import Glibc

/// What the machine calls itself.
public enum HostName {
    /// `gethostname(2)`; nil where the name is empty or longer than the system's limit.
    public static func ofThisMachine() -> String? {
        // HOST_NAME_MAX is 64 on Linux; one byte more ends the text.
        var buffer = [CChar](repeating: 0, count: 65)
        guard unsafe gethostname(&buffer, buffer.count) == 0 else { return nil }
        let bytes = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
