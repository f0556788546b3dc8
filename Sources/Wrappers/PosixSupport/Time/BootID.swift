/// The kernel's name for one boot of this machine.
public enum BootID {
    /// `/proc/sys/kernel/random/boot_id`, without its line end.
    /// - Throws: `PosixError` where `/proc` is not mounted.
    public static func ofThisMachine() throws(PosixError) -> String {
        // A file in `/proc` has no length, so it is read up to a bound instead.
        let file = try Folder(opening: "/proc/sys/kernel/random").open("boot_id", for: .reading)
        let bytes = try file.readStream(limit: 64)
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }
}
